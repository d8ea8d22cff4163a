/// Which triangles are tessellated, how finely, and in how many draws.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "pucker/types.h"

namespace pucker::viewer {

/// A tessellated triangle: one that wrinkles reach or, so that no T-junction remains, that shares an edge with one.
struct Patch {
  std::uint32_t triangle;
  std::array<bool, 3> divided;  ///< edge (k, k + 1) is divided: one of its triangles is reached by a wrinkle

  /// One number: the triangle in the low 29 bits, edge k in bit 29 + k.
  std::uint32_t code() const;
};

/// Number (m, 3) of the edge from corner k to corner k + 1; triangles that share an edge share its number.
Index3 edge_numbers(const Index3& faces);

/// Patches of a mesh from its packed triangles (m, 2) and its edge numbers (m, 3).
std::vector<Patch> find_patches(const std::vector<std::uint32_t>& packed_triangles, const Index3& edges);

/// Vertices a patch with its corners at `corners` generates at most, for a wanted edge length: rings of n, n - 2, …
/// pieces a side, up to `max_level`.
std::int64_t vertex_count(const Patch& patch, const std::array<Eigen::Vector3f, 3>& corners, float target_edge,
                          float max_level);

/// Cuts patches into draws (first, count), none of which generates more than `limit` vertices, a single patch excepted.
std::vector<std::pair<int, int>> split_draws(const std::vector<std::int64_t>& counts, std::int64_t limit);

}  // namespace pucker::viewer
