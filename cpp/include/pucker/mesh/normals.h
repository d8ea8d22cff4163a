/// Normals of vertices: of which some are one for the surface, and such as are given in one pose and wanted in another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// Twice the area of triangle t along its normal.
inline Eigen::RowVector3d twice_area(const ConstIndex3& faces, const ConstArray3& positions, Eigen::Index t) {
  const Eigen::RowVector3d origin = positions.row(faces(t, 0));
  const Eigen::RowVector3d first = positions.row(faces(t, 1)) - origin;
  const Eigen::RowVector3d second = positions.row(faces(t, 2)) - origin;
  return first.cross(second);
}

/// Area-weighted mean of the normals of the triangles (m, 3) round each vertex (n, 3), unit length; zero for a vertex
/// without area. Vertices of one number in `weld` (n,) share their triangles; without it each has its own.
void welded_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                    Array3& out);

/// Normals (n, 3) of vertices in the pose `from` (n, 3) carried to the pose `to`, unit length; zero for a vertex of
/// which none is given, or whose triangles have no area in either pose.
///
/// Each triangle (m, 3) carries those of its corners by the inverse transpose of the map from one pose to the other
/// that takes its plane to its plane and stretches its normal by the root of the ratio of its areas, so that a turn and
/// a uniform scale are exact. A vertex takes the mean over its triangles, weighted by their areas in `to`.
void carry_normals(const ConstIndex3& faces, const ConstArray3& from, const ConstArray3& normals, const ConstArray3& to,
                   Array3& out);

/// The normals that welded_normals gives the vertices of one mesh, to the bit; the threads of parallel_for share the
/// work.
class SummedNormals {
 public:
  explicit SummedNormals(const Mesh& mesh);

  /// Fills `out` (n, 3) with unit normals, zero for a vertex without area. Throws InvalidArgument for positions that
  /// are not (n, 3). Does not allocate once `out` has its size.
  void step(const ConstArray3& positions, Array3& out);

 private:
  Index3 faces_;
  std::vector<std::size_t> offsets_;     ///< (n + 1,): the triangles of vertex v are those from offsets_[v] to the next
  std::vector<std::int32_t> triangles_;  ///< ascending round each vertex
  Array3 areas_;                         ///< (m, 3): normals times twice the areas
};

/// Area-weighted normals of the vertices of one mesh, as `welded_normals` has them but for rounding, in half the time.
///
/// The triangles round a vertex sum up to the area vector of the polygon about them, and four corners of that to half
/// the cross product of their diagonals: two products for the six triangles of a regular vertex.
class RingNormals {
 public:
  /// Four corners of a polygon in their order; of three, the first is the last as well.
  using Quad = std::array<std::int32_t, 4>;

  explicit RingNormals(const Mesh& mesh);

  /// Fills `out` (n, 3) with unit normals, zero for a vertex without area. Throws InvalidArgument for positions that
  /// are not (n, 3). Does not allocate once `out` has its size.
  void step(const ConstArray3& positions, Array3& out) const;
  /// The normal of one vertex times twice the area round it, for positions (n, 3) whose rows lie `stride` apart.
  template <class Scalar>
  std::array<Scalar, 3> twice_area(const Scalar* positions, std::ptrdiff_t stride, std::int32_t vertex) const {
    Scalar sum[3] = {0, 0, 0};
    for (std::size_t k = offsets_[std::size_t(vertex)]; k < offsets_[std::size_t(vertex) + 1]; ++k) {
      const auto corner = [&](std::size_t c) { return positions + stride * quads_[k][c]; };
      const Scalar *a = corner(0), *b = corner(1), *c = corner(2), *d = corner(3);
      const Scalar along[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
      const Scalar across[3] = {d[0] - b[0], d[1] - b[1], d[2] - b[2]};
      sum[0] += along[1] * across[2] - along[2] * across[1];
      sum[1] += along[2] * across[0] - along[0] * across[2];
      sum[2] += along[0] * across[1] - along[1] * across[0];
    }
    return {sum[0], sum[1], sum[2]};
  }
  /// What twice_area sums up.
  std::span<const Quad> quads(std::int32_t vertex) const {
    const std::size_t first = offsets_[std::size_t(vertex)];
    return std::span(quads_).subspan(first, offsets_[std::size_t(vertex) + 1] - first);
  }

 private:
  std::vector<std::size_t> offsets_;  ///< (n + 1,): the quads of vertex v are those from offsets_[v] to the next
  std::vector<Quad> quads_;
};

}  // namespace pucker
