#include "pucker/mesh/border.h"

#include <algorithm>

#include "pucker/errors.h"
#include "pucker/mesh/cover.h"
#include "pucker/mesh/edge_ways.h"
#include "pucker/mesh/frames.h"

namespace pucker {

std::vector<std::int32_t> border_vertices(const Mesh& mesh) {
  std::vector<std::uint8_t> at_border(std::size_t(mesh.vertex_count()));
  for (std::int32_t edge = 0; edge < std::int32_t(mesh.edge_count()); ++edge)
    if (mesh.edge_triangles(edge)[1] == kNone)
      for (const std::int32_t vertex : mesh.edges().row(edge)) at_border[std::size_t(vertex)] = 1;
  std::vector<std::int32_t> out;
  for (std::size_t v = 0; v < at_border.size(); ++v)
    if (at_border[v] != 0) out.push_back(std::int32_t(v));
  return out;
}

std::vector<double> border_distances(const Mesh& mesh, const Array3& positions, std::span<const std::int32_t> shared) {
  require_positions(mesh, positions);
  for (const std::int32_t vertex : shared)
    require(vertex >= 0 && vertex < mesh.vertex_count(), "shared vertices must lie in [0, ", mesh.vertex_count(),
            "), got ", vertex);
  const EdgeWays ways = EdgeWays::in(mesh, positions);
  std::vector<double> out = ways.from(shared);
  std::vector<std::int32_t> covered;
  for (const Cover& each : covers(mesh, positions)) covered.push_back(each.vertex);
  if (covered.empty()) return out;
  const std::vector<double> from_covered = ways.from(covered);
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = std::min(out[v], kBesideCovered * from_covered[v]);
  return out;
}

double border_share(double distance, double range) {
  if (range == 0) return 1;
  const double x = std::min(distance / range, 1.0);
  return x * x * (3 - 2 * x);
}

}  // namespace pucker
