#include "pucker/dynamic/labelling.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "labelling_graph.h"
#include "pucker/errors.h"

namespace pucker {

using labelling::ConstLabels;
using labelling::Mask;
using labelling::Pair;
using labelling::Problem;
using labelling::Solver;

namespace {

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

void require_rows(const ConstArray3& costs, std::int64_t triangles) {
  require(costs.rows() == triangles, "costs must have shape (", triangles, ", 3), got (", costs.rows(), ", 3)");
}

std::unique_ptr<Solver> make_solver(LabelSolver kind, const Problem& problem) {
  return kind == LabelSolver::exact ? labelling::make_cut_solver(problem) : labelling::make_move_solver(problem, kind);
}

}  // namespace

void label_costs(std::span<const double> minimum, std::span<const double> maximum, const Params& params, Array3& out,
                 Mask inert) {
  require_length("maximum", maximum.size(), minimum.size());
  require_mask(inert, minimum.size());
  out.resize(Eigen::Index(minimum.size()), 3);
  Eigen::Index unmoved = kNone;  // a triangle that does not move: what the others cost
  for (std::size_t t = 0; t < minimum.size(); ++t) {
    const auto row = Eigen::Index(t);
    if (!inert.empty() && inert[t]) {
      out.row(row).setZero();
      continue;
    }
    if (minimum[t] == 1 && maximum[t] == 1) {
      if (unmoved != kNone) {
        out.row(row) = out.row(unmoved);
        continue;
      }
      unmoved = row;
    }
    require(std::isfinite(minimum[t]) && minimum[t] > 0, "stretches must be finite and positive, but minimum[", t,
            "] is ", minimum[t]);
    require(std::isfinite(maximum[t]) && maximum[t] > 0, "stretches must be finite and positive, but maximum[", t,
            "] is ", maximum[t]);
    const double compression = 1 / minimum[t];
    out.row(row) << deformation_cost(compression, maximum[t], params), rest_cost(compression, maximum[t], params.label),
        deformation_cost(maximum[t], compression, params);
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
    problem.pairs = labelling::site_pairs(*mesh, 1);
    solver = make_solver(params.solver, problem);
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
  labelling::set_costs(s.problem, costs, s.params.smoothness, s.previous);
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
  labelling::set_costs(problem, costs, state_->params.smoothness, {});
  problem.pairs = labelling::site_pairs(mesh, std::int32_t(costs.rows() / triangles));
  make_solver(state_->params.solver, problem)->solve(problem, labels);
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
