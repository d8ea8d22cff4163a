/// Local frames of triangles: each triangle as a 2×2 matrix in its own plane (Gillette 2015, section 4.1).
#pragma once

#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// The frame of one triangle (v0, v1, v2): x along v1−v0, z along the normal, y = z × x.
struct TriangleFrame {
  Vector3 x;
  Vector3 normal;

  Vector3 y() const { return normal.cross(x); }
  Vector3 to_space(const Vector2& in_plane) const { return in_plane.x() * x + in_plane.y() * y(); }
  Vector2 to_plane(const Vector3& in_space) const { return {in_space.dot(x), in_space.dot(y())}; }
};

/// Position of a corner 0, 1, 2 in the plane of its triangle; `matrix` as in LocalFrames.
inline Vector2 corner_in_plane(const RowMatrix2& matrix, int corner) {
  // Branch-free, as the corner is unpredictable.
  const double away = corner != 0;
  return away * matrix.col(corner == 2);
}

/// Signed area of the parallelogram of two vectors of the plane.
inline double cross(const Vector2& a, const Vector2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Local frames of all triangles of one frame of a clip.
struct LocalFrames {
  Matrix2List matrices;               ///< (m, 2, 2): columns v1−v0 and v2−v0 in the frame, so [[x1, x2], [0, y2]]
  std::vector<TriangleFrame> frames;  ///< all zero for a triangle without area

  /// In the square of the clip's unit.
  double area(std::size_t t) const { return 0.5 * matrices[t](0, 0) * matrices[t](1, 1); }
};

/// Fills `out` for the positions (n, 3). A triangle whose area is zero (or that is degenerate) has zero matrix, axes
/// and area. Throws InvalidArgument if `positions` does not have one row a vertex. Does not allocate once `out` has its
/// size.
void local_frames(const Mesh& mesh, const ConstArray3& positions, LocalFrames& out);
LocalFrames local_frames(const Mesh& mesh, const ConstArray3& positions);

/// Area-weighted mean of the normals of the triangles round each vertex, unit length; zero for a vertex without area.
/// The weights are the triangles' areas, so the result does not depend on the order of the triangles but for rounding.
void vertex_normals(const Mesh& mesh, const ConstArray3& positions, Array3& out);

/// Mean length of the edges (0 for a mesh without edges), in the unit of `positions`.
double mean_edge_length(const Mesh& mesh, const ConstArray3& positions);

/// Throws InvalidArgument unless `positions` is (vertex_count, 3) and finite; names the first offending entry.
void require_positions(const Mesh& mesh, const ConstArray3& positions);

}  // namespace pucker
