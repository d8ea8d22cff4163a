#include "pucker/dynamic/wrinkler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "pucker/errors.h"
#include "pucker/serial.h"

namespace pucker {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker run 1\n";

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

class Stopwatch {
 public:
  explicit Stopwatch(std::array<double, kStageCount>& seconds) : seconds_(seconds) { seconds_.fill(0); }
  /// Adds the time since the last call to `stage`.
  void lap(Stage stage) {
    const auto now = std::chrono::steady_clock::now();
    seconds_[std::size_t(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::array<double, kStageCount>& seconds_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, kStageCount> names = {"stretch", "labels", "reference", "persistence",
                                                               "tracing", "shape",  "packing"};
  return names[std::size_t(stage)];
}

Wrinkler::Wrinkler(std::shared_ptr<const Mesh> mesh, const Params& params)
    : mesh_(std::move(mesh)),
      params_(params),
      labeller_(mesh_, params.label),
      tracer_(mesh_, params),
      persistence_(mesh_, params),
      shaper_(params),
      packer_(*mesh_),
      occupied_(*mesh_) {}

const State& Wrinkler::state() const {
  require(reference_.has_value(), "there is no state before the first frame: call advance first");
  return state_;
}

const ReferenceShape& Wrinkler::reference() const {
  require(reference_.has_value(), "there are no reference triangles before the first frame: call advance first");
  return *reference_;
}

const State& Wrinkler::advance(const ConstArray3& positions, double time) {
  require_positions(*mesh_, positions);
  require(std::isfinite(time), "time must be finite, got ", time);
  require(!reference_ || time > state_.time, "time must grow: the last frame was at ", state_.time, " s, got ", time,
          " s");
  Stopwatch watch(state_.seconds);
  const double dt = reference_ ? time - state_.time : 0;
  positions_.swap(previous_positions_);
  std::swap(state_.frames, previous_frames_);
  positions_ = positions;
  local_frames(*mesh_, positions_, state_.frames);
  if (!reference_) {
    previous_positions_ = positions_;
    previous_frames_ = state_.frames;
    reference_.emplace(state_.frames.matrices, params_);
    edge_length_ = mean_edge_length(*mesh_, positions_);
  } else {
    ++state_.frame;
  }
  state_.time = time;
  dt_ = dt;
  measure_motion();
  watch.lap(Stage::stretch);

  label_costs(state_.motion.minimum, state_.motion.maximum, params_.label, state_.costs, still_);
  const std::span<const std::int8_t> labels = labeller_.step(state_.costs, still_);
  state_.labels.assign(labels.begin(), labels.end());
  watch.lap(Stage::labels);

  if (dt > 0) reference_->step(state_.labels, state_.frames.matrices, dt);
  watch.lap(Stage::reference);
  measure_compression();
  watch.lap(Stage::stretch);

  const CompressionField field = this->field();
  if (dt > 0) {
    persistence_.step({previous_positions_, previous_frames_, field, state_.motion, edge_length_, dt}, occupied_,
                      next_id_, state_.wrinkles);
    watch.lap(Stage::persistence);
    find_new_wrinkles(field);
    watch.lap(Stage::tracing);
  }

  for (Wrinkle& wrinkle : state_.wrinkles) {
    path_curve(wrinkle, positions_, state_.frames, curve_);
    shaper_.step(curve_, state_.compression, dt, wrinkle);
  }
  drop_gone();
  measure_curves();
  watch.lap(Stage::shape);
  packer_.pack(field, state_.wrinkles, state_.curves, state_.packed);
  watch.lap(Stage::packing);
  return state_;
}

CompressionField Wrinkler::field() const {
  return {*mesh_, positions_, state_.frames, state_.stretch, state_.compression};
}

void Wrinkler::measure_motion() {
  stretch_sizes(previous_frames_.matrices, state_.frames.matrices, state_.motion);
  if (!params_.verbatim && dt_ > 0) rescale_rate(state_.motion, params_.interval / dt_);
  still_.resize(state_.motion.minimum.size());
  for (std::size_t t = 0; t < still_.size(); ++t)
    still_[t] = !(previous_frames_.areas[t] > 0) || !(state_.frames.areas[t] > 0) ||
                !(state_.motion.minimum[t] >= kCollapsed) || !std::isfinite(state_.motion.maximum[t]);
}

void Wrinkler::measure_compression() {
  stretch(reference_->matrices(), state_.frames.matrices, state_.stretch);
  compression(state_.stretch, {}, state_.compression);
}

void Wrinkler::measure_curves() {
  // Curves beyond the wrinkles stay for their memory.
  std::vector<PathCurve>& curves = state_.curves;
  if (curves.size() < state_.wrinkles.size()) curves.resize(state_.wrinkles.size());
  for (std::size_t w = 0; w < state_.wrinkles.size(); ++w)
    path_curve(state_.wrinkles[w], positions_, state_.frames, curves[w]);
}

void Wrinkler::drop_gone() {
  std::size_t kept = 0;
  for (Wrinkle& wrinkle : state_.wrinkles) {
    if (is_gone(wrinkle)) {
      // Both draw on what is given back; the one with less gets it, so that neither hoards.
      if (tracer_.spare_count() < persistence_.spare_count()) {
        tracer_.recycle(std::move(wrinkle));
      } else {
        persistence_.recycle(std::move(wrinkle));
      }
    } else {
      if (&state_.wrinkles[kept] != &wrinkle) state_.wrinkles[kept] = std::move(wrinkle);
      ++kept;
    }
  }
  state_.wrinkles.resize(kept);
}

void Wrinkler::find_new_wrinkles(const CompressionField& field) {
  curve_index_.reset(params_.tracing.seed_distance * params_.flat_width());
  std::size_t alive = 0;
  for (const Wrinkle& wrinkle : state_.wrinkles) {
    if (!wrinkle.alive) continue;
    ++alive;
    path_curve(wrinkle, positions_, state_.frames, curve_);
    curve_index_.insert(curve_);
  }
  tracer_.grow(field, state_.frame, alive, occupied_, curve_index_, next_id_, state_.wrinkles);
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
  out.matrix(positions_);
  out.matrix(previous_positions_);
  out.value(state_.frame);
  out.value(state_.time);
  out.value(dt_);
  out.value(edge_length_);
  out.value(next_id_);
  out.value(state_.wrinkles.size());
  for (const Wrinkle& wrinkle : state_.wrinkles) {
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
    in.matrix(run.positions_);
    in.matrix(run.previous_positions_);
    require_positions(*run.mesh_, run.positions_);
    require_positions(*run.mesh_, run.previous_positions_);
    run.state_.frame = in.value<std::int64_t>();
    run.state_.time = in.value<double>();
    run.dt_ = in.value<double>();
    run.edge_length_ = in.value<double>();
    run.next_id_ = in.value<std::int64_t>();
    const auto count = in.value<std::size_t>();
    for (std::size_t w = 0; w < count; ++w) {
      Wrinkle& wrinkle = run.state_.wrinkles.emplace_back();
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
    local_frames(*run.mesh_, run.positions_, run.state_.frames);
    local_frames(*run.mesh_, run.previous_positions_, run.previous_frames_);
    run.reference_.emplace(run.state_.frames.matrices, params);
    run.reference_->set_matrices(std::move(reference));
    run.state_.seconds.fill(0);
    run.measure_motion();
    label_costs(run.state_.motion.minimum, run.state_.motion.maximum, params.label, run.state_.costs, run.still_);
    run.state_.labels.assign(previous.begin(), previous.end());
    std::replace(run.state_.labels.begin(), run.state_.labels.end(), std::int8_t(kNone), std::int8_t(kRest));
    run.measure_compression();
    run.measure_curves();
    run.packer_.pack(run.field(), run.state_.wrinkles, run.state_.curves, run.state_.packed);
    return run;
  } catch (const InvalidArgument& error) {
    throw Error(message("a saved run holds what no run can: ", error.what()));
  }
}

}  // namespace pucker
