#include "pucker/byexample/by_example.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/saved_run.h"
#include "pucker/sharing.h"

namespace pucker::byexample {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker byexample 5\n";
constexpr const char* kSavedRun = "a saved run by example";

constexpr std::array<std::string_view, 3> kStages = {"weights", "detail", "normals"};

void write(ByteWriter& out, const SynthesisOptions& options) {
  out.value(options.places);
  out.value(options.metric.falloff);
  out.value(options.metric.edges);
  out.value(options.pose_space.kernel);
  out.value(options.pose_space.equal);
}

template <class Enum>
Enum read_member(ByteReader& in, Enum last) {
  const auto member = in.value<Enum>();
  if (member < Enum{} || member > last) throw Error(message(kSavedRun, " holds member ", int(member), " of an option"));
  return member;
}

SynthesisOptions read_options(ByteReader& in) {
  SynthesisOptions out;
  out.places = read_member(in, WeightPlaces::dense);
  out.metric.falloff = in.value<double>();
  out.metric.edges = in.value<std::int32_t>();
  out.pose_space.kernel = read_member(in, Kernel::squared);
  out.pose_space.equal = read_member(in, EqualPoses::share);
  return out;
}

/// All matrices of one shape or of different ones.
template <class Matrix>
void write(ByteWriter& out, const std::vector<Matrix>& shapes) {
  for (const Matrix& shape : shapes) out.matrix(shape);
}

std::vector<Array3> read_shapes(ByteReader& in, std::size_t count) {
  std::vector<Array3> out;
  for (std::size_t k = 0; k < count; ++k) in.matrix(out.emplace_back());
  return out;
}

void write(ByteWriter& out, const RegressionTables& tables) {
  out.list(tables.points);
  write(out, tables.velocities);
  for (const Table& table : tables.coefficients) out.list(std::span(table.data(), std::size_t(table.size())));
  out.value(tables.width);
  out.value(tables.motion);
}

/// Tables of `centres` for `details`.
RegressionTables read_tables(ByteReader& in, std::size_t centres, std::size_t details) {
  RegressionTables out;
  in.list(out.points);
  out.velocities = read_shapes(in, centres);
  for (std::size_t point = 0; point < out.points.size(); ++point) {
    std::vector<double> values;
    in.list(values);
    require(details > 0 && values.size() == (1 + centres) * (details - 1), "coefficients of ", centres, " centres and ",
            details, " details are not ", values.size());
    out.coefficients.emplace_back(
        Eigen::Map<const Table>(values.data(), Eigen::Index(1 + centres), Eigen::Index(details - 1)));
  }
  out.width = in.value<double>();
  out.motion = in.value<double>();
  return out;
}

/// Diagonal of the box about positions.
double extent_of(const Array3& positions) {
  return positions.rows() == 0 ? 0 : (positions.colwise().maxCoeff() - positions.colwise().minCoeff()).norm();
}

/// Throws InvalidArgument where a mesh or its subdivision would take memory that is out of proportion to what was saved
/// with it.
void require_counts(const Mesh& mesh, const Array3& rest, int levels, const std::vector<Array3>& details) {
  const Index3& faces = mesh.faces();
  require(mesh.vertex_count() == rest.rows(), "a mesh of ", mesh.vertex_count(), " vertices has a rest pose of ",
          rest.rows());
  require(!details.empty(), "there is no pose");
  require(levels >= 0 && levels <= kMostLevels, "a mesh may be subdivided 0 to ", kMostLevels, " times, not ", levels);
  // As many fine vertices lie inside each triangle; there are more on edges.
  const double inside = 0.5 * (std::ldexp(1, levels) - 1) * (std::ldexp(1, levels) - 2);
  double triangles = 0;
  for (Eigen::Index t = 0; t < faces.rows(); ++t)
    if (faces(t, 0) != faces(t, 1) && faces(t, 1) != faces(t, 2) && faces(t, 2) != faces(t, 0)) ++triangles;
  require(inside * triangles <= double(details.front().rows()), "a detail of ", details.front().rows(),
          " vertices is not that of ", triangles, " triangles subdivided ", levels, " times");
}

}  // namespace

ExampleState::ExampleState(const Synthesis& synthesis)
    : detail_(synthesis.share_subdivision(), positions, surface, normals,
              smallest_feature(synthesis.features(), synthesis.subdivision().levels())) {}

std::span<const std::string_view> ExampleState::stages() const { return kStages; }
std::span<const std::string_view> ByExample::stages() const { return kStages; }

ByExample::ByExample(Synthesis synthesis, Params params, std::vector<std::int32_t> shared)
    : params_(std::move(params)),
      synthesis_(std::move(synthesis)),
      normals_(*synthesis_.subdivision().fine()),
      extent_(extent_of(synthesis_.features().rest())),
      shared_(std::move(shared)) {
  params_.validate();
  std::vector<std::uint8_t> is_shared(std::size_t(mesh()->vertex_count()), 0);
  for (const std::int32_t v : shared_) {
    require(v >= 0 && v < mesh()->vertex_count(), "shared vertices must lie in [0, ", mesh()->vertex_count(), "), got ",
            v);
    is_shared[std::size_t(v)] = 1;
  }
  if (!params_.sewn) return;
  const SparseRows& places = synthesis_.subdivision().barycentrics();
  for (std::int32_t v = 0; v < places.rows(); ++v) {
    double hold = 0;
    for (SparseRows::InnerIterator entry(places, v); entry; ++entry)
      if (is_shared[std::size_t(entry.col())] != 0) hold += entry.value();
    if (hold == 0) continue;
    sewn_.push_back(v);
    holds_.push_back(hold);
  }
}

std::shared_ptr<ExampleState> ByExample::unused_state() {
  return held_alone(previous_) ? std::move(previous_) : std::make_shared<ExampleState>(synthesis_);
}

const ExampleState& ByExample::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  std::shared_ptr<ExampleState> next = unused_state();
  ExampleState& state = *next;
  Stopwatch watch(state.seconds, kStages.size());
  state.positions = positions;
  state.frame = state_ ? state_->frame + 1 : 0;
  state.time = time;
  std::optional<Before> before;
  if (state_) before.emplace(Before{.positions = state_->positions, .seconds = time - state_->time});
  synthesis_.weigh(state.positions, state.surface, before ? &*before : nullptr);
  fade(state.surface.pose_weights);
  if (state_ && params_.lag > 0) {
    const double left = std::exp(-(time - state_->time) / params_.lag);
    state.surface.pose_weights += left * (state_->surface.pose_weights - state.surface.pose_weights);
  }
  watch.lap(Stage::weights);
  swing(state);
  finish(state, watch);
  previous_ = std::exchange(state_, std::move(next));
  return state;
}

void ByExample::finish(ExampleState& state, Stopwatch& watch) {
  synthesis_.blend(state.surface, params_.gain);
  if (params_.sway > 0) {
    multiply(synthesis_.subdivision().matrix(), state.sway.offsets, carried_);
    state.surface.positions += carried_;
  }
  sew(state);
  watch.lap(Stage::detail);
  normals_.step(state.surface.positions, state.normals);
  watch.lap(Stage::normals);
}

void ByExample::fade(Table& weights) const {
  if (params_.reach == 0) return;
  const std::vector<double>& distances = synthesis_.nearest();
  for (Eigen::Index point = 0; point < weights.rows(); ++point) {
    const double beyond = std::clamp(distances[std::size_t(point)] / params_.reach - 1, 0.0, 1.0);
    weights.row(point) *= 1 - beyond * beyond * (3 - 2 * beyond);
  }
}

void ByExample::swing(ExampleState& state) const {
  if (params_.sway == 0) return;
  const bool goes_on = state_ && (state.positions - state_->positions).rowwise().norm().maxCoeff() <= extent_;
  if (goes_on) {
    state.sway.step(state_->sway, state_->positions, state.positions, state.time - state_->time, params_.sway,
                    params_.damping);
  } else {
    state.sway.rest(state.positions.rows());
  }
}

void ByExample::sew(ExampleState& state) const {
  const SparseRows& places = synthesis_.subdivision().barycentrics();
  for (std::size_t k = 0; k < sewn_.size(); ++k) {
    Eigen::RowVector3d base = Eigen::RowVector3d::Zero();
    for (SparseRows::InnerIterator entry(places, sewn_[k]); entry; ++entry)
      base += entry.value() * state.positions.row(entry.col());
    auto place = state.surface.positions.row(sewn_[k]);
    place += holds_[k] * (base - place);
  }
}

std::string ByExample::save() const {
  ByteWriter out = begin_save(kSaveHeader, *mesh(), params_);
  write(out, synthesis_.options());
  out.value(std::int32_t(synthesis_.subdivision().levels()));
  out.matrix(synthesis_.features().rest());
  out.value(std::uint64_t(synthesis_.poses().size()));
  write(out, synthesis_.poses());
  out.value(std::uint64_t(synthesis_.details().size()));
  write(out, synthesis_.details());
  out.value(synthesis_.regression() != nullptr);
  if (const Regression* regression = synthesis_.regression()) write(out, regression->tables());
  out.list(shared_);
  out.value(state_ != nullptr);
  if (!state_) return out.take_sealed();
  out.value(state_->frame);
  out.value(state_->time);
  out.matrix(state_->positions);
  const Table& weights = state_->surface.pose_weights;
  out.list(std::span(weights.data(), std::size_t(weights.size())));
  if (params_.sway > 0) {
    out.matrix(state_->sway.offsets);
    out.matrix(state_->sway.speeds);
  }
  return out.take_sealed();
}

ByExample ByExample::restore(std::string_view bytes) {
  const auto read = [](ByteReader& in, const std::shared_ptr<const Mesh>& mesh, Params params) {
    const SynthesisOptions options = read_options(in);
    const auto levels = in.value<std::int32_t>();
    Array3 rest;
    in.matrix(rest);
    const auto count = std::size_t(in.value<std::uint64_t>());
    std::vector<Array3> poses = read_shapes(in, count);
    const auto detail_count = std::size_t(in.value<std::uint64_t>());
    std::vector<Array3> details = read_shapes(in, detail_count);
    std::optional<RegressionTables> tables;
    if (in.value<bool>()) tables = read_tables(in, count, detail_count);
    std::vector<std::int32_t> shared;
    in.list(shared);
    require_counts(*mesh, rest, levels, details);
    Synthesis synthesis =
        tables ? Synthesis(mesh, levels, rest, std::move(poses), std::move(details), std::move(*tables), options)
               : Synthesis(mesh, levels, rest, std::move(poses), std::move(details), options);
    ByExample run(std::move(synthesis), std::move(params), std::move(shared));
    if (!in.value<bool>()) return run;
    run.state_ = std::make_shared<ExampleState>(run.synthesis_);
    ExampleState& state = *run.state_;
    state.frame = in.value<std::int64_t>();
    state.time = in.value<double>();
    in.matrix(state.positions);
    require_saved_frame(state);
    std::vector<double> weights;
    in.list(weights);
    run.synthesis_.weigh(state.positions, state.surface);
    Table& table = state.surface.pose_weights;
    require(weights.size() == std::size_t(table.size()), "there are ", weights.size(), " weights, not ", table.size());
    table = Eigen::Map<const Table>(weights.data(), table.rows(), table.cols());
    require(table.allFinite(), "a weight is not finite");
    if (run.params_.sway > 0) {
      for (Array3* masses : {&state.sway.offsets, &state.sway.speeds}) {
        in.matrix(*masses);
        require(masses->rows() == state.positions.rows() && masses->allFinite(), "there must be a mass for each of ",
                state.positions.rows(), " vertices, at a place");
      }
    }
    Stopwatch unused(state.seconds, kStages.size());
    run.finish(state, unused);
    state.seconds.assign(kStages.size(), 0);
    return run;
  };
  return restore_run<Params>(bytes, kSaveHeader, kSavedRun, read);
}

}  // namespace pucker::byexample
