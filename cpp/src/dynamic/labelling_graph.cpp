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
    const double spread = std::max(std::max(row[kCompress], row[kRest]), row[kStretch]) - lowest(row);
    largest = std::max(largest, spread);
    // x − x is 0 for a finite x and NaN for any other, and NaN equals nothing: a test without branches.
    usable &= row[kCompress] - row[kCompress] == 0 && row[kRest] - row[kRest] == 0 &&
              row[kStretch] - row[kStretch] == 0 && spread - spread == 0;
  }
  if (!usable) refuse_costs(costs, active);
  return largest;
}

/// The optimum, by one cut of the sites that nothing simpler decides.
///
/// A label that is cheaper than each other one by more than all neighbours together can add is that of every optimum.
/// What such a site adds to the costs of its neighbours is then known, which may decide these. Of the others, those
/// that hang together as trees, or hang from the rest as trees do, are folded from their leaves. What is left is nodes
/// of a graph: site i has nodes 2i and 2i+1: C when both are on the sink's side, R when only 2i is on the source's, S
/// when both are. Between 2i and the sink lies what R costs more than C, between 2i+1 and the sink what S costs more
/// than R (less: between the node and the source). An infinite arc rules out the fourth case; where the second is no
/// less than the first it needs no ruling out, as exchanging both nodes of all such sites costs no more, and the lowest
/// optimum would be lower so. A label step between neighbours cuts one arc.
///
/// Of several optima it is the one of the lowest labels: costs are whole numbers, so that sums of them are exact.
class CutSolver final : public Solver {
 public:
  CutSolver(std::size_t sites, std::span<const Pair> pairs)
      : graph_(0, 0, stop), first_neighbour_(sites + 1), neighbours_(2 * pairs.size()) {
    for (const Pair& pair : pairs)
      for (const std::int32_t site : {pair.first, pair.second}) ++first_neighbour_[std::size_t(site) + 1];
    for (std::size_t i = 0; i < sites; ++i) first_neighbour_[i + 1] += first_neighbour_[i];
    std::vector<std::int32_t> next(first_neighbour_.begin(), first_neighbour_.end());
    for (const Pair& pair : pairs) {
      neighbours_[std::size_t(next[std::size_t(pair.first)]++)] = pair.second;
      neighbours_[std::size_t(next[std::size_t(pair.second)]++)] = pair.first;
    }
    open_of_.resize(sites);
  }

  void solve(const Problem& problem, Labels labels) override {
    find_open(problem, labels);
    join_known(problem, labels);
    decide(problem, labels);
    fold(problem, labels);
    cut(problem, labels);
    unfold(problem, labels);
  }

 private:
  /// A site whose label is not known yet.
  struct Open {
    Costs costs;
    std::int32_t site;
    std::int8_t neighbours;  ///< that may add to the costs yet
    std::int8_t parent;      ///< which of its neighbours it was folded into, or kNone

    /// Adds the cost of a neighbour's label, or nothing for kOpen and kApart. As good as random, hence no branch.
    void join(std::int8_t label, double smoothness) {
      const Costs& steps = steps_from(label);
      for (std::size_t own = 0; own < costs.size(); ++own) costs[own] += smoothness * steps[own];
    }
  };

  /// In place of a label while it is solved.
  static constexpr std::int8_t kOpen = -1;
  static constexpr std::int8_t kApart = -2;  ///< inactive, or folded

  /// The label that no change of the neighbours' labels can make dearer than another one, or kOpen; a neighbour's step
  /// of one label changes costs by a part of `reach`, which is that of all together.
  static std::int8_t sure_label(const Costs& costs, double reach) {
    // Without a branch, which no processor could predict: at most one of the three is true.
    const double from_compress = costs[kRest] - costs[kCompress];
    const double from_stretch = costs[kRest] - costs[kStretch];
    const int compress = (from_compress > reach) & (from_compress - from_stretch > 2 * reach);
    const int rest = (-from_compress > reach) & (-from_stretch > reach);
    const int stretch = (from_stretch > reach) & (from_stretch - from_compress > 2 * reach);
    static_assert(kOpen == -1 && kCompress == 0 && kRest == 1 && kStretch == 2);
    return std::int8_t(compress + 2 * rest + 3 * stretch - 1);
  }

  std::span<const std::int32_t> neighbours(std::int32_t site) const {
    const auto first = std::size_t(first_neighbour_[std::size_t(site)]);
    return {neighbours_.data() + first, std::size_t(first_neighbour_[std::size_t(site) + 1]) - first};
  }

  /// Labels the sites that decide by themselves; the others become `open_`.
  void find_open(const Problem& problem, Labels labels) {
    constexpr std::size_t block = 64;  // there is room for all of one, so that none of them asks
    std::size_t count = 0;
    for (std::size_t start = 0; start < labels.size(); start += block) {
      if (open_.size() < count + block) open_.resize(std::max(count + block, 2 * count));
      for (std::size_t i = start; i < std::min(start + block, labels.size()); ++i) {
        labels[i] = kApart;
        if (!problem.active[i]) continue;
        const Costs costs = problem.costs(i);
        const auto site = std::int32_t(i);
        labels[i] = sure_label(costs, problem.smoothness * double(neighbours(site).size()));
        // Number by number: what is put together first would go through memory.
        Open& open = open_[count];
        open.costs = costs;
        open.site = site;
        open_of_[i] = std::int32_t(count);
        count += std::size_t(labels[i] == kOpen);
      }
    }
    open_.resize(count);
  }

  /// Adds what labels known by now cost their open neighbours, and labels those that this decides: they are `decided_`.
  void join_known(const Problem& problem, Labels labels) {
    decided_.clear();
    for (std::size_t k = 0; k < open_.size(); ++k) {
      Open& open = open_[k];
      int open_neighbours = 0;
      for (const std::int32_t other : neighbours(open.site)) {
        open.join(labels[std::size_t(other)], problem.smoothness);
        open_neighbours += labels[std::size_t(other)] == kOpen;
      }
      open.neighbours = std::int8_t(open_neighbours);
      label_if_sure(problem, std::int32_t(k), labels);
    }
  }

  void label_if_sure(const Problem& problem, std::int32_t k, Labels labels) {
    Open& open = open_[std::size_t(k)];
    std::int8_t& label = labels[std::size_t(open.site)];
    label = sure_label(open.costs, problem.smoothness * open.neighbours);
    if (label == kOpen) return;
    decided_.push_back(k);
  }

  /// Labels the sites that `decided_` decide, and what these decide in turn.
  void decide(const Problem& problem, Labels labels) {
    const std::size_t joined = decided_.size();  // by all sites after them
    for (std::size_t next = 0; next < decided_.size(); ++next) {
      const std::int32_t site = open_[std::size_t(decided_[next])].site;
      for (const std::int32_t other : neighbours(site)) {
        if (labels[std::size_t(other)] != kOpen || (next < joined && other > site)) continue;
        const std::int32_t k = open_of_[std::size_t(other)];
        open_[std::size_t(k)].join(labels[std::size_t(site)], problem.smoothness);
        --open_[std::size_t(k)].neighbours;
        label_if_sure(problem, k, labels);
      }
    }
  }

  /// Takes out the open sites that have at most one open neighbour, one after the other: what such a site costs at best
  /// for each label of the neighbour is added to it (dynamic programming, which leaves nothing of a tree).
  void fold(const Problem& problem, Labels labels) {
    folded_.clear();
    for (std::size_t start = 0; start < open_.size(); ++start) {
      std::size_t k = start;
      while (labels[std::size_t(open_[k].site)] == kOpen && open_[k].neighbours <= 1) {
        Open& leaf = folded_.emplace_back(open_[k]);
        labels[std::size_t(leaf.site)] = kApart;
        const auto around = neighbours(leaf.site);
        const auto parent = std::find_if(around.begin(), around.end(),
                                         [&](std::int32_t other) { return labels[std::size_t(other)] == kOpen; });
        leaf.parent = parent == around.end() ? std::int8_t(kNone) : std::int8_t(parent - around.begin());
        if (leaf.parent == kNone) break;
        k = std::size_t(open_of_[std::size_t(*parent)]);
        const Costs least = least_costs(leaf.costs, problem.smoothness);
        for (std::size_t label = 0; label < least.size(); ++label) open_[k].costs[label] += least[label];
        --open_[k].neighbours;
      }
    }
  }

  /// For each label of a neighbour, what a site and the step to it cost at best, beyond the least of the three.
  static Costs least_costs(const Costs& costs, double smoothness) {
    Costs out = costs;
    out[kRest] = std::min({out[kRest], out[kCompress] + smoothness, out[kStretch] + smoothness});
    out[kCompress] = std::min(out[kCompress], out[kRest] + smoothness);
    out[kStretch] = std::min(out[kStretch], out[kRest] + smoothness);
    const double least = lowest(out.data());
    for (double& cost : out) cost -= least;
    return out;
  }

  /// Labels what fold() took out.
  void unfold(const Problem& problem, Labels labels) {
    for (; !folded_.empty(); folded_.pop_back()) {
      Open& leaf = folded_.back();
      if (leaf.parent != kNone)
        leaf.join(labels[std::size_t(neighbours(leaf.site)[std::size_t(leaf.parent)])], problem.smoothness);
      // The lowest label of the cheapest.
      labels[std::size_t(leaf.site)] =
          std::int8_t(std::min_element(leaf.costs.begin(), leaf.costs.end()) - leaf.costs.begin());
    }
  }

  /// Labels the sites that are still open.
  void cut(const Problem& problem, Labels labels) {
    std::erase_if(open_, [&](const Open& open) { return labels[std::size_t(open.site)] != kOpen; });
    if (open_.empty()) return;
    graph_.reset();
    graph_.add_node(2 * int(open_.size()));
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const Open& open = open_[k];
      const int node = 2 * int(k);
      open_of_[std::size_t(open.site)] = std::int32_t(k);
      const double to_rest = open.costs[kRest] - open.costs[kCompress];
      const double to_stretch = open.costs[kStretch] - open.costs[kRest];
      graph_.add_tweights(node, std::max(-to_rest, 0.0), std::max(to_rest, 0.0));
      graph_.add_tweights(node + 1, std::max(-to_stretch, 0.0), std::max(to_stretch, 0.0));
      if (to_rest > to_stretch) graph_.add_edge(node, node + 1, 0, kInfiniteCapacity);
      for (const std::int32_t other : neighbours(open.site)) {
        if (other >= open.site || labels[std::size_t(other)] != kOpen) continue;
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
  std::vector<std::int32_t> open_of_;  ///< per site: its place in `open_`, if it is open
  std::vector<std::int32_t> decided_;  ///< places in `open_`
  std::vector<Open> folded_;
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

std::unique_ptr<Solver> make_cut_solver(std::size_t sites, std::span<const Pair> pairs) {
  return std::make_unique<CutSolver>(sites, pairs);
}

}  // namespace pucker::labelling
