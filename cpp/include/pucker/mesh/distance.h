/// Distance of a point to a straight segment, in the plane or in space.
#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace pucker {

/// Squared distance of `point` to the straight segment from `a` to `b`, which may be the same point.
template <class Vector>
double point_segment_square(const Vector& point, const Vector& a, const Vector& b) {
  const Vector along = b - a;
  const double square = along.squaredNorm();
  const double u = square > 0 ? std::clamp((point - a).dot(along) / square, 0.0, 1.0) : 0;
  return (a + u * along - point).squaredNorm();
}

}  // namespace pucker
