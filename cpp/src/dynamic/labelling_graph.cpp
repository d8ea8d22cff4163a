// The problem of labels on a graph, and its optimum by one cut.
#include "labelling_graph.h"

#include <maxflow.h>

#include <algorithm>
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

/// Nearest whole number, ties to even, of an x in [0, 2⁵¹]: std::rint without the call it is on older processors.
double round_whole(double x) { return (x + 0x1p52) - 0x1p52; }

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

double lowest_cost(const ConstArray3& costs, Eigen::Index i) {
  return std::min({costs(i, kCompress), costs(i, kRest), costs(i, kStretch)});
}

/// The most by which the costs of an active site differ. Throws InvalidArgument for a cost that is not finite.
double largest_spread(const ConstArray3& costs, Mask active) {
  double largest = 0;
  bool usable = true;
  for (Eigen::Index i = 0; i < costs.rows(); ++i) {
    if (!active[std::size_t(i)]) continue;
    const double highest = std::max({costs(i, kCompress), costs(i, kRest), costs(i, kStretch)});
    const double spread = highest - lowest_cost(costs, i);
    largest = std::max(largest, spread);
    // x − x is 0 for a finite x and NaN for any other, and NaN equals nothing: a test without branches.
    usable &= costs(i, kCompress) - costs(i, kCompress) == 0 && costs(i, kRest) - costs(i, kRest) == 0 &&
              costs(i, kStretch) - costs(i, kStretch) == 0 && spread - spread == 0;
  }
  if (!usable) refuse_costs(costs, active);
  return largest;
}

/// The optimum by one cut. Site i has nodes 2i and 2i+1: C when both are on the sink's side, R when only 2i is on the
/// source's, S when both are; an infinite arc rules out the fourth case. A label step between neighbours cuts one arc.
///
/// From one problem to the next only the data costs change, so the flow and the search trees of the last one are kept
/// as far as they fit (Kohli and Torr 2005). Flows being exact, this changes the time and nothing else.
class CutSolver final : public Solver {
 public:
  explicit CutSolver(const Problem& problem)
      : graph_(2 * int(problem.size()), int(problem.size() + 2 * problem.pairs.size()), stop) {
    if (problem.size() == 0) return;
    graph_.add_node(2 * int(problem.size()));
    for (int i = 0; i < int(problem.size()); ++i) graph_.add_edge(2 * i, 2 * i + 1, 0, 0);
    for (const Pair& pair : problem.pairs)
      for (int layer = 0; layer < 2; ++layer) graph_.add_edge(2 * pair.first + layer, 2 * pair.second + layer, 0, 0);
  }

  void solve(const Problem& problem, Labels labels) override {
    if (problem.size() == 0) return;
    const bool reuse = reusable_ > 0 && problem.unit == unit_ && problem.active == active_;
    const int left = reuse ? reusable_ - 1 : kMostReuses;
    reusable_ = 0;  // a solve that throws leaves nothing to be used again
    if (reuse)
      change_capacities(problem);
    else
      set_capacities(problem);
    graph_.maxflow(reuse);
    unit_ = problem.unit;
    active_ = problem.active;
    data_ = problem.data;
    reusable_ = left;
    // The nodes that the source still reaches are the same for every maximum flow.
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = std::int8_t(reached(2 * int(i)) + reached(2 * int(i) + 1));
  }

 private:
  /// While trees are reused the library counts its augmentations in one int, which must not overflow.
  static constexpr int kMostReuses = 1000;

  bool reached(int node) const { return graph_.what_segment(node, Graph::SINK) == Graph::SOURCE; }

  void set_capacities(const Problem& problem) {
    Graph::arc_id arc = graph_.get_first_arc();
    const auto set_arc = [&](double forward, double backward) {
      graph_.set_rcap(arc, forward);
      arc = graph_.get_next_arc(arc);
      graph_.set_rcap(arc, backward);
      arc = graph_.get_next_arc(arc);
    };
    for (int i = 0; i < int(problem.size()); ++i) {
      graph_.set_trcap(2 * i, problem.data(i, kCompress));
      graph_.set_trcap(2 * i + 1, -problem.data(i, kStretch));
      set_arc(problem.data(i, kRest), kInfiniteCapacity);
    }
    for (const Pair& pair : problem.pairs) {
      const double capacity = problem.joined(pair) ? problem.smoothness : 0;
      for (int layer = 0; layer < 2; ++layer) set_arc(capacity, capacity);
    }
  }

  void change_capacities(const Problem& problem) {
    Graph::arc_id arc = graph_.get_first_arc();
    for (int i = 0; i < int(problem.size()); ++i) {
      const Graph::arc_id forward = arc;
      const Graph::arc_id backward = graph_.get_next_arc(forward);
      arc = graph_.get_next_arc(backward);
      const double compress = problem.data(i, kCompress) - data_(i, kCompress);
      const double rest = problem.data(i, kRest) - data_(i, kRest);
      const double stretch = problem.data(i, kStretch) - data_(i, kStretch);
      // Flow for which the arc has become too narrow is taken back: the upper node then has it left over, and the
      // lower node is short of it.
      const double before = graph_.get_rcap(forward);
      const double excess = std::max(-(before + rest), 0.0);
      const double after = before + rest + excess;
      graph_.set_rcap(forward, after);
      graph_.set_rcap(backward, graph_.get_rcap(backward) - excess);
      const bool opened_or_closed = (before > 0) != (after > 0);
      change_terminal(2 * i, compress + excess, opened_or_closed);
      change_terminal(2 * i + 1, -stretch - excess, opened_or_closed);
    }
  }

  /// The trees must be mended at a node only where a residual arc appears or vanishes.
  void change_terminal(int node, double change, bool mend) {
    const double before = graph_.get_trcap(node);
    const double after = before + change;
    graph_.set_trcap(node, after);
    if (mend || (before > 0) != (after > 0) || (before < 0) != (after < 0)) graph_.mark_node(node);
  }

  Graph graph_;
  // The problem that the residual capacities belong to, and how often they may still be reused.
  int reusable_ = 0;
  double unit_ = 0;
  std::vector<std::uint8_t> active_;
  Array3 data_;
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
  const auto triangles = std::size_t(mesh.triangle_count());
  for (std::size_t i = 0; i < active.size(); ++i)
    active[i] = !mesh.degenerate(std::int32_t(i % triangles)) && (inert.empty() || !inert[i]);
}

void set_costs(Problem& problem, const ConstArray3& costs, double smoothness, ConstLabels previous) {
  const double largest = std::max(4 * smoothness,  // three neighbours and the previous frame
                                  largest_spread(costs, problem.active));
  problem.unit = capacity_unit(largest);
  const double per_unit = 1 / problem.unit;  // exact: a power of two
  problem.smoothness = round_whole(smoothness * per_unit);
  for (Eigen::Index i = 0; i < costs.rows(); ++i) {
    if (!problem.active[std::size_t(i)]) {
      problem.data.row(i).setZero();
      continue;
    }
    const double lowest = lowest_cost(costs, i);
    const std::int8_t before = previous.empty() ? std::int8_t(kNone) : previous[std::size_t(i)];
    const double tie = before == kNone ? 0 : problem.smoothness;
    for (const int label : kLabels)
      problem.data(i, label) = round_whole((costs(i, label) - lowest) * per_unit) + tie * std::abs(label - before);
  }
}

void put_inactive_to_rest(const Problem& problem, Labels labels) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!problem.active[i]) labels[i] = kRest;
}

std::unique_ptr<Solver> make_cut_solver(const Problem& problem) { return std::make_unique<CutSolver>(problem); }

}  // namespace pucker::labelling
