#include "pucker/dynamic/wrinkler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "blocks.h"
#include "pucker/dynamic/widths.h"
#include "pucker/errors.h"
#include "pucker/reuse.h"
#include "pucker/saved_run.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker run 9\n";

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

/// Throws InvalidArgument unless a run can stand at this frame and time.
void require_clock(const WrinklerState& state, double dt, double edge_length) {
  require_saved_frame(state);
  require(state.frame > 0 ? std::isfinite(dt) && dt > 0 : dt == 0, "the time since the frame before ", state.frame,
          " cannot be ", dt, " s");
  require(std::isfinite(edge_length) && edge_length >= 0, "the mean edge length cannot be ", edge_length);
}

/// Throws InvalidArgument where a triangle's shape now and another have no stretches between them, or, unless these may
/// be `infinite`, have infinite ones.
void require_numbers(const Stretch& stretches, const char* what, bool infinite) {
  for (const auto* values : {&stretches.minimum, &stretches.maximum})
    for (std::size_t t = 0; t < values->size(); ++t)
      require(std::isfinite((*values)[t]) || (infinite && std::isinf((*values)[t])), "the ", what, " of triangle ", t,
              " cannot be ", (*values)[t]);
}

/// Throws InvalidArgument unless a run can hold the wrinkle after the one of `last_id`.
void require_wrinkle(const Wrinkle& wrinkle, std::int64_t last_id, std::int64_t next_id, double flat_width) {
  require(wrinkle.id > last_id && wrinkle.id < next_id, "wrinkles are held in the order of their ids, from 0 to ",
          next_id, ", but ", wrinkle.id, " follows ", last_id);
  require(std::isfinite(wrinkle.age) && wrinkle.age >= 0, "the age of wrinkle ", wrinkle.id, " cannot be ",
          wrinkle.age);
  const double most = flat_width * (1 + 1e-9);
  for (const std::vector<double>* sizes : {&wrinkle.knot_widths, &wrinkle.knot_heights})
    for (const double size : *sizes)
      require(size <= most, "wrinkle ", wrinkle.id, " cannot be ", size, " wide or high where a flat one is ",
              flat_width, " wide");
}

}  // namespace

WrinklerState::WrinklerState(std::shared_ptr<const Mesh> mesh, const Params& params)
    : mesh_(std::move(mesh)), detail_(*mesh_, positions, packed, params.shape.profile, params.least_width()) {}

Wrinkler::Wrinkler(std::shared_ptr<const Mesh> mesh, const Params& params, Cloth cloth)
    : mesh_(std::move(mesh)),
      params_(params),
      cloth_(std::move(cloth)),
      border_(mesh_, cloth_.shared, params.verbatim || params.shape.border_fade == 0 ? std::nullopt : cloth_.rest),
      pool_(std::make_shared<WrinklePool>()),
      labeller_(mesh_, params.label),
      guide_(mesh_, params),
      tracer_(mesh_, params, pool_),
      persistence_(mesh_, params, pool_),
      junctions_(params),
      shaper_(params),
      packer_(*mesh_),
      occupied_(*mesh_) {
  require(params_.reference.start != ReferenceStart::rest || cloth_.rest,
          "reference.start is rest, but there is no rest pose: the clip's file has no skin, or a mesh was given alone");
  if (cloth_.rest) widths_ = wrinkle_widths(*mesh_, *cloth_.rest, params_);
}

std::span<const std::string_view> WrinklerState::stages() const { return kStages; }
std::span<const std::string_view> Wrinkler::stages() const { return kStages; }

std::shared_ptr<WrinklerState> Wrinkler::unused_state() {
  return held_alone(spare_) ? std::move(spare_) : std::make_shared<WrinklerState>(mesh_, params_);
}

const WrinklerState& Wrinkler::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  const bool first = !state_;
  std::shared_ptr<WrinklerState> next = unused_state();
  Stopwatch watch(next->seconds, kStages.size());
  next->frame = first ? 0 : state_->frame + 1;
  next->time = time;
  next->positions = positions;
  Draft draft{*next, first ? *next : *state_, first ? 0 : time - state_->time, edge_length_, next_id_};
  compute(draft, watch);
  if (first) previous_ = std::make_shared<WrinklerState>(mesh_, params_);
  previous_->positions = draft.previous.positions;

  // From here on nothing throws.
  labeller_.accept();
  dt_ = draft.dt;
  edge_length_ = draft.edge_length;
  next_id_ = draft.next_id;
  spare_ = std::move(state_);
  state_ = std::move(next);
  return *state_;
}

void Wrinkler::compute(Draft& draft, Stopwatch& watch) {
  WrinklerState& state = draft.state;
  const WrinklerState& previous = draft.previous;
  const bool first = &state == &previous;
  local_frames(*mesh_, state.positions, state.frames);
  if (first) {
    draft.edge_length = mean_edge_length(*mesh_, state.positions);
    state.wrinkles.clear();
  } else {
    pool_->copy(previous.wrinkles, state.wrinkles);
  }
  measure_motion(draft);
  watch.lap(Stage::stretch);

  label_costs(state.motion.minimum, state.motion.maximum, params_, state.costs, still_);
  const std::span<const std::int8_t> labels = labeller_.preview(state.costs, still_);
  state.labels.assign(labels.begin(), labels.end());
  watch.lap(Stage::labels);

  if (first) {
    state.reference = first_reference(state);
  } else {
    next_reference(previous.reference, state.labels, state.frames.matrices, draft.dt, params_, state.reference);
  }
  watch.lap(Stage::reference);
  const CompressionField field = measure_compression(state);
  watch.lap(Stage::stretch);

  if (!first) {
    persistence_.step({previous.positions, previous.frames, field, state.motion, draft.edge_length, draft.dt},
                      occupied_, draft.next_id, state.wrinkles);
    watch.lap(Stage::persistence);
    find_new_wrinkles(field, draft);
    watch.lap(Stage::tracing);
  }

  junctions_.find(curve_index_, state.wrinkles, state.curves, ends_);
  parallel_blocks(state.wrinkles.size(), kPathsTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w)
      shaper_.step(state.curves[w], state.compression, draft.dt, ends_[w], state.wrinkles[w],
                   field.mean_width(state.wrinkles[w].triangles));
  });
  drop_gone(state);
  watch.lap(Stage::shape);
  pack(field, state);
  watch.lap(Stage::packing);
}

CompressionField Wrinkler::field() const {
  const WrinklerState& last = state();
  return {*mesh_, last.positions, last.frames, last.stretch, last.compression, widths_};
}

void Wrinkler::measure_motion(const Draft& draft) {
  const WrinklerState& previous = draft.previous;
  WrinklerState& state = draft.state;
  stretch_sizes(previous.frames.matrices, state.frames.matrices, state.motion);
  if (!params_.verbatim && draft.dt > 0) rescale_rate(state.motion, params_.interval / draft.dt);
  still_.resize(state.motion.minimum.size());
  parallel_blocks(still_.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      still_[t] = !(previous.frames.area(t) > 0) || !(state.frames.area(t) > 0) ||
                  !(state.motion.minimum[t] >= kDegenerate) || !std::isfinite(state.motion.maximum[t]);
  });
}

Matrix2List Wrinkler::first_reference(const WrinklerState& state) const {
  const ReferenceStart start = params_.reference.start;
  const bool at_rest = start == ReferenceStart::rest ||
                       (start == ReferenceStart::rest_if_known && cloth_.rest.has_value() && !params_.verbatim);
  if (!at_rest) return state.frames.matrices;
  LocalFrames rest;
  local_frames(*mesh_, *cloth_.rest, rest);
  return std::move(rest.matrices);
}

CompressionField Wrinkler::measure_compression(WrinklerState& state) {
  guide_.measure(state.reference, state.positions, state.frames, state.stretch);
  compression(state.stretch, {}, state.compression);
  return {*mesh_, state.positions, state.frames, state.stretch, state.compression, widths_};
}

void Wrinkler::measure_curves(WrinklerState& state, std::size_t from) {
  // Curves beyond the wrinkles stay for their memory.
  std::vector<PathCurve>& curves = state.curves;
  if (curves.size() < state.wrinkles.size()) curves.resize(state.wrinkles.size());
  parallel_blocks(state.wrinkles.size() - from, kPathsTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = from + begin; w < from + end; ++w)
      path_curve(state.wrinkles[w], state.positions, state.frames, curves[w]);
  });
}

void Wrinkler::find_new_wrinkles(const CompressionField& field, Draft& draft) {
  WrinklerState& state = draft.state;
  measure_curves(state, 0);
  curve_index_.reset(index_radius(params_));
  const std::size_t old = state.wrinkles.size();
  const std::size_t alive = insert_living(state.wrinkles, state.curves, curve_index_);
  tracer_.grow(field, state.frame, alive, occupied_, curve_index_, draft.next_id, state.wrinkles);
  measure_curves(state, old);
}

void Wrinkler::drop_gone(WrinklerState& state) {
  std::size_t kept = 0;
  for (std::size_t w = 0; w < state.wrinkles.size(); ++w)
    if (!is_gone(state.wrinkles[w])) std::swap(state.curves[kept++], state.curves[w]);
  pool_->drop(state.wrinkles, is_gone);
}

void Wrinkler::pack(const CompressionField& field, WrinklerState& state) {
  packer_.pack(field, state.wrinkles, state.curves, state.packed);
  border_.fade_out(state.positions, state.wrinkles, state.curves, params_, state.packed);
}

std::string Wrinkler::save() const {
  ByteWriter out = begin_save(kSaveHeader, *mesh_, params_);
  out.value(cloth_.rest.has_value());
  if (cloth_.rest) out.matrix(*cloth_.rest);
  out.list(cloth_.shared);
  out.value(state_ != nullptr);
  if (!state_) return out.take_sealed();
  out.list(state_->reference);
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

Wrinkler Wrinkler::restore(std::string_view bytes) {
  const auto read = [](ByteReader& in, std::shared_ptr<const Mesh> mesh, const Params& params) {
    Cloth cloth;
    if (in.value<bool>()) in.matrix(cloth.rest.emplace());
    if (cloth.rest) require_saved_positions(*cloth.rest, "the rest pose");
    in.list(cloth.shared);
    Wrinkler run(std::move(mesh), params, std::move(cloth));
    if (in.value<bool>()) run.read_frame(in);
    return run;
  };
  return restore_run<Params>(bytes, kSaveHeader, "a saved run", read);
}

void Wrinkler::read_frame(ByteReader& in) {
  Matrix2List reference;
  in.list(reference);
  std::vector<std::int8_t> previous;
  in.list(previous);
  labeller_.set_previous(previous);
  state_ = std::make_shared<WrinklerState>(mesh_, params_);
  previous_ = std::make_shared<WrinklerState>(mesh_, params_);
  WrinklerState& state = *state_;
  for (WrinklerState* one : {state_.get(), previous_.get()}) {
    in.matrix(one->positions);
    require_positions(*mesh_, one->positions);
    require_saved_positions(one->positions, "positions");
    local_frames(*mesh_, one->positions, one->frames);
  }
  state.frame = in.value<std::int64_t>();
  state.time = in.value<double>();
  dt_ = in.value<double>();
  edge_length_ = in.value<double>();
  next_id_ = in.value<std::int64_t>();
  require_clock(state, dt_, edge_length_);
  require(state.frame > 0 || previous_->positions == state.positions, "the first frame is the one before itself too");
  const auto count = in.value<std::size_t>();
  std::int64_t last_id = -1;
  for (std::size_t w = 0; w < count; ++w) {
    Wrinkle& wrinkle = state.wrinkles.emplace_back();
    wrinkle.id = in.value<std::int64_t>();
    wrinkle.age = in.value<double>();
    wrinkle.alive = in.value<bool>();
    read_points(in, wrinkle.points);
    in.list(wrinkle.triangles);
    in.list(wrinkle.knot_widths);
    in.list(wrinkle.knot_heights);
    require_path(*mesh_, wrinkle);
    require_wrinkle(wrinkle, last_id, next_id_, params_.flat_width());
    last_id = wrinkle.id;
  }
  require(state.frame > 0 || count == 0, "the first frame has no wrinkles, got ", count);

  // What follows from the rest, so that state() is that of the last frame.
  require_reference(reference, state.frames.matrices.size());
  state.reference = std::move(reference);
  state.seconds.assign(kStages.size(), 0);
  const Draft draft{state, *previous_, dt_, edge_length_, next_id_};
  measure_motion(draft);
  // A triangle of exploded cloth that gets an area again moves by an infinite stretch.
  require_numbers(state.motion, "motion", true);
  label_costs(state.motion.minimum, state.motion.maximum, params_, state.costs, still_);
  state.labels.assign(previous.begin(), previous.end());
  std::replace(state.labels.begin(), state.labels.end(), std::int8_t(kNone), std::int8_t(kRest));
  const CompressionField field = measure_compression(state);
  require_numbers(state.stretch, "stretch", false);
  measure_curves(state, 0);
  pack(field, state);
  previous_->frames = {};
}

}  // namespace pucker
