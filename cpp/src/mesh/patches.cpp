#include "pucker/mesh/patches.h"

#include <maxflow.h>

#include <algorithm>
#include <cmath>

#include "pucker/errors.h"
#include "pucker/types.h"

namespace pucker {
namespace {

using TwoSides = maxflow::Graph<double, double, double>;

[[noreturn]] void stop_cut(const char* reason) { throw Error(reason); }

void check_costs(std::span<const double> costs, std::int64_t wanted, const char* what) {
  require(std::int64_t(costs.size()) == wanted, what, " must be ", wanted, ", got ", costs.size());
  for (std::size_t k = 0; k < costs.size(); ++k)
    require(std::isfinite(costs[k]), what, " must be finite, got ", costs[k], " at ", k);
}

/// Whether each triangle is on the side of the wishes.
std::vector<bool> wanted_side(const Mesh& mesh, std::span<const double> wishes, std::span<const double> borders) {
  TwoSides graph(int(mesh.triangle_count()), int(mesh.edge_count()), stop_cut);
  graph.add_node(int(mesh.triangle_count()));
  for (int t = 0; t < int(mesh.triangle_count()); ++t) {
    const double wish = wishes[std::size_t(t)];
    graph.add_tweights(t, std::max(wish, 0.0), std::max(-wish, 0.0));
  }
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
    const auto [a, b] = mesh.edge_triangles(e);
    if (b != kNone) graph.add_edge(a, b, borders[std::size_t(e)], borders[std::size_t(e)]);
  }
  graph.maxflow();
  std::vector<bool> out(std::size_t(mesh.triangle_count()));
  for (int t = 0; t < int(out.size()); ++t)
    out[std::size_t(t)] = graph.what_segment(t, TwoSides::SINK) == TwoSides::SOURCE;
  return out;
}

}  // namespace

std::vector<std::int32_t> wanted_patches(const Mesh& mesh, std::span<const double> wishes,
                                         std::span<const double> borders) {
  check_costs(wishes, mesh.triangle_count(), "wishes");
  check_costs(borders, mesh.edge_count(), "borders");
  for (const double border : borders) require(border >= 0.0, "borders must be at least 0, got ", border);
  std::vector<std::int32_t> out(wishes.size(), kNone);
  if (wishes.empty()) return out;
  const std::vector<bool> wanted = wanted_side(mesh, wishes, borders);
  std::vector<std::int32_t> waiting;
  std::int32_t count = 0;
  for (std::int32_t first = 0; first < std::int32_t(out.size()); ++first) {
    if (!wanted[std::size_t(first)] || out[std::size_t(first)] != kNone) continue;
    const std::int32_t patch = count++;
    out[std::size_t(first)] = patch;
    waiting.assign(1, first);
    while (!waiting.empty()) {
      const std::int32_t t = waiting.back();
      waiting.pop_back();
      for (const std::int32_t next : mesh.triangle_neighbours().row(t)) {
        if (next == kNone || !wanted[std::size_t(next)] || out[std::size_t(next)] != kNone) continue;
        out[std::size_t(next)] = patch;
        waiting.push_back(next);
      }
    }
  }
  return out;
}

}  // namespace pucker
