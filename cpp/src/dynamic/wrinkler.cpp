#include "pucker/dynamic/wrinkler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>

#include "pucker/errors.h"
#include "pucker/serial.h"

namespace pucker {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker run 2\n";

/// In the order of Stage.
constexpr std::array<std::string_view, 7> kStages = {"stretch", "labels", "reference", "persistence",
                                                     "tracing", "shape",  "packing"};

/// Field by field: the bytes of a PathPoint as it lies in memory hold gaps, which would differ from run to run.
void write_points(const std::vector<PathPoint>& points, ByteWriter& out) {
  out.value(points.size());
  for (const PathPoint& p : points) {
    out.value(p.v0);
    out.value(p.v1);
    out.value(p.t);
    out.value(p.apex);
    out.value(p.depth);
  }
}

void read_points(ByteReader& in, std::vector<PathPoint>& points) {
  const auto count = in.value<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    PathPoint& p = points.emplace_back();
    p.v0 = in.value<std::int32_t>();
    p.v1 = in.value<std::int32_t>();
    p.t = in.value<double>();
    p.apex = in.value<std::int32_t>();
    p.depth = in.value<double>();
  }
}

using Clock = std::chrono::steady_clock;

class Stopwatch {
 public:
  Stopwatch(Clock::time_point begin, std::vector<double>& seconds) : seconds_(seconds), last_(begin) {
    seconds_.assign(kStages.size(), 0);
  }
  /// Adds the time since the last call to `stage`.
  void lap(Stage stage) {
    const auto now = Clock::now();
    seconds_[std::size_t(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::vector<double>& seconds_;
  Clock::time_point last_;
};

}  // namespace

WrinklerState::WrinklerState(std::shared_ptr<const Mesh> mesh, const Params& params)
    : mesh_(std::move(mesh)), detail_(*mesh_, positions, packed, params.shape.profile, params.least_width()) {}

Wrinkler::Wrinkler(std::shared_ptr<const Mesh> mesh, const Params& params)
    : mesh_(std::move(mesh)),
      params_(params),
      pool_(std::make_shared<WrinklePool>()),
      labeller_(mesh_, params.label),
      tracer_(mesh_, params, pool_),
      persistence_(mesh_, params, pool_),
      shaper_(params),
      packer_(*mesh_),
      occupied_(*mesh_) {}

std::span<const std::string_view> WrinklerState::stages() const { return kStages; }
std::span<const std::string_view> Wrinkler::stages() const { return kStages; }

const WrinklerState& Wrinkler::state() const {
  require(state_ != nullptr, "there is no state before the first frame: call advance first");
  return *state_;
}

std::shared_ptr<const WrinklerState> Wrinkler::share_state() const {
  state();
  return state_;
}

const ReferenceShape& Wrinkler::reference() const {
  require(reference_.has_value(), "there are no reference triangles before the first frame: call advance first");
  return *reference_;
}

void Wrinkler::require_frame(const ConstArray3& positions, double time) const {
  require_next_frame(*mesh_, state_ ? std::optional(state_->time) : std::nullopt, positions, time);
}

std::shared_ptr<WrinklerState> Wrinkler::unused_state() {
  if (!previous_ || previous_.use_count() > 1) return std::make_shared<WrinklerState>(mesh_, params_);
  // Whoever held it may have read it in another thread, and has done so before letting go.
  std::atomic_thread_fence(std::memory_order_acquire);
  return std::move(previous_);
}

const WrinklerState& Wrinkler::advance(const ConstArray3& positions, double time) {
  const Clock::time_point begin = Clock::now();
  require_frame(positions, time);
  const bool first = !state_;
  std::shared_ptr<WrinklerState> next = unused_state();
  previous_ = first ? next : std::move(state_);
  state_ = std::move(next);
  WrinklerState& state = *state_;
  Stopwatch watch(begin, state.seconds);
  state.positions = positions;
  local_frames(*mesh_, state.positions, state.frames);
  if (first) {
    reference_.emplace(state.frames.matrices, params_);
    edge_length_ = mean_edge_length(*mesh_, state.positions);
  } else {
    state.frame = previous_->frame + 1;
    dt_ = time - previous_->time;
    pool_->copy(previous_->wrinkles, state.wrinkles);
  }
  state.time = time;
  measure_motion();
  watch.lap(Stage::stretch);

  label_costs(state.motion.minimum, state.motion.maximum, params_, state.costs, still_);
  const std::span<const std::int8_t> labels = labeller_.step(state.costs, still_);
  state.labels.assign(labels.begin(), labels.end());
  watch.lap(Stage::labels);

  if (!first) reference_->step(state.labels, state.frames.matrices, dt_);
  state.reference = reference_->matrices();
  watch.lap(Stage::reference);
  measure_compression();
  watch.lap(Stage::stretch);

  const CompressionField field = this->field();
  if (!first) {
    persistence_.step({previous_->positions, previous_->frames, field, state.motion, edge_length_, dt_}, occupied_,
                      next_id_, state.wrinkles);
    watch.lap(Stage::persistence);
    find_new_wrinkles(field);
    watch.lap(Stage::tracing);
  }

  for (std::size_t w = 0; w < state.wrinkles.size(); ++w)
    shaper_.step(state.curves[w], state.compression, dt_, state.wrinkles[w]);
  drop_gone();
  watch.lap(Stage::shape);
  packer_.pack(field, state.wrinkles, state.curves, state.packed);
  watch.lap(Stage::packing);
  return state;
}

CompressionField Wrinkler::field() const {
  return {*mesh_, state_->positions, state_->frames, state_->stretch, state_->compression};
}

void Wrinkler::measure_motion() {
  stretch_sizes(previous_->frames.matrices, state_->frames.matrices, state_->motion);
  if (!params_.verbatim && dt_ > 0) rescale_rate(state_->motion, params_.interval / dt_);
  still_.resize(state_->motion.minimum.size());
  for (std::size_t t = 0; t < still_.size(); ++t)
    still_[t] = !(previous_->frames.areas[t] > 0) || !(state_->frames.areas[t] > 0) ||
                !(state_->motion.minimum[t] >= kCollapsed) || !std::isfinite(state_->motion.maximum[t]);
}

void Wrinkler::measure_compression() {
  stretch(reference_->matrices(), state_->frames.matrices, state_->stretch);
  compression(state_->stretch, {}, state_->compression);
}

void Wrinkler::measure_curves(std::size_t from) {
  // Curves beyond the wrinkles stay for their memory.
  std::vector<PathCurve>& curves = state_->curves;
  if (curves.size() < state_->wrinkles.size()) curves.resize(state_->wrinkles.size());
  for (std::size_t w = from; w < state_->wrinkles.size(); ++w)
    path_curve(state_->wrinkles[w], state_->positions, state_->frames, curves[w]);
}

void Wrinkler::find_new_wrinkles(const CompressionField& field) {
  measure_curves(0);
  curve_index_.reset(params_.tracing.seed_distance * params_.flat_width());
  const std::size_t old = state_->wrinkles.size();
  std::size_t alive = 0;
  for (std::size_t w = 0; w < old; ++w) {
    if (!state_->wrinkles[w].alive) continue;
    ++alive;
    curve_index_.insert(state_->curves[w]);
  }
  tracer_.grow(field, state_->frame, alive, occupied_, curve_index_, next_id_, state_->wrinkles);
  measure_curves(old);
}

void Wrinkler::drop_gone() {
  std::size_t kept = 0;
  for (std::size_t w = 0; w < state_->wrinkles.size(); ++w)
    if (!is_gone(state_->wrinkles[w])) std::swap(state_->curves[kept++], state_->curves[w]);
  pool_->drop(state_->wrinkles, is_gone);
}

std::string Wrinkler::save() const {
  ByteWriter out;
  out.text(kSaveHeader);
  out.matrix(mesh_->faces());
  out.value(mesh_->vertex_count());
  visit_params(params_, out);
  out.value(reference_.has_value());
  if (!reference_) return out.take_sealed();
  out.list(reference_->matrices());
  out.list(labeller_.previous());
  out.matrix(state_->positions);
  out.matrix(previous_->positions);
  out.value(state_->frame);
  out.value(state_->time);
  out.value(dt_);
  out.value(edge_length_);
  out.value(next_id_);
  out.value(state_->wrinkles.size());
  for (const Wrinkle& wrinkle : state_->wrinkles) {
    out.value(wrinkle.id);
    out.value(wrinkle.age);
    out.value(wrinkle.alive);
    write_points(wrinkle.points, out);
    out.list(wrinkle.triangles);
    out.list(wrinkle.knot_widths);
    out.list(wrinkle.knot_heights);
  }
  return out.take_sealed();
}

std::unique_ptr<Method> Wrinkler::restored(std::string_view bytes) const {
  return std::make_unique<Wrinkler>(restore(bytes));
}

Wrinkler Wrinkler::restore(std::string_view bytes) {
  ByteReader in(bytes, "a saved run");
  in.expect(kSaveHeader);
  in.unseal();
  Index3 faces;
  in.matrix(faces);
  const auto vertex_count = in.value<std::int64_t>();
  Params params;
  visit_params(params, in);
  try {
    Wrinkler run(std::make_shared<Mesh>(std::move(faces), vertex_count), params);
    if (!in.value<bool>()) {
      in.finish();
      return run;
    }
    Matrix2List reference;
    in.list(reference);
    std::vector<std::int8_t> previous;
    in.list(previous);
    run.labeller_.set_previous(previous);
    run.state_ = std::make_shared<WrinklerState>(run.mesh_, params);
    run.previous_ = std::make_shared<WrinklerState>(run.mesh_, params);
    WrinklerState& state = *run.state_;
    for (WrinklerState* one : {run.state_.get(), run.previous_.get()}) {
      in.matrix(one->positions);
      require_positions(*run.mesh_, one->positions);
      local_frames(*run.mesh_, one->positions, one->frames);
    }
    state.frame = in.value<std::int64_t>();
    state.time = in.value<double>();
    run.dt_ = in.value<double>();
    run.edge_length_ = in.value<double>();
    run.next_id_ = in.value<std::int64_t>();
    const auto count = in.value<std::size_t>();
    for (std::size_t w = 0; w < count; ++w) {
      Wrinkle& wrinkle = state.wrinkles.emplace_back();
      wrinkle.id = in.value<std::int64_t>();
      wrinkle.age = in.value<double>();
      wrinkle.alive = in.value<bool>();
      read_points(in, wrinkle.points);
      in.list(wrinkle.triangles);
      in.list(wrinkle.knot_widths);
      in.list(wrinkle.knot_heights);
      require_path(*run.mesh_, wrinkle);
    }
    in.finish();

    // What follows from the rest, so that state() is that of the last frame.
    state.reference = reference;
    run.reference_.emplace(state.frames.matrices, params);
    run.reference_->set_matrices(std::move(reference));
    state.seconds.assign(kStages.size(), 0);
    run.measure_motion();
    label_costs(state.motion.minimum, state.motion.maximum, params, state.costs, run.still_);
    state.labels.assign(previous.begin(), previous.end());
    std::replace(state.labels.begin(), state.labels.end(), std::int8_t(kNone), std::int8_t(kRest));
    run.measure_compression();
    run.measure_curves(0);
    run.packer_.pack(run.field(), state.wrinkles, state.curves, state.packed);
    return run;
  } catch (const InvalidArgument& error) {
    throw Error(message("a saved run holds what no run can: ", error.what()));
  }
}

}  // namespace pucker
