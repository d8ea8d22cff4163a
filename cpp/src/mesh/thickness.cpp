#include "pucker/mesh/thickness.h"

#include <algorithm>
#include <limits>

#include "pucker/mesh/frames.h"
#include "pucker/mesh/normals.h"
#include "pucker/mesh/triangle_tree.h"

namespace pucker {

std::vector<double> thickness(const Mesh& mesh, const ConstArray3& positions, double own) {
  require_positions(mesh, positions);
  Array3 normals;
  RingNormals(mesh).step(positions, normals);
  const auto count = std::size_t(mesh.vertex_count());
  const double extent = count == 0 ? 0 : (positions.colwise().maxCoeff() - positions.colwise().minCoeff()).maxCoeff();
  const TriangleTree tree(mesh.faces(), positions);
  std::vector<double> hits(count, std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < count; ++v) {
    const Vector3 ray = -normals.row(Eigen::Index(v)).transpose();
    if (!ray.isZero(0)) hits[v] = tree.first_hit(positions.row(Eigen::Index(v)).transpose(), ray, own * extent);
  }
  std::vector<std::vector<double>> around(count);
  for (std::size_t v = 0; v < count; ++v) around[v].push_back(hits[v]);
  for (Eigen::Index e = 0; e < mesh.edges().rows(); ++e) {
    const auto a = std::size_t(mesh.edges()(e, 0));
    const auto b = std::size_t(mesh.edges()(e, 1));
    around[a].push_back(hits[b]);
    around[b].push_back(hits[a]);
  }
  for (std::size_t v = 0; v < count; ++v) {
    const auto middle = around[v].begin() + std::ptrdiff_t(around[v].size() / 2);
    std::ranges::nth_element(around[v], middle);
    hits[v] = *middle;
  }
  return hits;
}

void smooth_over_edges(const Mesh& mesh, std::vector<double>& values) {
  std::vector<double> sums(values.size(), 0);
  std::vector<double> counts(values.size(), 0);
  for (Eigen::Index e = 0; e < mesh.edges().rows(); ++e) {
    const auto a = std::size_t(mesh.edges()(e, 0));
    const auto b = std::size_t(mesh.edges()(e, 1));
    sums[a] += values[b];
    sums[b] += values[a];
    counts[a] += 1;
    counts[b] += 1;
  }
  for (std::size_t v = 0; v < values.size(); ++v)
    if (counts[v] > 0) values[v] = (values[v] + sums[v] / counts[v]) / 2;
}

}  // namespace pucker
