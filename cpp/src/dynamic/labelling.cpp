#include "pucker/dynamic/labelling.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "blocks.h"
#include "labelling_graph.h"
#include "pucker/errors.h"
#include "pucker/exponential.h"
#include "pucker/target_clones.h"
#include "pucker/threads.h"

namespace pucker {

using labelling::ConstLabels;
using labelling::Mask;
using labelling::Pair;
using labelling::Problem;
using labelling::Solver;

namespace {

double squared(double x) { return x * x; }

/// So many triangles are given costs side by side.
constexpr std::size_t kLanes = 8;
using Lanes = double[kLanes];
static_assert(kTrianglesTaken % kLanes == 0);

struct LaneCosts {
  Lanes compress, rest, stretch;
};

/// Below the last bit of what stands before it, the floor h of equation 4.5 need not be computed: the usual case.
constexpr double kNegligible = 40;  // exp(−40) < 2⁻⁵³

/// Costs by the compression 1/λ_min and λ_max. c(a, b) of equation 4.5 is that of C for (compression, λ_max), that of S
/// for the two exchanged: the larger one of them has the branch of a > b, the smaller one that of a < b.
PUCKER_TARGET_CLONES void costs_of(const Lanes& compression, const Lanes& maximum, const Params& params,
                                   LaneCosts& out) {
  const double alpha = params.label.alpha;
  const double beta = params.label.beta;
  const double twice_square = 2 * squared(params.label.sigma);
  const bool sums = params.label.norm == Norm::one;
  const bool verbatim = params.verbatim;
  Lanes larger, smaller, spread, fall, dominant, dominated, rest;
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double a = compression[k];
    const double b = maximum[k];
    larger[k] = a > b ? a : b;
    smaller[k] = a > b ? b : a;
    spread[k] = squared(a - b) / (2 * twice_square);
    fall[k] = alpha * (larger[k] - 1) + spread[k];
    const double sum = squared(std::fabs(a - 1) + std::fabs(b - 1));
    const double squares = squared(a - 1) + squared(b - 1);
    rest[k] = (sums ? sum : squares) / twice_square;
  }
  for (std::size_t k = 0; k < kLanes; ++k) {
    dominant[k] = exponential(-fall[k]);
    dominated[k] = exponential(-alpha * (smaller[k] - 1));
    out.rest[k] = 1 - exponential(-rest[k]);
  }
  bool floored = false;
  for (std::size_t k = 0; k < kLanes; ++k) floored |= !(beta * larger[k] - fall[k] > kNegligible);
  if (floored)
    for (std::size_t k = 0; k < kLanes; ++k)
      dominant[k] -= exponential(-beta * larger[k]) * (exponential(-spread[k]) - 1);
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double ratio = verbatim ? larger[k] / smaller[k] : smaller[k] / larger[k];
    const double of_smaller = ratio * (dominated[k] - 1) + 1;
    out.compress[k] = compression[k] > maximum[k] ? dominant[k] : of_smaller;
    out.stretch[k] = maximum[k] > compression[k] ? dominant[k] : of_smaller;
  }
}

void require_length(const char* name, std::size_t length, std::size_t expected) {
  require(length == expected, name, " must have length ", expected, ", got ", length);
}

void require_mask(Mask inert, std::size_t sites) {
  if (!inert.empty()) require_length("inert", inert.size(), sites);
}

void require_stretches(const char* name, std::span<const double> stretches, Mask inert) {
  parallel_blocks(stretches.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      require((!inert.empty() && inert[t]) || (std::isfinite(stretches[t]) && stretches[t] > 0),
              "stretches must be finite and positive, but ", name, "[", t, "] is ", stretches[t]);
  });
}

void require_labels(const char* name, ConstLabels labels, int lowest) {
  const auto wrong = [lowest](std::int8_t label) { return label < lowest || label > kStretch; };
  std::size_t count = 0;  // of all at once: several go into one comparison
  for (const std::int8_t label : labels) count += std::size_t(wrong(label));
  if (count == 0) return;
  const auto first = std::find_if(labels.begin(), labels.end(), wrong);
  refuse(name, " must lie in ", lowest, "…2, but ", name, "[", first - labels.begin(), "] is ", int(*first));
}

void require_rows(const ConstArray3& costs, std::int64_t triangles) {
  require(costs.rows() == triangles, "costs must have shape (", triangles, ", 3), got (", costs.rows(), ", 3)");
}

/// For the triangles of so many frames.
std::unique_ptr<Solver> make_solver(LabelSolver kind, const Mesh& mesh, std::int32_t frames) {
  const std::size_t sites = std::size_t(mesh.triangle_count()) * std::size_t(frames);
  std::vector<Pair> pairs = labelling::site_pairs(mesh, frames);
  return kind == LabelSolver::exact ? labelling::make_cut_solver(sites, pairs)
                                    : labelling::make_move_solver(sites, std::move(pairs), kind);
}

}  // namespace

void label_costs(std::span<const double> minimum, std::span<const double> maximum, const Params& params, Array3& out,
                 Mask inert) {
  const std::size_t count = minimum.size();
  require_length("maximum", maximum.size(), count);
  require_mask(inert, count);
  for (const auto& [name, stretches] : {std::pair("minimum", minimum), std::pair("maximum", maximum)})
    require_stretches(name, stretches, inert);
  out.resize(Eigen::Index(count), 3);
  parallel_blocks(count, kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    Lanes compression, stretched;
    LaneCosts costs;
    for (std::size_t start = begin; start < end; start += kLanes) {
      const std::size_t lanes = std::min(end - start, kLanes);
      for (std::size_t k = 0; k < kLanes; ++k) {
        const bool there = k < lanes && (inert.empty() || !inert[start + k]);
        compression[k] = there ? 1 / minimum[start + k] : 1;
        stretched[k] = there ? maximum[start + k] : 1;
      }
      costs_of(compression, stretched, params, costs);
      for (std::size_t k = 0; k < lanes; ++k) {
        const auto row = Eigen::Index(start + k);
        if (inert.empty() || !inert[start + k])
          out.row(row) << costs.compress[k], costs.rest[k], costs.stretch[k];
        else
          out.row(row).setZero();
      }
    }
  });
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
    solver = make_solver(params.solver, *mesh, 1);
  }
};

Labeller::Labeller(std::shared_ptr<const Mesh> mesh, const LabelParams& params) {
  require(mesh != nullptr, "a labeller needs a mesh");
  labelling::require_sites(std::size_t(mesh->triangle_count()));
  require(std::isfinite(4 * params.smoothness) && params.smoothness >= 0, "smoothness must be finite and >= 0, got ",
          params.smoothness);
  state_ = std::make_unique<State>(std::move(mesh), params);
}

Labeller::~Labeller() = default;
Labeller::Labeller(Labeller&&) noexcept = default;
Labeller& Labeller::operator=(Labeller&&) noexcept = default;

std::span<const std::int8_t> Labeller::step(const ConstArray3& costs, Mask inert) {
  const auto labels = preview(costs, inert);
  accept();
  return labels;
}

std::span<const std::int8_t> Labeller::preview(const ConstArray3& costs, Mask inert) {
  State& s = *state_;
  require_rows(costs, s.mesh->triangle_count());
  require_mask(inert, s.problem.size());
  labelling::set_active(*s.mesh, inert, s.problem.active);
  s.problem.set_costs(costs, s.params.smoothness, s.previous);
  s.solver->solve(s.problem, s.labels);
  labelling::put_inactive_to_rest(s.problem, s.labels);
  return s.labels;
}

void Labeller::accept() noexcept {
  State& s = *state_;
  for (std::size_t i = 0; i < s.labels.size(); ++i)
    s.previous[i] = s.problem.active[i] ? s.labels[i] : std::int8_t(kNone);
}

std::vector<std::int8_t> Labeller::solve_clip(const ConstArray3& costs, Mask inert) const {
  const Mesh& mesh = *state_->mesh;
  const std::int64_t triangles = mesh.triangle_count();
  require(triangles == 0 ? costs.rows() == 0 : costs.rows() % triangles == 0, "costs must have a row for each of the ",
          triangles, " triangles in each frame, got ", costs.rows(), " rows");
  require_mask(inert, std::size_t(costs.rows()));
  labelling::require_sites(std::size_t(costs.rows()));
  std::vector<std::int8_t> labels(std::size_t(costs.rows()), kRest);
  if (labels.empty()) return labels;

  Problem problem(labels.size());
  labelling::set_active(mesh, inert, problem.active);
  problem.set_costs(costs, state_->params.smoothness, {});
  make_solver(state_->params.solver, mesh, std::int32_t(costs.rows() / triangles))->solve(problem, labels);
  labelling::put_inactive_to_rest(problem, labels);
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
  labelling::set_active(mesh, inert, active);

  double data = 0;
  std::int64_t steps = 0;
  for (std::size_t t = 0; t < triangles; ++t) {
    if (!active[t]) continue;
    data += costs(Eigen::Index(t), labels[t]);
    if (!previous.empty() && previous[t] != kNone) steps += std::abs(labels[t] - previous[t]);
  }
  for (const Pair& pair : labelling::site_pairs(mesh, 1)) {
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
