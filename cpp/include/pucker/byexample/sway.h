/// What of a garment lags and swings as a whole: a mass on a damped spring at each vertex of the guide.
#pragma once

#include "pucker/types.h"

namespace pucker::byexample {

/// Masses on springs to the vertices g(t) of a guide, damped against the world:
///
///     x″ = ω² (g − x) − 2 ζ ω x′,   ω = 2π / period.
///
/// Between frames the guide goes on a straight line. Of that motion this is the exact solution, so it is stable for any
/// time step, and a frame more on that line changes nothing that comes after it. A guide that keeps its velocity v is
/// followed at a distance of 2ζ/ω v.
struct Sway {
  Array3 offsets;  ///< (n, 3) x − g
  Array3 speeds;   ///< (n, 3) x′/ω, lengths

  /// Masses at rest where `count` vertices are.
  void rest(Eigen::Index count);
  /// Goes on from `before` by `seconds`, in which the guide goes from `from` to `to` (n, 3). `period` must be positive,
  /// `damping` in [0.01, 1].
  void step(const Sway& before, const ConstArray3& from, const ConstArray3& to, double seconds, double period,
            double damping);
};

}  // namespace pucker::byexample
