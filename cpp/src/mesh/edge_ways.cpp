#include "pucker/mesh/edge_ways.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker {

namespace {

constexpr double kNoWay = std::numeric_limits<double>::infinity();

}  // namespace

EdgeWays EdgeWays::in(const Mesh& mesh, const ConstArray3& positions) {
  require_positions(mesh, positions);
  std::vector<double> lengths;
  lengths.reserve(std::size_t(mesh.edge_count()));
  for (const auto& edge : mesh.edges().rowwise())
    lengths.push_back((positions.row(edge[1]) - positions.row(edge[0])).norm());
  return EdgeWays(mesh, lengths);
}

EdgeWays::EdgeWays(const Mesh& mesh, std::span<const double> lengths)
    : offsets_(std::size_t(mesh.vertex_count()) + 1, 0), neighbours_(2 * std::size_t(mesh.edge_count())) {
  const Index2& edges = mesh.edges();
  require(std::int64_t(lengths.size()) == mesh.edge_count(), "lengths must be of ", mesh.edge_count(), " edges, got ",
          lengths.size());
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    for (int end = 0; end < 2; ++end) ++offsets_[std::size_t(edges(e, end)) + 1];
  for (std::size_t v = 1; v < offsets_.size(); ++v) offsets_[v] += offsets_[v - 1];
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    for (int end = 0; end < 2; ++end)
      neighbours_[next[std::size_t(edges(e, end))]++] = {edges(e, 1 - end), lengths[std::size_t(e)]};
}

template <class Reached>
void EdgeWays::walk(std::span<const std::int32_t> starts, double most, Room& room, Reached reached) const {
  const std::size_t count = offsets_.size() - 1;
  auto& [distances, open] = room;
  distances.resize(count, kNoWay);
  open.clear();
  for (const std::int32_t start : starts) {
    require(start >= 0 && std::size_t(start) < count, "ways must begin at vertices in [0, ", count, "), got ", start);
    distances[std::size_t(start)] = 0;
    open.emplace_back(0.0, start);
  }
  std::make_heap(open.begin(), open.end(), std::greater<>());
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end(), std::greater<>());
    const auto [distance, vertex] = open.back();
    open.pop_back();
    if (distance > distances[std::size_t(vertex)]) continue;
    if (reached(distance, vertex)) return;
    for (std::size_t k = offsets_[std::size_t(vertex)]; k < offsets_[std::size_t(vertex) + 1]; ++k) {
      const auto& [other, length] = neighbours_[k];
      const double through = distance + length;
      if (!(through <= most && through < distances[std::size_t(other)])) continue;
      distances[std::size_t(other)] = through;
      open.emplace_back(through, other);
      std::push_heap(open.begin(), open.end(), std::greater<>());
    }
  }
}

std::vector<double> EdgeWays::from(std::span<const std::int32_t> starts) const {
  Room room;
  walk(starts, kNoWay, room, [](double /*distance*/, std::int32_t /*vertex*/) { return false; });
  return std::move(room.distances);
}

std::vector<EdgeWays::Place> EdgeWays::around(std::int32_t start, double most, const std::array<std::int32_t, 3>& ends,
                                              Room& room) const {
  std::vector<Place> out;
  walk({&start, 1}, most, room, [&](double distance, std::int32_t vertex) {
    out.emplace_back(distance, vertex);
    return std::find(ends.begin(), ends.end(), vertex) != ends.end();
  });
  for (const std::vector<Place>* places : {&out, &room.open})
    for (const auto& [distance, vertex] : *places) room.distances[std::size_t(vertex)] = kNoWay;
  return out;
}

}  // namespace pucker
