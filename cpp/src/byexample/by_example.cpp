#include "pucker/byexample/by_example.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "pucker/byexample/guide_cloth.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/reuse.h"
#include "pucker/saved_run.h"

namespace pucker::byexample {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker byexample 10\n";
constexpr const char* kSavedRun = "a saved run by example";

constexpr std::array<std::string_view, 3> kStages = {"weights", "detail", "normals"};

std::span<const std::string_view> stages_of(const Params& params) {
  return std::span(kStages).first(params.compute == Compute::cpu ? kStages.size() : 1);
}

void write(ByteWriter& out, const SynthesisOptions& options) {
  out.value(options.places);
  out.value(options.metric.falloff);
  out.value(options.metric.edges);
  out.value(options.pose_space.kernel);
  out.value(options.pose_space.equal);
  out.value(options.trail);
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
  out.trail = in.value<double>();
  return out;
}

/// All matrices of one shape or of different ones.
template <class Matrix>
void write(ByteWriter& out, const std::vector<Matrix>& shapes) {
  for (const Matrix& shape : shapes) out.matrix(shape);
}

std::vector<Array3> read_shapes(ByteReader& in, std::size_t count) {
  std::vector<Array3> out;
  for (std::size_t k = 0; k < count; ++k) {
    in.matrix(out.emplace_back());
    require_saved_positions(out.back(), "poses, details, velocities or displacements");
  }
  return out;
}

void write(ByteWriter& out, const RegressionTables& tables) {
  out.list(tables.points);
  write(out, tables.velocities);
  for (const Table& table : tables.coefficients) out.list(std::span(table.data(), std::size_t(table.size())));
  out.value(tables.width);
  out.value(tables.motion);
  out.value(tables.displacement);
  write(out, tables.displacements);
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
  out.displacement = in.value<double>();
  if (out.displacement > 0) out.displacements = read_shapes(in, centres);
  return out;
}

/// The saved cloth of a guide; none for a set without.
std::optional<drape::Drape> read_cloth(ByteReader& in) {
  if (!in.value<bool>()) return std::nullopt;
  std::vector<char> bytes;
  in.list(bytes);
  return drape::Drape::restore({bytes.data(), bytes.size()});
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

ExampleState::ExampleState(std::shared_ptr<const ExampleRun> run) : run_(std::move(run)), detail_(*this) {}

std::span<const std::string_view> ExampleState::stages() const { return stages_of(run_->params()); }
std::span<const std::string_view> ByExample::stages() const { return stages_of(params()); }

const Synthesised& ExampleState::surface() const {
  make_once();
  return surface_;
}

const Array3& ExampleState::normals() const {
  make_once();
  return normals_;
}

void ExampleState::make_once() const {
  const std::scoped_lock lock(making_);
  // The frame is over: what is made when it is asked for is no stage of it.
  if (!made_) make(nullptr);
}

void ExampleState::make(Stopwatch* watch) const {
  run_->make(balance(), carried_, surface_, normals_, watch);
  made_ = true;
}

void ExampleState::carry() {
  const Array3& swaying = sway_.offsets;
  const Array3& trailing = trail_.offsets;
  if (swaying.rows() > 0 && trailing.rows() > 0) {
    carried_ = swaying + trailing;
  } else {
    carried_ = swaying.rows() > 0 ? swaying : trailing;
  }
}

ByExample::ByExample(Synthesis synthesis, Params params, std::vector<std::int32_t> shared,
                     const std::optional<GuideCloth>& cloth)
    : run_(std::make_shared<const ExampleRun>(std::move(synthesis), std::move(params), std::move(shared))) {
  if (!cloth) return;
  GuideCloth swinging = *cloth;
  swinging.params.swing = this->params().swing.value_or(cloth->params.swing);
  cloth_.emplace(swinging.on(mesh(), this->shared()), this->shared());
}

std::shared_ptr<ExampleState> ByExample::unused_state() {
  return held_alone(previous_) ? std::move(previous_) : std::make_shared<ExampleState>(run_);
}

const ExampleState& ByExample::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  std::shared_ptr<ExampleState> next = unused_state();
  ExampleState& state = *next;
  Stopwatch watch(state.seconds, stages().size());
  state.positions = positions;
  state.frame = state_ ? state_->frame + 1 : 0;
  state.time = time;
  state.made_ = false;
  if (cloth_) {
    cloth_->advance(positions, time);
    cloth_->take(state.balance_);
  }
  std::optional<Before> before;
  if (state_) before.emplace(Before{.positions = state_->balance(), .seconds = time - state_->time});
  run_->weigh(state.balance(), state.positions, before ? &*before : nullptr, state.surface_);
  if (state_ && params().lag > 0) {
    const double elapsed = (time - state_->time) / params().lag;
    // Where a deformation is far from all poses its weights are large, and a difference of them has lost their sum.
    state.surface_.pose_weights *= -std::expm1(-elapsed);
    state.surface_.pose_weights += std::exp(-elapsed) * state_->pose_weights();
  }
  swing(state);
  watch.lap(Stage::weights);
  if (params().compute == Compute::cpu) state.make(&watch);
  previous_ = std::exchange(state_, std::move(next));
  return state;
}

void ByExample::swing(ExampleState& state) const {
  const double time = trailing();
  if (params().sway == 0 && time == 0) return;
  const bool goes_on = state_ && (state.positions - state_->positions).rowwise().norm().maxCoeff() <= run_->extent();
  const Eigen::Index count = state.positions.rows();
  const double seconds = goes_on ? state.time - state_->time : 0;
  if (params().sway > 0 && goes_on) {
    state.sway_.step(state_->sway(), state_->positions, state.positions, seconds, params().sway, params().damping);
  } else if (params().sway > 0) {
    state.sway_.rest(count);
  }
  if (time > 0 && goes_on) {
    state.trail_.step(state_->trail(), state_->positions, state.positions, seconds, time);
  } else if (time > 0) {
    state.trail_.rest(count);
  }
  state.carry();
}

std::string ByExample::save() const {
  ByteWriter out = begin_save(kSaveHeader, *mesh(), params());
  write(out, synthesis().options());
  out.value(std::int32_t(synthesis().subdivision().levels()));
  out.matrix(synthesis().features().rest());
  out.value(std::uint64_t(synthesis().poses().size()));
  write(out, synthesis().poses());
  out.value(std::uint64_t(synthesis().details().size()));
  write(out, synthesis().details());
  out.value(synthesis().regression() != nullptr);
  if (const Regression* regression = synthesis().regression()) write(out, regression->tables());
  out.list(shared());
  out.value(cloth_.has_value());
  if (cloth_) out.list(cloth_->cloth().save());
  out.value(state_ != nullptr);
  if (!state_) return out.take_sealed();
  out.value(state_->frame);
  out.value(state_->time);
  out.matrix(state_->positions);
  const Table& weights = state_->pose_weights();
  out.list(std::span(weights.data(), std::size_t(weights.size())));
  if (params().sway > 0) {
    out.matrix(state_->sway().offsets);
    out.matrix(state_->sway().speeds);
  }
  if (trailing() > 0) out.matrix(state_->trail().offsets);
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
    std::optional<drape::Drape> cloth = read_cloth(in);
    std::optional<GuideCloth> made;
    if (cloth) made = GuideCloth{.params = cloth->params(), .cut = cloth->setting().cut};
    require_saved_positions(rest, "the rest pose");
    require_counts(*mesh, rest, levels, details);
    Synthesis synthesis =
        tables ? Synthesis(mesh, levels, rest, std::move(poses), std::move(details), std::move(*tables), options)
               : Synthesis(mesh, levels, rest, std::move(poses), std::move(details), options);
    ByExample run(std::move(synthesis), std::move(params), std::move(shared), made);
    if (cloth) {
      const Mesh& worn = *cloth->mesh();
      require(worn.vertex_count() == mesh->vertex_count() && worn.triangle_count() == mesh->triangle_count() &&
                  worn.faces() == mesh->faces(),
              "the guide's cloth must have the mesh of the set");
      const double swing = run.cloth()->params().swing;
      require(cloth->params().swing == swing, "the guide's cloth must swing as the run says, ", swing, " s, not ",
              cloth->params().swing, " s");
      run.cloth_.emplace(std::move(*cloth), run.shared());
    }
    if (!in.value<bool>()) return run;
    run.state_ = std::make_shared<ExampleState>(run.run_);
    ExampleState& state = *run.state_;
    state.frame = in.value<std::int64_t>();
    state.time = in.value<double>();
    in.matrix(state.positions);
    require_saved_frame(state);
    require_saved_positions(state.positions, "positions");
    std::vector<double> weights;
    in.list(weights);
    if (run.cloth_) {
      const drape::DrapeState& last = run.cloth()->state();
      require(last.frame == state.frame && last.positions == state.positions,
              "the guide's cloth must be at the frame of the run");
      run.cloth_->take(state.balance_);
    }
    run.run_->weigh(state.balance(), state.positions, nullptr, state.surface_);
    Table& table = state.surface_.pose_weights;
    require(weights.size() == std::size_t(table.size()), "there are ", weights.size(), " weights, not ", table.size());
    table = Eigen::Map<const Table>(weights.data(), table.rows(), table.cols());
    require(table.allFinite(), "a weight is not finite");
    if (run.params().sway > 0) {
      for (Array3* masses : {&state.sway_.offsets, &state.sway_.speeds}) {
        in.matrix(*masses);
        require(masses->rows() == state.positions.rows() && masses->allFinite(), "there must be a mass for each of ",
                state.positions.rows(), " vertices, at a place");
      }
    }
    if (run.trailing() > 0) {
      in.matrix(state.trail_.offsets);
      require(state.trail_.offsets.rows() == state.positions.rows() && state.trail_.offsets.allFinite(), "each of ",
              state.positions.rows(), " vertices must trail its place by a finite way");
    }
    state.carry();
    state.seconds.assign(run.stages().size(), 0);
    return run;
  };
  return restore_run<Params>(bytes, kSaveHeader, kSavedRun, read);
}

}  // namespace pucker::byexample
