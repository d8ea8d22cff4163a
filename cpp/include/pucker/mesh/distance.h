/// Distances of points, straight segments and triangles, in the plane or in space.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "pucker/types.h"

namespace pucker {

/// Share of the way along the straight segment from `a` to `b`, which may be the same point, that is nearest to
/// `point`.
template <class Vector>
double nearest_on_segment(const Vector& point, const Vector& a, const Vector& b) {
  const Vector along = b - a;
  const double square = along.squaredNorm();
  return square > 0 ? std::clamp((point - a).dot(along) / square, 0.0, 1.0) : 0;
}

/// Squared distance of `point` to the straight segment from `a` to `b`.
template <class Vector>
double point_segment_square(const Vector& point, const Vector& a, const Vector& b) {
  return (a + nearest_on_segment(point, a, b) * (b - a) - point).squaredNorm();
}

/// Squared distance of two straight segments (Ericson 2005, section 5.1.9).
inline double segment_segment_square(const Vector3& p0, const Vector3& p1, const Vector3& q0, const Vector3& q1) {
  const Vector3 d = p1 - p0;
  const Vector3 e = q1 - q0;
  const Vector3 r = p0 - q0;
  const double dd = d.squaredNorm();
  const double ee = e.squaredNorm();
  const double er = e.dot(r);
  const double dr = d.dot(r);
  const double de = d.dot(e);
  const double determinant = dd * ee - de * de;
  double s = determinant > 0 ? std::clamp((de * er - dr * ee) / determinant, 0.0, 1.0) : 0;
  double t = ee > 0 ? (de * s + er) / ee : 0;
  if (t < 0 || t > 1 || !(ee > 0)) {
    t = std::clamp(t, 0.0, 1.0);
    s = dd > 0 ? std::clamp((de * t - dr) / dd, 0.0, 1.0) : 0;
  }
  return (p0 + s * d - q0 - t * e).squaredNorm();
}

/// Distance between a line segment and a triangle in space; 0 if they meet. Where it is at most `enough`, some number
/// from it to `enough`.
double segment_triangle_distance(const Vector3& a, const Vector3& b, const Vector3& v0, const Vector3& v1,
                                 const Vector3& v2, double enough = 0);

}  // namespace pucker
