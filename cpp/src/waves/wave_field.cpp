#include "pucker/waves/wave_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/border.h"
#include "pucker/mesh/frames.h"
#include "pucker/reuse.h"
#include "pucker/saved_run.h"
#include "pucker/stopwatch.h"

namespace pucker::waves {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker waves 7\n";

constexpr std::array<std::string_view, 3> kStages = {"crush", "relax", "packing"};

/// Frames are a whole number of intervals apart to rounding; their rounds are then the same whole number each.
constexpr double kRounding = 1e-6;
/// Seconds.
constexpr double kLongestGap = 1;

double wavelength_of(const Params& params, std::optional<double> height) {
  params.validate();
  if (params.unit == WavelengthUnit::clip) return params.wavelength;
  require(height.has_value(),
          "params.wavelength is a share of the character's height, which is not given: give it, "
          "or a wavelength in the clip's unit with params.unit = clip");
  require(std::isfinite(*height) && *height > 0, "height must be finite and above 0, got ", *height);
  return params.wavelength * *height;
}

PleatTable table_of(const std::vector<double>& values) {
  for (const Pleat pleat : {Pleat::cosine, Pleat::accordion, Pleat::pencil}) {
    const PleatTable table(pleat);
    if (std::equal(values.begin(), values.end(), table.values().begin(), table.values().end())) return table;
  }
  return PleatTable(values);
}

/// Throws InvalidArgument unless a run can stand at this frame and time, with that share of a round left over.
void require_clock(const WaveState& state, double left_over) {
  require_saved_frame(state);
  require(left_over >= 0 && left_over < 1, "less than one round is left over, not ", left_over);
}

void require_waves(const PlaneWaves& waves, std::int64_t count) {
  for (const auto* list : {&waves.wavelengths, &waves.stretches, &waves.amplitudes}) {
    require(std::int64_t(list->size()) == count, "there are waves of ", list->size(), " vertices, the mesh has ",
            count);
    for (const double value : *list) require(std::isfinite(value) && value >= 0, "a wave has the size ", value);
  }
  for (std::size_t v = 0; v < std::size_t(count); ++v) {
    require(waves.wavelengths[v] >= kLeastWavelength && waves.wavelengths[v] <= kLargestWavelength,
            "a wave has the length ", waves.wavelengths[v]);
    require(waves.amplitudes[v] <= 0.25 * (1 + kRounding) * waves.wavelengths[v], "a wave of the length ",
            waves.wavelengths[v], " has the amplitude ", waves.amplitudes[v]);
  }
  for (const Array3* rows : {&waves.directions, &waves.wave_vectors, &waves.normals})
    require(rows->rows() == count && rows->allFinite(), "the vectors of the waves do not fit a mesh of ", count,
            " vertices or are not finite");
}

}  // namespace

WaveState::WaveState(std::shared_ptr<const Mesh> mesh, std::shared_ptr<const Array3> rest, const PleatTable& table,
                     Gradient gradient)
    : mesh_(std::move(mesh)),
      rest_(std::move(rest)),
      table_(table),
      detail_({*mesh_, positions, waves, phases, table_, rest_ ? *rest_ : positions,
               waves.vectors(rest_ ? Coordinates::rest : Coordinates::frame)},
              packed, gradient) {}

std::span<const std::string_view> WaveState::stages() const { return kStages; }
std::span<const std::string_view> WaveField::stages() const { return kStages; }

std::int64_t rounds_due(const Params& params, std::optional<double> gap, double& left_over) {
  double due = params.relax.start_rounds;
  if (gap) due = left_over + params.relax.rounds * std::min(*gap, kLongestGap) / params.interval;
  const double rounds = std::floor(due + kRounding);
  left_over = std::max(due - rounds, 0.0);
  return std::int64_t(rounds);
}

WaveField::WaveField(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, const Params& params,
                     std::optional<double> height, std::vector<std::int32_t> shared)
    : WaveField(std::move(mesh), rest, params, Wavelength{wavelength_of(params, height)}, std::move(shared)) {}

WaveField::WaveField(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, const Params& params,
                     Wavelength wavelength, std::vector<std::int32_t> shared)
    : mesh_(std::move(mesh)),
      params_(params),
      table_(params.profile),
      shared_(std::move(shared)),
      crush_(mesh_, rest, wavelength.value, params.crush),
      relax_(mesh_, params.relax, params.seed) {
  if (params_.coordinates == Coordinates::rest) rest_ = std::make_shared<const Array3>(crush_.rest());
  if (params_.border_fade > 0) distances_ = border_distances(*mesh_, crush_.rest(), shared_);
  fade_border();
}

void WaveField::fade_border() {
  if (distances_.empty()) return;
  std::vector<double> shares(distances_.size());
  for (std::size_t v = 0; v < shares.size(); ++v)
    shares[v] = border_share(distances_[v], params_.border_fade * wavelengths()[v]);
  crush_.set_shares(shares);
}

void WaveField::set_wavelengths(std::span<const double> wavelengths) {
  crush_.set_wavelengths(wavelengths);
  fade_border();
}

std::shared_ptr<WaveState> WaveField::unused_state() {
  if (held_alone(previous_) && previous_->detail().field().table.values() == table_.values())
    return std::move(previous_);
  return new_state();
}

std::shared_ptr<WaveState> WaveField::new_state() const {
  return std::make_shared<WaveState>(mesh_, rest_, table_, params_.gradient);
}

void WaveField::compare(const WaveState& state) {
  relax_.prepare(state.waves, state.detail().field().places, params_.coordinates);
}

const WaveState& WaveField::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  std::shared_ptr<WaveState> next = unused_state();
  WaveState& state = *next;
  state.positions = positions;
  state.frame = state_ ? state_->frame + 1 : 0;
  state.time = time;
  try {
    run_stages(state);
  } catch (...) {
    go_back();
    throw;
  }
  previous_ = std::exchange(state_, std::move(next));
  return state;
}

void WaveField::run_stages(WaveState& state) {
  const std::optional<double> gap = state_ ? std::optional(state.time - state_->time) : std::nullopt;
  Stopwatch watch(state.seconds, kStages.size());
  state.waves.copy(crush_.step(state.positions, gap ? *gap / params_.interval : 1));
  state.report = crush_.report();
  watch.lap(Stage::crush);

  const std::span<const double> influences = relax_.influences();
  waved_.resize(influences.size());
  for (std::size_t v = 0; v < waved_.size(); ++v) waved_[v] = influences[v] > 0;
  compare(state);
  start_waves();
  double left_over = left_over_;
  relax_.step(rounds_due(params_, gap, left_over));
  finish(state);
  watch.lap(Stage::relax);

  pack_waves(state.detail().field(), state.packed);
  watch.lap(Stage::packing);
  left_over_ = left_over;
}

void WaveField::go_back() {
  if (state_) {
    crush_.resume(state_->waves);
    compare(*state_);
    relax_.set_phases(state_->phases);
  } else {
    crush_.reset();
    relax_.reset();
  }
}

void WaveField::start_waves() {
  const Start start = params_.relax.start;
  if (start == Start::carried) relax_.carry_on_everywhere(waved_);
  // Most waves that appear are beside others; where none had one, phases are solved.
  if (start == Start::solved && relax_.carry_on(waved_)) relax_.solve(waved_);
}

void WaveField::finish(WaveState& state) {
  const std::span<const double> phases = relax_.phases();
  state.phases.assign(phases.begin(), phases.end());
  state.energy = relax_.energy();
}

PhaseReport WaveField::solve() {
  const WaveState& last = state();
  std::shared_ptr<WaveState> next = unused_state();
  try {
    const PhaseReport report = relax_.solve();
    next->frame = last.frame;
    next->time = last.time;
    next->positions = last.positions;
    next->seconds = last.seconds;
    next->waves = last.waves;
    next->report = last.report;
    finish(*next);
    pack_waves(next->detail().field(), next->packed);
    previous_ = std::exchange(state_, std::move(next));
    return report;
  } catch (...) {
    go_back();
    throw;
  }
}

std::string WaveField::save() const {
  ByteWriter out = begin_save(kSaveHeader, *mesh_, params_);
  out.matrix(crush_.rest());
  out.list(shared_);
  out.list(wavelengths());
  out.matrix(paint());
  out.list(table_.values());
  out.value(state_ != nullptr);
  if (!state_) return out.take_sealed();
  out.value(state_->frame);
  out.value(state_->time);
  out.value(left_over_);
  out.matrix(state_->positions);
  out.value(state_->report);
  const PlaneWaves& waves = state_->waves;
  out.list(waves.wavelengths);
  out.list(waves.stretches);
  out.list(waves.amplitudes);
  out.matrix(waves.directions);
  out.matrix(waves.wave_vectors);
  out.matrix(waves.normals);
  out.list(state_->phases);
  return out.take_sealed();
}

WaveField WaveField::restore(std::string_view bytes) {
  const auto read = [](ByteReader& in, std::shared_ptr<const Mesh> mesh, const Params& params) {
    Array3 rest;
    in.matrix(rest);
    std::vector<std::int32_t> shared;
    in.list(shared);
    std::vector<double> wavelengths;
    in.list(wavelengths);
    Array3 paint;
    in.matrix(paint);
    std::vector<double> table;
    in.list(table);
    params.validate();
    require(mesh->vertex_count() == rest.rows(), "a mesh of ", mesh->vertex_count(), " vertices has a rest pose of ",
            rest.rows());
    require_saved_positions(rest, "the rest pose");
    // The height that the wavelength was a share of is not saved: each vertex has its own.
    WaveField run(std::move(mesh), rest, params, Wavelength{kLeastWavelength}, std::move(shared));
    run.set_wavelengths(wavelengths);
    run.set_paint(paint);
    run.table_ = table_of(table);
    if (in.value<bool>()) {
      run.state_ = run.new_state();
      WaveState& state = *run.state_;
      state.frame = in.value<std::int64_t>();
      state.time = in.value<double>();
      run.left_over_ = in.value<double>();
      in.matrix(state.positions);
      state.report = in.value<CrushReport>();
      PlaneWaves& waves = state.waves;
      in.list(waves.wavelengths);
      in.list(waves.stretches);
      in.list(waves.amplitudes);
      in.matrix(waves.directions);
      in.matrix(waves.wave_vectors);
      in.matrix(waves.normals);
      std::vector<double> phases;
      in.list(phases);
      require_clock(state, run.left_over_);
      require_positions(*run.mesh_, state.positions);
      require_saved_positions(state.positions, "positions");
      require_waves(waves, run.mesh_->vertex_count());
      run.crush_.resume(waves);
      run.relax_.set_phases(phases);
      run.compare(state);
      run.finish(state);
      pack_waves(state.detail().field(), state.packed);
      state.seconds.assign(kStages.size(), 0);
    }
    return run;
  };
  return restore_run<Params>(bytes, kSaveHeader, "a saved run of the wave field", read);
}

}  // namespace pucker::waves
