#include "pucker/draw/tessellation.h"

#include <algorithm>

#include "pucker/draw/style.h"
#include "pucker/mesh/subdivision.h"

namespace pucker::draw {

namespace {

/// Vertices that a patch of so many pieces a side generates at most: rings of n, n − 2, … pieces.
std::int64_t vertices_of(std::int64_t pieces) {
  const std::int64_t half = (pieces + 1) / 2;
  return pieces % 2 == 0 ? 3 * half * (half + 1) + 1 : 3 * half * half;
}

}  // namespace

std::vector<std::uint32_t> edge_twins(const Mesh& mesh) {
  const Index3& edges = mesh.triangle_edges();
  const auto slots = std::uint32_t(edges.size());
  std::vector<std::uint32_t> first(std::size_t(mesh.edge_count()), slots);
  std::vector<std::uint32_t> last(first.size());
  std::vector<std::uint32_t> twins(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    twins[slot] = slot;
    if (edges.data()[slot] == kNone) continue;
    const auto edge = std::size_t(edges.data()[slot]);
    if (first[edge] == slots) first[edge] = last[edge] = slot;
    twins[last[edge]] = slot;
    twins[slot] = first[edge];
    last[edge] = slot;
  }
  return twins;
}

void divided_edges(const Mesh& mesh, std::span<const std::uint8_t> reached, std::vector<std::uint32_t>& out) {
  const Index3& edges = mesh.triangle_edges();
  std::vector<std::uint8_t> divided(std::size_t(mesh.edge_count()), 0);
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t)
    if (reached[std::size_t(t)] != 0 && !mesh.degenerate(t))
      for (const std::int32_t edge : edges.row(t)) divided[std::size_t(edge)] = 1;
  out.assign(std::size_t(mesh.triangle_count()), 0);
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t)
    if (!mesh.degenerate(t))
      for (int k = 0; k < 3; ++k) out[std::size_t(t)] |= std::uint32_t(divided[std::size_t(edges(t, k))]) << k;
}

void tessellate(const Mesh& mesh, const ConstArray3& positions, std::span<const std::uint8_t> reached,
                double target_edge, Tessellation& out) {
  const Index3& edges = mesh.triangle_edges();
  std::vector<std::int32_t>& pieces = out.pieces;
  pieces.assign(std::size_t(mesh.edge_count()), 0);
  for (Eigen::Index t = 0; t < edges.rows(); ++t) {
    if (reached[std::size_t(t)] == 0 || mesh.degenerate(std::int32_t(t))) continue;
    for (const std::int32_t edge : edges.row(t)) {
      if (pieces[std::size_t(edge)] > 0) continue;
      const auto ends = mesh.edges().row(edge);
      const double length = (positions.row(ends[1]) - positions.row(ends[0])).norm();
      pieces[std::size_t(edge)] = edge_pieces(length, target_edge, kMaxLevel + 1);
    }
  }
  out.vertices.assign(std::size_t(edges.rows()), 0);
  out.patches = out.limited_edges = 0;
  for (Eigen::Index t = 0; t < edges.rows(); ++t) {
    if (mesh.degenerate(std::int32_t(t))) continue;
    std::int32_t most = 0;
    for (const std::int32_t edge : edges.row(t)) {
      most = std::max(most, pieces[std::size_t(edge)]);
      out.limited_edges += int(pieces[std::size_t(edge)] > kMaxLevel);
    }
    if (most == 0) continue;
    ++out.patches;
    out.vertices[std::size_t(t)] = vertices_of(std::min(most, kMaxLevel));
  }
}

void split_draws(std::span<const std::int64_t> vertices, const DrawRange& whole, std::vector<DrawRange>& out) {
  std::size_t start = 0;
  std::int64_t total = 0;
  const auto end_draw = [&](std::size_t end) {
    if (total > 0)
      out.push_back({whole.first + std::int64_t(start), std::int64_t(end - start), whole.texture, whole.alpha});
    start = end;
    total = 0;
  };
  for (std::size_t index = 0; index < vertices.size(); ++index) {
    if (total + vertices[index] > kMaxDrawVertices) end_draw(index);
    total += vertices[index];
  }
  end_draw(vertices.size());
}

}  // namespace pucker::draw
