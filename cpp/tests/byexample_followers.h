/// What follows one vertex of a guide along a line: for the tests of Sway and Trail.
#pragma once

#include <cstddef>
#include <vector>

#include "pucker/types.h"

namespace pucker::byexample {

inline Array3 at(double x) {
  Array3 out(1, 3);
  out << x, -2 * x, 0.5;
  return out;
}

template <class Follower>
Follower resting() {
  Follower out;
  out.rest(1);
  return out;
}

/// Goes on from `follower` by steps of equal length, the guide at `places`; `constants` are those of its step.
template <class Follower, class... Constants>
Follower followed(Follower follower, const std::vector<double>& places, double seconds, Constants... constants) {
  for (std::size_t k = 1; k < places.size(); ++k) {
    Follower next;
    next.step(follower, at(places[k - 1]), at(places[k]), seconds, constants...);
    follower = next;
  }
  return follower;
}

}  // namespace pucker::byexample
