/// Terms that both persistence solutions share (Gillette 2015, equations 5.2 and 5.3).
#pragma once

#include <algorithm>
#include <cmath>

#include "pucker/dynamic/persistence.h"

namespace pucker {

/// An orthonormal frame of the surface at a path point: rows along its edge, across, and the mean normal of the
/// triangles before and after it. Both normals are orthogonal to the edge, so their mean is too. Where there is no such
/// frame (an edge without length, triangles folded onto each other) it is that of the triangle before.
struct SurfaceFrame {
  Eigen::Matrix3d rows;
  bool of_edge;
};

inline SurfaceFrame surface_frame(const PathPoint& p, std::int32_t before, std::int32_t after, const Array3& positions,
                                  const LocalFrames& frames) {
  const TriangleFrame& first = frames.frames[std::size_t(before)];
  const Vector3 edge = (positions.row(p.v0) - positions.row(p.v1)).transpose();
  const double length = edge.norm();
  const Vector3 normal = first.normal + frames.frames[std::size_t(after)].normal;
  const double size = normal.norm();
  SurfaceFrame out;
  out.of_edge = length > 0 && size > 1e-9;
  if (out.of_edge) {
    out.rows.row(0) = (1 / length) * edge.transpose();
    out.rows.row(2) = (1 / size) * normal.transpose();
    out.rows.row(1) = out.rows.row(2).cross(out.rows.row(0));
  } else {
    out.rows << first.x.transpose(), first.y().transpose(), first.normal.transpose();
  }
  return out;
}

/// Unit complex number of `z`, (1, 0) for zero.
inline Vector2 unit_complex(const Vector2& z) {
  const double size = z.norm();
  return size > 0 && std::isfinite(size) ? Vector2(z / size) : Vector2(1, 0);
}

/// a · conj(b) of complex numbers.
inline Vector2 divide_angle(const Vector2& a, const Vector2& b) {
  return {a.x() * b.x() + a.y() * b.y(), a.y() * b.x() - a.x() * b.y()};
}

/// The angle by which a triangle turns in its own plane between the frames, as a unit complex number: the rotation of
/// the polar decomposition of its motion. Exactly (1, 0) if it does not move.
inline Vector2 turn_in_plane(const Motion& motion, std::int32_t triangle) {
  const std::size_t t = std::size_t(triangle);
  if (!(motion.previous_frames.area(t) > 0)) return {1, 0};
  // A determinant above 0 does not turn it.
  const RowMatrix2 f = scaled_gradient(motion.previous_frames.matrices[t], motion.field.frames.matrices[t]);
  return unit_complex({f(0, 0) + f(1, 1), f(1, 0) - f(0, 1)});
}

/// The angle by which the edge of `p` turns in `triangle` beyond the triangle itself, which turns by `turn`: a squeeze
/// turns edges that do not lie along it, but not the surface.
inline Vector2 turn_of_edge(const Motion& motion, const PathPoint& p, std::int32_t triangle, const Vector2& turn) {
  const Mesh& mesh = motion.field.mesh;
  const int first = mesh.corner(triangle, p.v0);
  const int second = mesh.corner(triangle, p.v1);
  const auto flat = [&](const LocalFrames& frames) -> Vector2 {
    const RowMatrix2& matrix = frames.matrices[std::size_t(triangle)];
    return corner_in_plane(matrix, first) - corner_in_plane(matrix, second);
  };
  return divide_angle(unit_complex(divide_angle(flat(motion.field.frames), flat(motion.previous_frames))), turn);
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
///
/// L̄_i is carried by the rotation of the surface at the point: about the normal it is the mean of the polar rotations
/// of both triangles.
template <class Index>
Vector3 shape_residual(const Motion& motion, const Wrinkle& wrinkle, const PathMotion& path, bool carried,
                       std::size_t i, std::size_t n, Index&& index) {
  Vector3 now = Vector3::Zero();
  Vector3 then = Vector3::Zero();
  visit_laplacian(i, n, [&](std::size_t j, double weight) {
    now += weight * path.now[index(j)];
    then += weight * path.then[index(j)];
  });
  if (!carried) return now - then;
  const std::size_t p = index(i);
  const std::size_t segment_before = p > 0 ? p - 1 : 0;
  const std::size_t segment_after = std::min(p, wrinkle.triangles.size() - 1);
  const std::int32_t before = wrinkle.triangles[segment_before];
  const std::int32_t after = wrinkle.triangles[segment_after];
  const PathPoint& point = wrinkle.points[p];
  const SurfaceFrame frame_now = surface_frame(point, before, after, motion.field.positions, motion.field.frames);
  const SurfaceFrame frame_then =
      surface_frame(point, before, after, motion.previous_positions, motion.previous_frames);
  if (frame_now.of_edge != frame_then.of_edge) return Vector3::Zero();  // no rotation takes one to the other
  const Vector2 turn = frame_now.of_edge
                           ? unit_complex(turn_of_edge(motion, point, before, path.turns[segment_before]) +
                                          turn_of_edge(motion, point, after, path.turns[segment_after]))
                           : divide_angle({1, 0}, path.turns[segment_before]);
  const Vector3 flat = frame_then.rows * then;
  const Vector2 turned = divide_angle(flat.head<2>(), turn);
  return frame_now.rows.transpose() * (frame_now.rows * now - Vector3(turned.x(), turned.y(), flat.z()));
}

/// All of it sinks as parts of its own.
inline bool is_empty(const Wrinkle& wrinkle) { return wrinkle.points.empty(); }

}  // namespace pucker
