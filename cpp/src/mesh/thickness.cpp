#include "pucker/mesh/thickness.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "pucker/mesh/edge_ways.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/normals.h"
#include "pucker/mesh/triangle_tree.h"

namespace pucker {

namespace {

/// Cloth is not modelled thicker, as a share of the garment's longest side.
constexpr double kThickestCloth = 0.05;
/// The way over the surface to the other side of a limb, in distances to it: half of the way round a circle is 1.6, of
/// a flat sleeve that is five times as wide as deep, 6.
constexpr double kRoundLimb = 6.0;

/// Finds which sides that are met near a vertex are those of the cloth that it is on itself.
class Cloth {
 public:
  Cloth(const Mesh& mesh, const ConstArray3& positions)
      : ways_(EdgeWays::in(mesh, positions)), told_(std::size_t(mesh.vertex_count()), {0.0, false}) {}

  /// Whether a side is so far over the surface. What is nearer to a vertex than half of the distance to its other side
  /// is told the same of sides in its distance, give or take a half: ways are long, and vertices may be many.
  bool is_other_side(std::int32_t vertex, double distance, const std::array<std::int32_t, 3>& side) {
    const auto& [of, before] = told_[std::size_t(vertex)];
    if (distance > of / 2 && distance < 2 * of) return before;
    const std::vector<EdgeWays::Place> near = ways_.around(vertex, kRoundLimb * distance, side, room_);
    const bool other = std::find(side.begin(), side.end(), near.back().second) == side.end();
    for (const auto& [way, v] : near)
      if (way <= distance / 2 && told_[std::size_t(v)].first == 0) told_[std::size_t(v)] = {distance, other};
    return other;
  }

 private:
  EdgeWays ways_;
  EdgeWays::Room room_;
  std::vector<std::pair<double, bool>> told_;
};

}  // namespace

std::vector<double> thickness(const Mesh& mesh, const ConstArray3& positions, double own) {
  require_positions(mesh, positions);
  Array3 normals;
  RingNormals(mesh).step(positions, normals);
  const auto count = std::size_t(mesh.vertex_count());
  const double extent = count == 0 ? 0 : (positions.colwise().maxCoeff() - positions.colwise().minCoeff()).maxCoeff();
  const TriangleTree tree(mesh.faces(), positions);
  Cloth cloth(mesh, positions);
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> hits(count, inf);
  std::vector<std::int32_t> through(count, kNone);  // the triangle of the other side that is looked through
  std::vector<RayHit> met;
  for (std::size_t v = 0; v < count; ++v) {
    const Vector3 ray = -normals.row(Eigen::Index(v)).transpose();
    if (ray.isZero(0)) continue;
    tree.hits(positions.row(Eigen::Index(v)).transpose(), ray, own * extent, inf, met);
    std::ranges::sort(met, {}, [](const RayHit& hit) { return std::pair(hit.distance, hit.triangle); });
    for (const RayHit& hit : met) {
      const bool leaves = hit.cosine > 0;
      if (through[v] != kNone && !leaves) continue;
      const auto side = mesh.faces().row(hit.triangle);
      if (leaves && hit.distance < kThickestCloth * extent &&
          cloth.is_other_side(std::int32_t(v), hit.distance, {side[0], side[1], side[2]})) {
        if (through[v] == kNone) through[v] = hit.triangle;
        continue;
      }
      hits[v] = hit.distance;
      break;
    }
  }
  const std::vector<double> own_hits = hits;
  for (std::size_t v = 0; v < count; ++v) {
    if (through[v] == kNone) continue;
    for (const std::int32_t corner : mesh.faces().row(through[v]))
      if (through[std::size_t(corner)] != kNone) hits[v] = std::min(hits[v], own_hits[std::size_t(corner)]);
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
