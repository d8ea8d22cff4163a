// The problem of labels on a graph, and its optimum by one cut.
#include "labelling_graph.h"

#include <maxflow.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pucker/errors.h"

namespace pucker::labelling {

namespace {

using Graph = maxflow::Graph<double, double, double>;

/// The unit in which capacities are whole numbers below 2⁴⁹. A residual capacity is a sum of few of them and stays
/// below 2⁵³, so that every flow is exact.
double capacity_unit(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::max(exponent, 9) - 49);
}

constexpr double kInfiniteCapacity = 0x1p51;

/// Throws the first reason why the costs of an active site cannot be used.
[[noreturn]] void refuse_costs(const ConstArray3& costs, Mask active) {
  for (Eigen::Index i = 0; i < costs.rows(); ++i) {
    if (!active[std::size_t(i)]) continue;
    for (const int label : kLabels)
      require(std::isfinite(costs(i, label)), "costs must be finite, but costs[", i, ", ", label, "] is ",
              costs(i, label));
    const double spread = costs.row(i).maxCoeff() - costs.row(i).minCoeff();
    require(std::isfinite(spread), "the costs of one triangle must differ by a finite number, but those of triangle ",
            i, " differ by ", spread);
  }
  refuse("costs must be finite");
}

/// The most by which the costs of an active site differ. Throws InvalidArgument for a cost that is not finite.
double largest_spread(const ConstArray3& costs, Mask active) {
  double largest = 0;
  bool usable = true;
  const double* row = costs.data();
  for (std::size_t i = 0; i < active.size(); ++i, row += costs.outerStride()) {
    if (!active[i]) continue;
    const double spread = std::max(std::max(row[kCompress], row[kRest]), row[kStretch]) -
                          std::min(std::min(row[kCompress], row[kRest]), row[kStretch]);
    largest = std::max(largest, spread);
    // x − x is 0 for a finite x and NaN for any other, and NaN equals nothing: a test without branches.
    usable &= row[kCompress] - row[kCompress] == 0 && row[kRest] - row[kRest] == 0 &&
              row[kStretch] - row[kStretch] == 0 && spread - spread == 0;
  }
  if (!usable) refuse_costs(costs, active);
  return largest;
}

/// The optimum, by one cut of the sites that do not decide by themselves.
///
/// A label that is cheaper than each other one by more than all neighbours together can add is that of every optimum.
/// What such a site adds to the costs of its neighbours is then known, which may decide these. The others are nodes of
/// a graph: site i has nodes 2i and 2i+1: C when both are on the sink's side, R when only 2i is on the source's, S when
/// both are; an infinite arc rules out the fourth case. A label step between neighbours cuts one arc. Of several optima
/// the cut gives the one of the lowest labels, as a cut of the whole would: costs are whole numbers, so that sums of
/// them are exact.
class CutSolver final : public Solver {
 public:
  explicit CutSolver(const Problem& problem)
      : graph_(0, 0, stop), first_neighbour_(problem.size() + 1), neighbours_(2 * problem.pairs.size()) {
    for (const Pair& pair : problem.pairs)
      for (const std::int32_t site : {pair.first, pair.second}) ++first_neighbour_[std::size_t(site) + 1];
    for (std::size_t i = 0; i < problem.size(); ++i) first_neighbour_[i + 1] += first_neighbour_[i];
    std::vector<std::int32_t> next(first_neighbour_.begin(), first_neighbour_.end());
    for (const Pair& pair : problem.pairs) {
      neighbours_[std::size_t(next[std::size_t(pair.first)]++)] = pair.second;
      neighbours_[std::size_t(next[std::size_t(pair.second)]++)] = pair.first;
    }
    open_of_.resize(problem.size());
  }

  void solve(const Problem& problem, Labels labels) override {
    open_.clear();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      open_of_[i] = kNone;
      labels[i] = kRest;
      if (!problem.active[i]) continue;
      const Costs costs = problem.costs(i);
      const int sure = sure_label(costs, problem.smoothness * double(neighbours(std::int32_t(i)).size()));
      if (sure != kNone) {
        labels[i] = std::int8_t(sure);
      } else {
        open_of_[i] = std::int32_t(open_.size());
        open_.push_back({std::int32_t(i), 0, costs});
      }
    }
    if (open_.empty()) return;
    for (Open& open : open_)
      for (const std::int32_t other : neighbours(open.site)) {
        if (!problem.active[std::size_t(other)]) continue;
        if (open_of_[std::size_t(other)] == kNone) {
          open.join(labels[std::size_t(other)], problem.smoothness);
        } else {
          ++open.neighbours;
        }
      }
    for (std::size_t k = 0; k < open_.size(); ++k) decide(problem, labels, std::int32_t(k));
    cut(problem, labels);
  }

 private:
  /// A site whose label is not known yet.
  struct Open {
    std::int32_t site;
    std::int32_t neighbours;  ///< that are open as well
    Costs costs;
    /// Adds the cost of a neighbour's label.
    void join(std::int8_t label, double smoothness) {
      for (const int own : kLabels) costs[std::size_t(own)] += smoothness * std::abs(own - label);
    }
  };

  /// The label that no change of the neighbours' labels can make dearer than another one, or kNone; a neighbour's step
  /// of one label changes costs by a part of `reach`, which is that of all together.
  static int sure_label(const Costs& costs, double reach) {
    const double rest = costs[kRest];
    if (costs[kCompress] - rest > reach && costs[kStretch] - rest > reach) return kRest;
    if (rest - costs[kCompress] > reach && costs[kStretch] - costs[kCompress] > 2 * reach) return kCompress;
    if (rest - costs[kStretch] > reach && costs[kCompress] - costs[kStretch] > 2 * reach) return kStretch;
    return kNone;
  }

  std::span<const std::int32_t> neighbours(std::int32_t site) const {
    const auto first = std::size_t(first_neighbour_[std::size_t(site)]);
    return {neighbours_.data() + first, std::size_t(first_neighbour_[std::size_t(site) + 1]) - first};
  }

  /// Decides open site `k` if it can be, and then what follows from it.
  void decide(const Problem& problem, Labels labels, std::int32_t k) {
    waiting_.assign(1, k);
    while (!waiting_.empty()) {
      Open& open = open_[std::size_t(waiting_.back())];
      waiting_.pop_back();
      std::int32_t& place = open_of_[std::size_t(open.site)];
      if (place == kNone) continue;
      const int sure = sure_label(open.costs, problem.smoothness * open.neighbours);
      if (sure == kNone) continue;
      place = kNone;
      labels[std::size_t(open.site)] = std::int8_t(sure);
      for (const std::int32_t other : neighbours(open.site)) {
        const std::int32_t at = open_of_[std::size_t(other)];
        if (at == kNone) continue;
        open_[std::size_t(at)].join(std::int8_t(sure), problem.smoothness);
        --open_[std::size_t(at)].neighbours;
        waiting_.push_back(at);
      }
    }
  }

  /// Labels the sites that are still open.
  void cut(const Problem& problem, Labels labels) {
    std::erase_if(open_, [&](const Open& open) { return open_of_[std::size_t(open.site)] == kNone; });
    if (open_.empty()) return;
    graph_.reset();
    graph_.add_node(2 * int(open_.size()));
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const Open& open = open_[k];
      const int node = 2 * int(k);
      open_of_[std::size_t(open.site)] = std::int32_t(k);
      graph_.add_tweights(node, open.costs[kCompress], 0);
      graph_.add_tweights(node + 1, 0, open.costs[kStretch]);
      graph_.add_edge(node, node + 1, open.costs[kRest], kInfiniteCapacity);
      for (const std::int32_t other : neighbours(open.site)) {
        if (other >= open.site || open_of_[std::size_t(other)] == kNone) continue;
        const int neighbour = 2 * open_of_[std::size_t(other)];
        for (int layer = 0; layer < 2; ++layer)
          graph_.add_edge(neighbour + layer, node + layer, problem.smoothness, problem.smoothness);
      }
    }
    graph_.maxflow();
    // The nodes that the source still reaches are the same for every maximum flow.
    const auto reached = [&](int node) { return graph_.what_segment(node, Graph::SINK) == Graph::SOURCE; };
    for (std::size_t k = 0; k < open_.size(); ++k)
      labels[std::size_t(open_[k].site)] = std::int8_t(reached(2 * int(k)) + reached(2 * int(k) + 1));
  }

  Graph graph_;
  std::vector<std::int32_t> first_neighbour_;  ///< of each site, in `neighbours_`
  std::vector<std::int32_t> neighbours_;
  std::vector<Open> open_;
  std::vector<std::int32_t> open_of_;  ///< per site: its place in `open_`, or kNone
  std::vector<std::int32_t> waiting_;
};

}  // namespace

void stop(const char* text) { throw Error(message("label graph: ", text)); }

void require_sites(std::size_t sites) {
  // The graph library counts arcs in int.
  constexpr std::size_t most = std::size_t(1) << 27;
  require(sites <= most, "at most ", most, " triangles times frames can be labelled at once, got ", sites);
}

std::vector<Pair> site_pairs(const Mesh& mesh, std::int32_t frames) {
  const auto triangles = std::int32_t(mesh.triangle_count());
  std::vector<Pair> pairs;
  for (std::int32_t frame = 0; frame < frames; ++frame) {
    const std::int32_t start = frame * triangles;
    for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
      const auto [first, second] = mesh.edge_triangles(e);
      if (second != kNone) pairs.push_back({start + first, start + second});
    }
    for (std::int32_t t = 0; frame > 0 && t < triangles; ++t) pairs.push_back({start + t - triangles, start + t});
  }
  return pairs;
}

void set_active(const Mesh& mesh, Mask inert, std::vector<std::uint8_t>& active) {
  const std::int32_t triangles = std::int32_t(mesh.triangle_count());
  for (std::size_t i = 0; i < active.size();)
    for (std::int32_t t = 0; t < triangles; ++t, ++i) active[i] = !mesh.degenerate(t) && (inert.empty() || !inert[i]);
}

void Problem::set_costs(const ConstArray3& costs, double smoothness_of_labels, ConstLabels before) {
  const double largest = std::max(4 * smoothness_of_labels,  // three neighbours and the previous frame
                                  largest_spread(costs, active));
  per_unit_ = 1 / capacity_unit(largest);  // exact: a power of two
  smoothness = round_whole(smoothness_of_labels * per_unit_);
  rows_ = costs.data();
  stride_ = costs.outerStride();
  previous_ = before;
}

void put_inactive_to_rest(const Problem& problem, Labels labels) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!problem.active[i]) labels[i] = kRest;
}

std::unique_ptr<Solver> make_cut_solver(const Problem& problem) { return std::make_unique<CutSolver>(problem); }

}  // namespace pucker::labelling
