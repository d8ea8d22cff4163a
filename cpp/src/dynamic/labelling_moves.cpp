// The moves of Boykov, Veksler and Zabih (2001): each the best change of many labels at once, by one cut.
#include <maxflow.h>

#include <algorithm>
#include <array>
#include <utility>

#include "labelling_graph.h"

namespace pucker::labelling {

namespace {

using Graph = maxflow::Graph<double, double, double>;

/// Expansions and swaps: one node a site, each move one cut between keeping a label and changing it.
class MoveSolver final : public Solver {
 public:
  MoveSolver(std::size_t sites, std::vector<Pair> pairs, LabelSolver kind)
      : kind_(kind),
        pairs_(std::move(pairs)),
        graph_(int(sites), int(pairs_.size()), stop),
        data_(sites),
        candidate_(sites) {
    if (sites == 0) return;
    graph_.add_node(int(sites));
    for (const Pair& pair : pairs_) graph_.add_edge(pair.first, pair.second, 0, 0);
  }

  void solve(const Problem& problem, Labels labels) override {
    if (problem.size() == 0) return;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      data_[i] = problem.active[i] ? problem.costs(i) : Costs{};
      labels[i] = std::int8_t(std::ranges::min_element(data_[i]) - data_[i].begin());
    }
    double energy = energy_of(problem, labels);
    for (bool improved = true; improved;) {
      improved = false;
      for (const Move& move : kind_ == LabelSolver::expansion ? kExpansions : kSwaps) {
        try_move(problem, labels, move);
        const double changed = energy_of(problem, candidate_);
        if (changed >= energy) continue;
        energy = changed;
        improved = true;
        std::copy(candidate_.begin(), candidate_.end(), labels.begin());
      }
    }
  }

 private:
  /// Any label to `to`, or `from` and `to` into each other.
  struct Move {
    std::int8_t from;
    std::int8_t to;
  };
  static constexpr std::array<Move, 3> kExpansions = {{{kNone, kCompress}, {kNone, kRest}, {kNone, kStretch}}};
  static constexpr std::array<Move, 3> kSwaps = {{{kCompress, kRest}, {kCompress, kStretch}, {kRest, kStretch}}};

  /// What a site's label is on the source's side of the cut, and on the sink's.
  struct Choice {
    std::int8_t source;
    std::int8_t sink;
  };
  static Choice choice(const Move& move, std::int8_t label) {
    if (move.from == kNone) return {label, move.to};
    if (label == move.from || label == move.to) return {move.from, move.to};
    return {label, label};
  }

  double energy_of(const Problem& problem, ConstLabels labels) const {
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) sum += data_[i][std::size_t(labels[i])];
    for (const Pair& pair : pairs_)
      if (problem.joined(pair))
        sum += problem.smoothness * std::abs(labels[std::size_t(pair.first)] - labels[std::size_t(pair.second)]);
    return sum;
  }

  /// Puts the best labels that the move reaches into candidate_.
  void try_move(const Problem& problem, ConstLabels labels, const Move& move) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Choice site = choice(move, labels[i]);
      graph_.set_trcap(int(i), data_[i][std::size_t(site.sink)] - data_[i][std::size_t(site.source)]);
    }
    Graph::arc_id arc = graph_.get_first_arc();
    for (const Pair& pair : pairs_) {
      // The pair's cost as a constant, one term a site and one arc (Kolmogorov and Zabih 2004).
      const Choice p = choice(move, labels[std::size_t(pair.first)]);
      const Choice q = choice(move, labels[std::size_t(pair.second)]);
      const double step = problem.joined(pair) ? problem.smoothness : 0;
      const double neither = step * std::abs(p.source - q.source);
      const double second = step * std::abs(p.source - q.sink);
      const double first = step * std::abs(p.sink - q.source);
      const double both = step * std::abs(p.sink - q.sink);
      graph_.set_trcap(pair.first, graph_.get_trcap(pair.first) + first - neither);
      graph_.set_trcap(pair.second, graph_.get_trcap(pair.second) + both - first);
      graph_.set_rcap(arc, first + second - neither - both);
      arc = graph_.get_next_arc(arc);
      graph_.set_rcap(arc, 0);
      arc = graph_.get_next_arc(arc);
    }
    graph_.maxflow();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Choice site = choice(move, labels[i]);
      candidate_[i] = graph_.what_segment(int(i), Graph::SOURCE) == Graph::SOURCE ? site.source : site.sink;
    }
  }

  LabelSolver kind_;
  std::vector<Pair> pairs_;
  Graph graph_;
  std::vector<Costs> data_;  ///< of each site
  std::vector<std::int8_t> candidate_;
};

}  // namespace

std::unique_ptr<Solver> make_move_solver(std::size_t sites, std::vector<Pair> pairs, LabelSolver kind) {
  return std::make_unique<MoveSolver>(sites, std::move(pairs), kind);
}

}  // namespace pucker::labelling
