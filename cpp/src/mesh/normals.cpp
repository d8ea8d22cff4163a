#include "pucker/mesh/normals.h"

#include <cmath>

namespace pucker {

namespace {

/// Two edges of a triangle, its unit normal and its area, twice.
struct Span {
  Vector3 first, second, normal;
  double area;
};

Span span_of(const ConstIndex3& faces, const ConstArray3& positions, Eigen::Index t) {
  const Vector3 origin = positions.row(faces(t, 0));
  Span span;
  span.first = Vector3(positions.row(faces(t, 1))) - origin;
  span.second = Vector3(positions.row(faces(t, 2))) - origin;
  span.normal = span.first.cross(span.second);
  span.area = span.normal.norm();
  if (span.area > 0) span.normal /= span.area;
  return span;
}

void make_unit(Array3& rows) {
  for (Eigen::Index v = 0; v < rows.rows(); ++v) {
    const double length = rows.row(v).norm();
    if (length > 0) rows.row(v) /= length;
  }
}

}  // namespace

void welded_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                    Array3& out) {
  out.setZero(positions.rows(), 3);
  // What vertices share is summed up at the row of their number and copied from there.
  const auto number = [&](Eigen::Index v) { return weld.empty() ? v : Eigen::Index(weld[std::size_t(v)]); };
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Eigen::RowVector3d origin = positions.row(faces(t, 0));
    const Eigen::RowVector3d first = positions.row(faces(t, 1)) - origin;
    const Eigen::RowVector3d second = positions.row(faces(t, 2)) - origin;
    const Eigen::RowVector3d cross = first.cross(second);
    for (int k = 0; k < 3; ++k) out.row(number(faces(t, k))) += cross;
  }
  make_unit(out);
  if (weld.empty()) return;
  const Array3 shared = out;
  for (Eigen::Index v = 0; v < out.rows(); ++v) out.row(v) = shared.row(number(v));
}

void carry_normals(const ConstIndex3& faces, const ConstArray3& from, const ConstArray3& normals, const ConstArray3& to,
                   Array3& out) {
  out.setZero(to.rows(), 3);
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Span before = span_of(faces, from, t);
    const Span after = span_of(faces, to, t);
    if (!(before.area > 0) || !(after.area > 0)) continue;
    // The inverse transpose of [first second normal]: cross products of its columns, over the determinant.
    const double stretch = std::sqrt(after.area / before.area);
    const Vector3 along_first = stretch * after.second.cross(after.normal);
    const Vector3 along_second = stretch * after.normal.cross(after.first);
    for (int k = 0; k < 3; ++k) {
      const Vector3 given = normals.row(faces(t, k));
      const Vector3 carried = before.first.dot(given) * along_first + before.second.dot(given) * along_second +
                              before.normal.dot(given) * after.area * after.normal;
      const double length = carried.norm();
      if (length > 0) out.row(faces(t, k)) += (after.area / length * carried).transpose();
    }
  }
  make_unit(out);
}

}  // namespace pucker
