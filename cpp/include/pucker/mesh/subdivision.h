/// A mesh whose edges are divided, each into as many pieces as asked, without cracks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// A refined triangle mesh that covers the coarse one exactly, and where its parts lie on it.
///
/// Points of an edge are shared by all its triangles, so no crack opens wherever the vertices are moved. Inside a
/// triangle whose finest edge has n pieces lies the regular lattice of n pieces a side; the strip between the lattice
/// and the edges joins what their numbers of pieces do not. Orientation is that of the coarse triangles. Three edges of
/// n pieces give n² triangles, and 3n for n of 2 or 3.
struct Subdivision {
  Index3 faces;                         ///< (M, 3)
  std::vector<std::int32_t> triangles;  ///< (N,) a coarse triangle each vertex lies in
  Array3 barycentrics;                  ///< (N, 3) its coordinates there
  std::vector<std::int32_t> source;     ///< (M,) the coarse triangle each face is part of
  /// (3K, 3) of the first K faces, which all that follow repeat: where triangles are divided alike, those of one. See
  /// corner().
  Array3 corners;

  /// Coordinates of corner `k` of a face in its own coarse triangle, which is what values that differ between the
  /// triangles of a vertex, such as texture coordinates, are interpolated with.
  auto corner(std::int32_t face, int k) const { return corners.row((3 * Eigen::Index(face) + k) % corners.rows()); }
};

/// Number of equal pieces of an edge so that none is longer than `target`, but `limit` at most.
std::int32_t edge_pieces(double length, double target, std::int32_t limit);

/// Number of pieces (e,) of each edge of a mesh with positions (n, 3): as many as make them no longer than the least of
/// the targets (m,) of its triangles, but `limit` at most; 1 where none of them is finite.
/// Throws InvalidArgument for another number of targets and one that is not positive.
std::vector<std::int32_t> edge_levels(const Mesh& mesh, const ConstArray3& positions, std::span<const double> targets,
                                      std::int32_t limit = std::numeric_limits<std::int32_t>::max());

/// Divides every edge e into `levels[e]` ≥ 1 equal pieces.
///
/// The vertices are those of the mesh in their order, then the points of the edges in the order of the edges, from the
/// smaller vertex to the larger, then those inside the triangles. A vertex of no triangle is left out. A degenerate
/// triangle stays as it is. Throws InvalidArgument for another number of levels, a level below 1, and for more vertices
/// than a number of 32 bits counts.
Subdivision subdivide(const Mesh& mesh, std::span<const std::int32_t> levels);

}  // namespace pucker
