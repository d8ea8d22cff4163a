#include "pucker/drape/drape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pucker/drape/four.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/reuse.h"
#include "pucker/saved_run.h"
#include "pucker/stopwatch.h"
#include "pucker/threads.h"

namespace pucker::drape {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker drape 8\n";
constexpr const char* kSavedRun = "a saved run of draped cloth";

/// Of a pull, as a multiple of the hold: beyond, nothing else is seen, and frames of hardly a length leave the range.
constexpr double kMostPull = 1e100;

enum class Stage { guide, balance, normals };
constexpr std::array<std::string_view, 3> kStages = {"guide", "balance", "normals"};

std::shared_ptr<const Setting> setting_of(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut,
                                          const Params& params, std::span<const std::int32_t> shared,
                                          std::string cut_from, Maps maps) {
  params.validate();
  auto out = std::make_shared<Setting>();
  const int levels = levels_of(*mesh, cut, params, maps);
  out->levels = std::make_shared<const Levels>(subdivided(std::move(mesh), levels, cut), shared, params.sewn);
  out->lengths = lengths_of(*out->levels, cut, params, maps);
  out->maps = std::move(maps);
  out->cut = cut;
  out->cut_from = std::move(cut_from);
  const Index2& edges = out->levels->coarse()->edges();
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    out->feature_size += (cut.row(edges(e, 0)) - cut.row(edges(e, 1))).norm() / double(edges.rows());
  // Of the smallest feature that there can be, as triangles are of different sizes.
  out->feature_size = std::ldexp(out->feature_size / 2, -levels);
  return out;
}

}  // namespace

bool Setting::jumps(const ConstArray3& from, const ConstArray3& to) const {
  return (to - from).rowwise().norm().maxCoeff() > lengths.extent;
}

void require_near(const ConstArray3& positions) {
  const double farthest = positions.cwiseAbs().maxCoeff();
  require(farthest <= kFarthest, "draped cloth needs positions within ", kFarthest, ", got ", farthest);
}

std::vector<double> mass_shares(const Lengths& lengths, const Params& params) {
  std::vector<double> out;
  out.reserve(lengths.fold_sizes.size());
  for (const double size : lengths.fold_sizes) {
    const double share = size / (params.fold_size * lengths.extent);
    out.push_back(share * share);
  }
  return out;
}

std::span<const std::string_view> DrapeState::stages() const { return kStages; }
std::span<const std::string_view> Drape::stages() const { return kStages; }

Drape::Drape(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut, Params params, std::vector<std::int32_t> shared,
             std::string cut_from, std::shared_ptr<const Body> body, Maps maps)
    : params_(std::move(params)),
      shared_(std::move(shared)),
      setting_(setting_of(std::move(mesh), cut, params_, shared_, std::move(cut_from), std::move(maps))),
      body_(std::move(body)),
      guide_(setting_->levels),
      balance_(setting_->levels, cut, setting_->lengths, pinned(),
               {.creep = params_.creep, .compression = params_.compression}),
      inertia_(params_.swing, mass_shares(setting_->lengths, params_), setting_->lengths.extent),
      height_(setting_->levels->whole().fine(), params_.gain, pinned()) {
  const double extent = setting_->lengths.extent;
  const double clearance = params_.clearance * extent;
  if (params_.layers) layers_.emplace(*setting_->levels, cut, setting_->lengths, pinned(), clearance);
  if (layers_ && layers_->covered().empty()) layers_.reset();
  if (!body_ || !params_.contact) return;
  contact_.emplace(body_, *setting_->levels, cut, clearance, kReach * extent,
                   layers_ ? std::span(layers_->beneath()) : std::span<const double>());
}

std::string Drape::body_warning() const {
  const double share = cut_inside();
  if (share < kMuchInside) return {};
  return message(std::lround(100 * share), " % of the garment lies within the body in the pose it was cut for, where ",
                 "the body does not keep it out: is its pose another one there?");
}

void Drape::require_frame(const ConstArray3& positions, double time) const {
  MethodOf::require_frame(positions, time);
  if (contact_) (void)body_->positions(state_ ? state_->frame + 1 : 0);
}

const DrapeState& Drape::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  if (!contact_) return drape(positions, Array3(0, 3), time);
  return drape(positions, body_->positions(state_ ? state_->frame + 1 : 0), time);
}

const DrapeState& Drape::advance_worn(const ConstArray3& positions, const ConstArray3& body, double time) {
  MethodOf::require_frame(positions, time);
  if (contact_) body_->require_positions(body);
  return drape(positions, body, time);
}

const DrapeState& Drape::drape(const ConstArray3& positions, const ConstArray3& body, double time) {
  require_near(positions);
  std::shared_ptr<DrapeState> next =
      held_alone(previous_) ? std::move(previous_) : std::make_shared<DrapeState>(setting_);
  DrapeState& state = *next;
  Stopwatch watch(state.seconds, kStages.size());
  state.positions = positions;
  state.frame = state_ ? state_->frame + 1 : 0;
  state.time = time;
  state.started = !state_ || setting_->jumps(state_->positions, state.positions);
  guide_.step(state.positions);
  guide_.swap_positions(state.guide);
  watch.lap(Stage::guide);

  if (contact_) {
    contact_->step(body);
    contact_->set_guide(state.guide, guide_.normals());
  }
  const double passed = state.started ? 0 : time - state_->time;
  if (state.started) {
    state.balanced = state.guide;
    inertia_.start();
    aim(state, {});
    state.solved = balance_.solve(state.balanced, params_.iterations * params_.settling, params_.tolerance);
  } else {
    state.balanced.resize(state.guide.rows(), 3);
    parallel_blocks(pinned().size(), kTaken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto v = Eigen::Index(i);
        state.balanced.row(v) = state.guide.row(v) + local_.row(v) * guide_.frame(i, state.guide).transpose();
      }
    });
    const std::array<Pull, 3> pulls = {
        Pull{.to = &state_->balanced, .weight = std::min(params_.lag / passed, kMostPull)},
        Pull{.to = &state.balanced, .weight = std::min(params_.memory / passed, kMostPull)},
        inertia_.pull(state_->balanced, passed, local_)};
    aim(state, pulls);
    state.solved = balance_.solve(state.balanced, params_.iterations, params_.tolerance);
  }
  balance_.residuals(state.residuals);
  lift(state);
  if (!state.started) inertia_.step(state_->balanced, state.balanced, passed);
  height_.raise(state.guide, guide_.normals(), state.balanced, state.draped);
  if (height_.gain() != 1) keep_out(state.guide, state.draped);
  watch.lap(Stage::balance);
  guide_.ring_normals().step(state.draped, state.normals);
  keep(state);
  watch.lap(Stage::normals);
  previous_ = std::exchange(state_, std::move(next));
  return state;
}

void Drape::aim(DrapeState& state, std::span<const Pull> pulls) {
  const double depth = params_.depth * setting_->lengths.extent;
  if (!contact_) {
    balance_.aim(state.guide, guide_.normals(), pulls, depth);
    return;
  }
  points_ = state.guide;
  // Those of the planes, until the surface has some.
  state.normals = guide_.normals();
  depths_.assign(pinned().size(), depth);
  near_.resize(pinned().size());
  contact_->touch(state.balanced, pinned(), points_, state.normals, near_);
  for (std::size_t v = 0; v < near_.size(); ++v)
    if (near_[v] != 0) depths_[v] = -contact_->room()[v];
  balance_.aim(state.guide, pulls, {.points = points_, .normals = state.normals, .depths = depths_});
}

void Drape::lift(DrapeState& state) {
  const double depth = params_.depth * setting_->lengths.extent;
  state.on_body.assign(pinned().size(), 0);
  parallel_blocks(state.on_body.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (auto v = Eigen::Index(begin); v < Eigen::Index(end); ++v) {
      // Where springs have drawn a vertex through its plane of the body, it would be too deep to be found.
      const bool on_body = contact_ && near_[std::size_t(v)] != 0;
      const Array3& normals = on_body ? state.normals : guide_.normals();
      const Array3& places = on_body ? points_ : state.guide;
      const double room = on_body ? depths_[std::size_t(v)] : depth;
      const auto normal = normals.row(v);
      const double below = (state.balanced.row(v) - places.row(v)).dot(normal) + room;
      if (below < 0) state.balanced.row(v) -= below * normal;
      // Rounding of the solver, in which a vertex that is pushed against its plane ends on either side of it.
      constexpr double rounding = 1e-6;
      if (on_body && below <= rounding * setting_->lengths.extent) state.on_body[std::size_t(v)] = 1;
    }
  });
  keep_out(state.guide, state.balanced);
}

void Drape::keep_out(const Array3& guide, Array3& places) {
  if (contact_) contact_->lift(places, pinned());
  if (!layers_) return;
  stayed_.resize(pinned().size());
  layers_->keep(guide, guide_.normals(), places, stayed_);
  if (contact_) contact_->lift(places, stayed_);
}

void Drape::keep(const DrapeState& state) {
  local_.resize(state.balanced.rows(), 3);
  parallel_blocks(std::size_t(local_.rows()), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto v = Eigen::Index(i);
      local_.row(v) = (state.balanced.row(v) - state.guide.row(v)) * guide_.frame(i, state.guide);
    }
  });
}

std::string Drape::save() const {
  ByteWriter out = begin_save(kSaveHeader, *mesh(), params_);
  out.matrix(setting_->cut);
  out.list(setting_->cut_from);
  out.list(shared_);
  out.list(setting_->maps.stiffness);
  out.list(setting_->maps.tightness);
  out.value(body_ != nullptr);
  out.value(body_ ? body_->checksum() : std::uint64_t{0});
  out.value(state_ != nullptr);
  if (!state_) return out.take_sealed();
  out.value(state_->frame);
  out.value(state_->time);
  out.matrix(state_->positions);
  out.matrix(state_->balanced);
  out.matrix(state_->draped);
  out.value(state_->solved.iterations);
  out.value(state_->solved.energy);
  out.value(state_->solved.residual);
  out.value(state_->started);
  out.list(state_->residuals);
  out.list(state_->on_body);
  inertia_.save(out);
  return out.take_sealed();
}

std::unique_ptr<pucker::Method> Drape::restored(std::string_view bytes) const {
  return std::make_unique<Drape>(restore(bytes, body_));
}

Drape Drape::restore(std::string_view bytes, std::shared_ptr<const Body> body) {
  const auto read = [&](ByteReader& in, const std::shared_ptr<const Mesh>& mesh, Params params) {
    Array3 cut;
    in.matrix(cut);
    std::vector<char> cut_from;
    in.list(cut_from);
    std::vector<std::int32_t> shared;
    in.list(shared);
    Maps maps;
    in.list(maps.stiffness);
    in.list(maps.tightness);
    const bool on_body = in.value<bool>();
    const auto checksum = in.value<std::uint64_t>();
    if (on_body && (!body || body->checksum() != checksum))
      throw Error(message(kSavedRun, " goes on only with the body that it had"));
    require(cut.rows() == mesh->vertex_count(), "a mesh of ", mesh->vertex_count(), " vertices has a cut of ",
            cut.rows());
    require_saved_positions(cut, "the cut");
    Drape run(mesh, cut, std::move(params), std::move(shared), {cut_from.begin(), cut_from.end()},
              on_body ? body : nullptr, std::move(maps));
    if (!in.value<bool>()) return run;
    run.state_ = std::make_shared<DrapeState>(run.setting_);
    DrapeState& state = *run.state_;
    state.frame = in.value<std::int64_t>();
    state.time = in.value<double>();
    in.matrix(state.positions);
    require_saved_frame(state);
    require_positions(*run.mesh(), state.positions);
    require_saved_positions(state.positions, "positions");
    run.guide_.step(state.positions);
    run.guide_.swap_positions(state.guide);
    const auto read_cloth = [&](Array3& cloth, const char* which) {
      in.matrix(cloth);
      require_positions(*run.setting_->levels->whole().fine(), cloth);
      require_saved_positions(cloth, which);
    };
    read_cloth(state.balanced, "balanced");
    read_cloth(state.draped, "draped");
    state.solved.iterations = in.value<std::int32_t>();
    state.solved.energy = in.value<double>();
    state.solved.residual = in.value<double>();
    state.started = in.value<bool>();
    in.list(state.residuals);
    in.list(state.on_body);
    require(state.solved.iterations >= 0 && std::isfinite(state.solved.energy) && std::isfinite(state.solved.residual),
            "a solve of ", state.solved.iterations, " iterations cannot end at the energy ", state.solved.energy,
            " with the residual ", state.solved.residual);
    for (const std::size_t count : {state.residuals.size(), state.on_body.size()})
      require(count == run.pinned().size(), "numbers of ", count, " vertices are not those of ", run.pinned().size());
    for (const float residual : state.residuals)
      require(std::isfinite(residual) && residual >= 0, "residuals must be finite and at least 0, got ", residual);
    for (const std::uint8_t each : state.on_body) require(each <= 1, "on_body must be 0 or 1, got ", int(each));
    run.inertia_.restore(in, state.balanced.rows());
    run.guide_.ring_normals().step(state.draped, state.normals);
    run.keep(state);
    state.seconds.assign(kStages.size(), 0);
    return run;
  };
  return restore_run<Params>(bytes, kSaveHeader, kSavedRun, read);
}

DrapeDetail::DrapeDetail(const DrapeState& state)
    : LoopDetail(*state.setting().levels->coarse(), state.positions), state_(state) {}

const std::shared_ptr<const LoopSubdivision>& DrapeDetail::subdivision() const {
  return state_.setting().levels->share();
}
const Array3& DrapeDetail::fine_positions() const { return state_.draped; }
const Array3& DrapeDetail::fine_normals() const { return state_.normals; }
double DrapeDetail::feature_size() const { return state_.setting().feature_size; }

}  // namespace pucker::drape
