#include "pucker/waves/border.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "pucker/errors.h"
#include "pucker/waves/crush.h"

namespace pucker::waves {

std::vector<double> border_distances(const Mesh& mesh, const Array3& positions, std::span<const std::int32_t> shared) {
  std::vector<double> out(std::size_t(mesh.vertex_count()), std::numeric_limits<double>::infinity());
  using Place = std::pair<double, std::int32_t>;
  std::priority_queue<Place, std::vector<Place>, std::greater<>> open;
  for (const std::int32_t vertex : shared) {
    require(vertex >= 0 && vertex < mesh.vertex_count(), "shared vertices must lie in [0, ", mesh.vertex_count(),
            "), got ", vertex);
    out[std::size_t(vertex)] = 0;
    open.emplace(0, vertex);
  }
  const Neighbours neighbours(mesh);
  while (!open.empty()) {
    const auto [distance, vertex] = open.top();
    open.pop();
    if (distance > out[std::size_t(vertex)]) continue;
    for (const std::int32_t other : neighbours.of(vertex)) {
      const double through = distance + (positions.row(other) - positions.row(vertex)).norm();
      if (!(through < out[std::size_t(other)])) continue;
      out[std::size_t(other)] = through;
      open.emplace(through, other);
    }
  }
  return out;
}

double border_share(double distance, double range) {
  if (range == 0) return 1;
  const double x = std::min(distance / range, 1.0);
  return x * x * (3 - 2 * x);
}

}  // namespace pucker::waves
