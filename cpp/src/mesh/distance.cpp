#include "pucker/mesh/distance.h"

#include <cmath>
#include <limits>
#include <utility>

namespace pucker {

namespace {

/// Squared distance of a point to the inside of a triangle, if its foot lies inside; else infinity.
double point_face_square(const Vector3& p, const Vector3& v0, const Vector3& u, const Vector3& v, const Vector3& n,
                         double nn) {
  const Vector3 r = p - v0;
  const double b = u.cross(r).dot(n);
  const double a = r.cross(v).dot(n);
  if (a < 0 || b < 0 || a + b > nn) return std::numeric_limits<double>::infinity();
  const double height = r.dot(n);
  return height * height / nn;
}

}  // namespace

double segment_triangle_distance(const Vector3& a, const Vector3& b, const Vector3& v0, const Vector3& v1,
                                 const Vector3& v2, double enough) {
  double square = std::numeric_limits<double>::infinity();
  const Vector3 u = v1 - v0;
  const Vector3 v = v2 - v0;
  const Vector3 n = u.cross(v);
  const double nn = n.squaredNorm();
  if (nn > 0) {
    square = std::min(point_face_square(a, v0, u, v, n, nn), point_face_square(b, v0, u, v, n, nn));
    const double from = (a - v0).dot(n);
    const double to = (b - v0).dot(n);
    if (from * to < 0) {
      const Vector3 hit = a + from / (from - to) * (b - a);
      square = std::min(square, point_face_square(hit, v0, u, v, n, nn));
    }
  }
  for (const auto& [from, to] : {std::pair(&v0, &v1), std::pair(&v1, &v2), std::pair(&v2, &v0)}) {
    if (std::sqrt(square) <= enough) break;
    square = std::min(square, segment_segment_square(a, b, *from, *to));
  }
  return std::sqrt(square);
}

}  // namespace pucker
