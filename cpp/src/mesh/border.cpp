#include "pucker/mesh/border.h"

#include <algorithm>

#include "pucker/errors.h"
#include "pucker/mesh/cover.h"
#include "pucker/mesh/edge_ways.h"
#include "pucker/mesh/frames.h"

namespace pucker {

std::vector<double> border_distances(const Mesh& mesh, const Array3& positions, std::span<const std::int32_t> shared) {
  require_positions(mesh, positions);
  for (const std::int32_t vertex : shared)
    require(vertex >= 0 && vertex < mesh.vertex_count(), "shared vertices must lie in [0, ", mesh.vertex_count(),
            "), got ", vertex);
  std::vector<double> lengths;
  lengths.reserve(std::size_t(mesh.edge_count()));
  for (Eigen::Index e = 0; e < mesh.edges().rows(); ++e)
    lengths.push_back((positions.row(mesh.edges()(e, 1)) - positions.row(mesh.edges()(e, 0))).norm());
  const EdgeWays ways(mesh, lengths);
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
