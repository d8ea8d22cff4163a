#include "pucker/dynamic/labelling.h"

#include <maxflow.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "pucker/errors.h"

namespace pucker {

namespace {

using Graph = maxflow::Graph<double, double, double>;
using Labels = std::span<std::int8_t>;
using ConstLabels = std::span<const std::int8_t>;
using Mask = std::span<const std::uint8_t>;

constexpr std::array<std::int8_t, 3> kLabels = {kCompress, kRest, kStretch};

double squared(double x) { return x * x; }

double rest_cost(double a, double b, const LabelParams& params) {
  const double norm =
      params.norm == Norm::one ? squared(std::abs(a - 1) + std::abs(b - 1)) : squared(a - 1) + squared(b - 1);
  return 1 - std::exp(-norm / (2 * squared(params.sigma)));
}

/// c(a, b) of equation 4.5.
double deformation_cost(double a, double b, const Params& params) {
  const double fall = params.label.alpha * (a - 1);  // H = exp(−fall)
  if (a <= b) return (params.verbatim ? b / a : a / b) * std::expm1(-fall) + 1;
  const double spread = squared(a - b) / (4 * squared(params.label.sigma));
  const double floor = params.label.beta * a;  // h = exp(−floor)
  // Below the last bit of the other term, h need not be computed: the usual case.
  constexpr double negligible = 40;  // exp(−40) < 2⁻⁵³
  const double peak = std::exp(-fall - spread);
  return floor - (fall + spread) > negligible ? peak : peak - std::exp(-floor) * std::expm1(-spread);
}

void require_length(const char* name, std::size_t length, std::size_t expected) {
  require(length == expected, name, " must have length ", expected, ", got ", length);
}

void require_mask(Mask inert, std::size_t sites) {
  if (!inert.empty()) require_length("inert", inert.size(), sites);
}

void require_labels(const char* name, ConstLabels labels, int lowest) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    require(labels[i] >= lowest && labels[i] <= kStretch, name, " must lie in ", lowest, "…2, but ", name, "[", i,
            "] is ", int(labels[i]));
}

/// Two sites (a triangle in a frame) whose labels should agree.
struct Pair {
  std::int32_t first;
  std::int32_t second;
};

/// The energy to be minimised. Costs are whole numbers, in multiples of `unit`, held as floating point.
struct Problem {
  std::vector<Pair> pairs;
  std::vector<std::uint8_t> active;
  Array3 data;  // ≥ 0; inactive sites: 0
  double unit = 0;
  double smoothness = 0;

  explicit Problem(std::size_t sites) : active(sites, 0), data(Array3::Zero(Eigen::Index(sites), 3)) {}

  std::size_t size() const { return active.size(); }
  bool joined(const Pair& pair) const { return active[std::size_t(pair.first)] && active[std::size_t(pair.second)]; }
  double energy(ConstLabels labels) const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += data(Eigen::Index(i), labels[i]);
    for (const Pair& pair : pairs)
      if (joined(pair))
        sum += smoothness * std::abs(labels[std::size_t(pair.first)] - labels[std::size_t(pair.second)]);
    return sum;
  }
};

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
    // One that is not finite makes the difference to itself not a number, which equals nothing.
    usable &= costs(i, kCompress) - costs(i, kCompress) == 0 && costs(i, kRest) - costs(i, kRest) == 0 &&
              costs(i, kStretch) - costs(i, kStretch) == 0 && spread - spread == 0;
  }
  if (!usable) refuse_costs(costs, active);
  return largest;
}

/// Fills in everything but the pairs. `previous` is empty or has a label or kNone for each site. Throws InvalidArgument
/// for a cost that is not finite; nothing has changed then.
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

/// The graph library would end the process otherwise.
[[noreturn]] void stop(const char* text) { throw Error(message("label graph: ", text)); }

class Solver {
 public:
  virtual ~Solver() = default;
  /// The pairs of `problem` are those the solver was made with. Inactive sites get some label.
  virtual void solve(const Problem& problem, Labels labels) = 0;
};

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
    reusable_ = reuse ? reusable_ - 1 : kMostReuses;
    if (reuse)
      change_capacities(problem);
    else
      set_capacities(problem);
    graph_.maxflow(reuse);
    unit_ = problem.unit;
    active_ = problem.active;
    data_ = problem.data;
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

/// Expansions and swaps: one node a site, each move one cut between keeping a label and changing it.
class MoveSolver final : public Solver {
 public:
  MoveSolver(const Problem& problem, LabelSolver kind)
      : kind_(kind), graph_(int(problem.size()), int(problem.pairs.size()), stop), candidate_(problem.size()) {
    if (problem.size() == 0) return;
    graph_.add_node(int(problem.size()));
    for (const Pair& pair : problem.pairs) graph_.add_edge(pair.first, pair.second, 0, 0);
  }

  void solve(const Problem& problem, Labels labels) override {
    if (problem.size() == 0) return;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      Eigen::Index cheapest = 0;
      problem.data.row(Eigen::Index(i)).minCoeff(&cheapest);
      labels[i] = std::int8_t(cheapest);
    }
    double energy = problem.energy(labels);
    for (bool improved = true; improved;) {
      improved = false;
      for (const Move& move : kind_ == LabelSolver::expansion ? kExpansions : kSwaps) {
        try_move(problem, labels, move);
        const double changed = problem.energy(candidate_);
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

  /// Puts the best labels that the move reaches into candidate_.
  void try_move(const Problem& problem, ConstLabels labels, const Move& move) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Choice site = choice(move, labels[i]);
      graph_.set_trcap(int(i), problem.data(Eigen::Index(i), site.sink) - problem.data(Eigen::Index(i), site.source));
    }
    Graph::arc_id arc = graph_.get_first_arc();
    for (const Pair& pair : problem.pairs) {
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
  Graph graph_;
  std::vector<std::int8_t> candidate_;
};

/// The graph library counts arcs in int.
void require_sites(std::size_t sites) {
  constexpr std::size_t most = std::size_t(1) << 27;
  require(sites <= most, "at most ", most, " triangles times frames can be labelled at once, got ", sites);
}

std::unique_ptr<Solver> make_solver(LabelSolver kind, const Problem& problem) {
  if (kind == LabelSolver::exact) return std::make_unique<CutSolver>(problem);
  return std::make_unique<MoveSolver>(problem, kind);
}

/// Pairs of triangles across edges in each frame and, `frames` > 1, of each triangle with itself a frame later.
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

/// `active`: one entry a site, the sites of a frame being the triangles.
void set_active(const Mesh& mesh, Mask inert, std::vector<std::uint8_t>& active) {
  const auto triangles = std::size_t(mesh.triangle_count());
  for (std::size_t i = 0; i < active.size(); ++i)
    active[i] = !mesh.collapsed(std::int32_t(i % triangles)) && (inert.empty() || !inert[i]);
}

void put_inactive_to_rest(const Problem& problem, Labels labels) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!problem.active[i]) labels[i] = kRest;
}

void require_rows(const ConstArray3& costs, std::int64_t triangles) {
  require(costs.rows() == triangles, "costs must have shape (", triangles, ", 3), got (", costs.rows(), ", 3)");
}

}  // namespace

void label_costs(std::span<const double> minimum, std::span<const double> maximum, const Params& params, Array3& out,
                 Mask inert) {
  require_length("maximum", maximum.size(), minimum.size());
  require_mask(inert, minimum.size());
  out.resize(Eigen::Index(minimum.size()), 3);
  for (std::size_t t = 0; t < minimum.size(); ++t) {
    if (!inert.empty() && inert[t]) {
      out.row(Eigen::Index(t)).setZero();
      continue;
    }
    require(std::isfinite(minimum[t]) && minimum[t] > 0, "stretches must be finite and positive, but minimum[", t,
            "] is ", minimum[t]);
    require(std::isfinite(maximum[t]) && maximum[t] > 0, "stretches must be finite and positive, but maximum[", t,
            "] is ", maximum[t]);
    const double compression = 1 / minimum[t];
    out.row(Eigen::Index(t)) << deformation_cost(compression, maximum[t], params),
        rest_cost(compression, maximum[t], params.label), deformation_cost(maximum[t], compression, params);
  }
}

Array3 label_costs(std::span<const double> minimum, std::span<const double> maximum, const Params& params, Mask inert) {
  Array3 out;
  label_costs(minimum, maximum, params, out, inert);
  return out;
}

struct Labeller::State {
  std::shared_ptr<const Mesh> mesh;
  LabelParams params;
  Problem problem;
  std::unique_ptr<Solver> solver;
  std::vector<std::int8_t> labels;
  std::vector<std::int8_t> previous;

  State(std::shared_ptr<const Mesh> topology, const LabelParams& numbers)
      : mesh(std::move(topology)),
        params(numbers),
        problem(std::size_t(mesh->triangle_count())),
        labels(problem.size(), kRest),
        previous(problem.size(), kNone) {
    problem.pairs = site_pairs(*mesh, 1);
    solver = make_solver(params.solver, problem);
  }
};

Labeller::Labeller(std::shared_ptr<const Mesh> mesh, const LabelParams& params) {
  require(mesh != nullptr, "a labeller needs a mesh");
  require_sites(std::size_t(mesh->triangle_count()));
  require(std::isfinite(4 * params.smoothness) && params.smoothness >= 0, "smoothness must be finite and >= 0, got ",
          params.smoothness);
  state_ = std::make_unique<State>(std::move(mesh), params);
}

Labeller::~Labeller() = default;
Labeller::Labeller(Labeller&&) noexcept = default;
Labeller& Labeller::operator=(Labeller&&) noexcept = default;

std::span<const std::int8_t> Labeller::step(const ConstArray3& costs, Mask inert) {
  State& s = *state_;
  require_rows(costs, s.mesh->triangle_count());
  require_mask(inert, s.problem.size());
  set_active(*s.mesh, inert, s.problem.active);
  set_costs(s.problem, costs, s.params.smoothness, s.previous);
  s.solver->solve(s.problem, s.labels);
  put_inactive_to_rest(s.problem, s.labels);
  for (std::size_t i = 0; i < s.labels.size(); ++i)
    s.previous[i] = s.problem.active[i] ? s.labels[i] : std::int8_t(kNone);
  return s.labels;
}

std::vector<std::int8_t> Labeller::solve_clip(const ConstArray3& costs, Mask inert) const {
  const Mesh& mesh = *state_->mesh;
  const std::int64_t triangles = mesh.triangle_count();
  require(triangles == 0 ? costs.rows() == 0 : costs.rows() % triangles == 0, "costs must have a row for each of the ",
          triangles, " triangles in each frame, got ", costs.rows(), " rows");
  require_mask(inert, std::size_t(costs.rows()));
  require_sites(std::size_t(costs.rows()));
  std::vector<std::int8_t> labels(std::size_t(costs.rows()), kRest);
  if (labels.empty()) return labels;

  Problem problem(labels.size());
  set_active(mesh, inert, problem.active);
  set_costs(problem, costs, state_->params.smoothness, {});
  problem.pairs = site_pairs(mesh, std::int32_t(costs.rows() / triangles));
  make_solver(state_->params.solver, problem)->solve(problem, labels);
  put_inactive_to_rest(problem, labels);
  return labels;
}

double Labeller::energy(const ConstArray3& costs, ConstLabels labels, ConstLabels previous, Mask inert) const {
  const Mesh& mesh = *state_->mesh;
  const auto triangles = std::size_t(mesh.triangle_count());
  require_rows(costs, mesh.triangle_count());
  require_length("labels", labels.size(), triangles);
  require_labels("labels", labels, kCompress);
  if (!previous.empty()) require_length("previous", previous.size(), triangles);
  require_labels("previous", previous, kNone);
  require_mask(inert, triangles);
  std::vector<std::uint8_t> active(triangles);
  set_active(mesh, inert, active);

  double data = 0;
  std::int64_t steps = 0;
  for (std::size_t t = 0; t < triangles; ++t) {
    if (!active[t]) continue;
    data += costs(Eigen::Index(t), labels[t]);
    if (!previous.empty() && previous[t] != kNone) steps += std::abs(labels[t] - previous[t]);
  }
  for (const Pair& pair : state_->problem.pairs) {
    const auto first = std::size_t(pair.first);
    const auto second = std::size_t(pair.second);
    if (active[first] && active[second]) steps += std::abs(labels[first] - labels[second]);
  }
  return data + state_->params.smoothness * double(steps);
}

std::span<const std::int8_t> Labeller::previous() const { return state_->previous; }

void Labeller::set_previous(ConstLabels previous) {
  require_length("previous", previous.size(), state_->previous.size());
  require_labels("previous", previous, kNone);
  std::copy(previous.begin(), previous.end(), state_->previous.begin());
}

void Labeller::reset() { std::fill(state_->previous.begin(), state_->previous.end(), std::int8_t(kNone)); }

}  // namespace pucker
