/// Terms that both persistence solutions share (Gillette 2015, equations 5.2 and 5.3).
#pragma once

#include <algorithm>

#include "pucker/dynamic/persistence.h"

namespace pucker {

/// Rows: a right-handed orthonormal frame of the surface at a path point: along its edge, across, and the mean normal
/// of the triangles before and after it. Both normals are orthogonal to the edge, so their mean is too.
inline Eigen::Matrix3d surface_frame(const PathPoint& p, std::int32_t before, std::int32_t after,
                              const Array3& positions, const LocalFrames& frames) {
  const TriangleFrame& first = frames.frames[std::size_t(before)];
  const Vector3 edge = (positions.row(p.v0) - positions.row(p.v1)).transpose();
  const double length = edge.norm();
  Vector3 normal = first.normal + frames.frames[std::size_t(after)].normal;
  const double size = normal.norm();
  Eigen::Matrix3d rows;
  if (length > 0 && size > 1e-9) {
    rows.row(0) = edge.transpose() / length;
    rows.row(2) = normal.transpose() / size;
    rows.row(1) = rows.row(2).cross(rows.row(0));
  } else {
    rows << first.x.transpose(), first.y.transpose(), first.normal.transpose();
  }
  return rows;
}

/// Calls `visit(index, weight)` for the points whose positions make up L_i of a path of `n` points (equation 5.2 with
/// p_{−1} ≡ p_1 and p_n ≡ p_{n−2}).
template <class Visitor>
void visit_laplacian(std::size_t i, std::size_t n, Visitor&& visit) {
  visit(i, 1.0);
  if (i == 0) {
    visit(1, -1.0);
  } else if (i == n - 1) {
    visit(n - 2, -1.0);
  } else {
    visit(i - 1, -0.5);
    visit(i + 1, -0.5);
  }
}

/// What L_i differs from the carried L̄_i, in space. `index(j)` gives the path point of entry j. At zero motion this is
/// exactly zero: both are compared in the frames of the surface, which then are the same bits.
template <class Index, class Place>
Vector3 shape_residual(const Motion& motion, const Wrinkle& wrinkle, bool carried, std::size_t i, std::size_t n,
                       Index&& index, Place&& place) {
  Vector3 now = Vector3::Zero();
  Vector3 then = Vector3::Zero();
  visit_laplacian(i, n, [&](std::size_t j, double weight) {
    now += weight * place(index(j));
    then += weight * position(wrinkle.points[index(j)], motion.previous_positions);
  });
  if (!carried) return now - then;
  const std::size_t p = index(i);
  const std::int32_t before = wrinkle.triangles[p > 0 ? p - 1 : 0];
  const std::int32_t after = wrinkle.triangles[std::min(p, wrinkle.triangles.size() - 1)];
  const Eigen::Matrix3d frame_now =
      surface_frame(wrinkle.points[p], before, after, motion.field.positions, motion.field.frames);
  const Eigen::Matrix3d frame_then =
      surface_frame(wrinkle.points[p], before, after, motion.previous_positions, motion.previous_frames);
  return frame_now.transpose() * (frame_now * now - frame_then * then);
}

}  // namespace pucker
