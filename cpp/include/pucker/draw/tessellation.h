/// Which triangles are tessellated, how finely, and in how many draws.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/mesh/alpha.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::draw {

/// Mesa's software rasteriser takes about forty times as long for a draw that generates more vertices than this.
inline constexpr std::int64_t kMaxDrawVertices = 65535;

/// Next slot 3·t + k (3m,) of the same edge, in a ring through all triangles that share the edge. A slot of a
/// degenerate triangle is alone.
std::vector<std::uint32_t> edge_twins(const Mesh& mesh);

/// Bits (m,) of the block Patches: bit k says that edge (k, k + 1) belongs to a triangle that detail reaches, `reached`
/// (m,) of which are not 0. Refills `out`.
void divided_edges(const Mesh& mesh, std::span<const std::uint8_t> reached, std::vector<std::uint32_t>& out);

/// How the triangles of a frame are tessellated.
struct Tessellation {
  std::vector<std::int32_t> pieces;    ///< (e,) of each edge, before the limit of kMaxLevel; 0 for a whole one
  std::vector<std::int64_t> vertices;  ///< (m,) that each triangle generates at most; 0 for one that is not tessellated
  std::int64_t patches = 0;            ///< tessellated triangles
  std::int64_t limited_edges = 0;      ///< edges of these, counted in each, that wanted more than kMaxLevel pieces
};

/// Tessellated are the triangles that detail reaches, `reached` (m,) of which are not 0, and, so that no T-junction
/// remains, those that share an edge with one. Edges of reached triangles are divided as edge_pieces says, others stay
/// whole. Refills `out`.
void tessellate(const Mesh& mesh, const ConstArray3& positions, std::span<const std::uint8_t> reached,
                double target_edge, Tessellation& out);

/// Consecutive triangles of a list that share what is named here.
struct DrawRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int32_t texture = kNone;
  Alpha alpha = {};
};

/// Cuts a list of triangles that generate so many vertices each into ranges, none of which generates more than
/// kMaxDrawVertices, a single triangle excepted; ranges that would generate none are left out. Appends to `out` parts
/// of `whole`, the range that the list is.
void split_draws(std::span<const std::int64_t> vertices, const DrawRange& whole, std::vector<DrawRange>& out);

}  // namespace pucker::draw
