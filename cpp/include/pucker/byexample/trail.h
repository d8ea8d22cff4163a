/// By how much cloth that air drags trails a guide that it is held to.
#pragma once

#include "pucker/types.h"

namespace pucker::byexample {

/// Points x(t) that follow the vertices g(t) of a guide, each as its own distance decays:
///
///     x′ = (g − x) / time.
///
/// Between frames the guide goes on a straight line. Of that motion this is the exact solution, so it is stable for any
/// time step, and a frame more on that line changes nothing that comes after it. A guide that keeps its velocity v is
/// followed at a distance of v · time, as by draped cloth of that lag without stiffness.
struct Trail {
  Array3 offsets;  ///< (n, 3) x − g

  /// Points where `count` vertices are.
  void rest(Eigen::Index count);
  /// Goes on from `before` by `seconds`, in which the guide goes from `from` to `to` (n, 3). `time` must be positive.
  void step(const Trail& before, const ConstArray3& from, const ConstArray3& to, double seconds, double time);
};

}  // namespace pucker::byexample
