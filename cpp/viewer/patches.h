/// Which triangles are tessellated, how finely, and in how many draws.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pucker/types.h"

namespace pucker::viewer {

/// A tessellated triangle: one that wrinkles reach or, so that no T-junction remains, that shares an edge with one.
struct Patch {
  std::uint32_t triangle;
  std::array<bool, 3> divided;  ///< edge (k, k + 1) is divided: one of its triangles is reached by a wrinkle
};

/// Number (m, 3) of the edge from corner k to corner k + 1; triangles that share an edge share its number.
Index3 edge_numbers(const Index3& faces);

/// Next slot 3·t + k of the same edge, in a ring through all triangles that share the edge; 3m numbers.
std::vector<std::uint32_t> edge_twins(const Index3& edges);

/// Patches of a mesh from its packed triangles (m, 2) and its edge numbers (m, 3).
std::vector<Patch> find_patches(const std::vector<std::uint32_t>& packed_triangles, const Index3& edges);

/// Wanted tessellation level of each edge of a patch with its corners at `corners`, before the limit, as the control
/// shader computes it.
std::array<float, 3> edge_levels(const Patch& patch, const std::array<Eigen::Vector3f, 3>& corners, float target_edge);

/// Vertices that a patch of so many pieces a side generates at most: rings of n, n - 2, … pieces.
std::int64_t vertex_count(std::int64_t pieces);

/// Cuts triangles into draws (first, count), none of which generates more than `limit` vertices, a single triangle
/// excepted; draws that would generate none are left out.
std::vector<std::pair<int, int>> split_draws(std::span<const std::int64_t> counts, std::int64_t limit);

}  // namespace pucker::viewer
