#include "pucker/drape/drape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/saved_run.h"
#include "pucker/sharing.h"
#include "pucker/stopwatch.h"

namespace pucker::drape {

namespace {

/// First bytes of a saved run; the number changes whenever the layout does.
constexpr std::string_view kSaveHeader = "pucker drape 1\n";
constexpr const char* kSavedRun = "a saved run of draped cloth";

enum class Stage { guide, balance, normals };
constexpr std::array<std::string_view, 3> kStages = {"guide", "balance", "normals"};

std::shared_ptr<const Setting> setting_of(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut,
                                          const Params& params) {
  params.validate();
  auto out = std::make_shared<Setting>();
  const int levels = levels_of(*mesh, cut, params);
  out->levels = std::make_shared<const Levels>(std::move(mesh), levels);
  out->lengths = lengths_of(*out->levels, cut, params);
  out->cut = cut;
  const Index2& edges = out->levels->mesh(0)->edges();
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    out->feature_size += (cut.row(edges(e, 0)) - cut.row(edges(e, 1))).norm() / double(edges.rows());
  // Of the smallest feature that there can be, as triangles are of different sizes.
  out->feature_size = std::ldexp(out->feature_size / 2, -levels);
  return out;
}

/// Fine vertices that come from shared ones alone.
std::vector<std::uint8_t> pinned_of(const LoopSubdivision& subdivision, const std::vector<std::int32_t>& shared,
                                    bool sewn) {
  const std::int64_t count = subdivision.coarse()->vertex_count();
  std::vector<std::uint8_t> is_shared(std::size_t(count), 0);
  for (const std::int32_t v : shared) {
    require(v >= 0 && v < count, "shared vertices must lie in [0, ", count, "), got ", v);
    is_shared[std::size_t(v)] = sewn ? 1 : 0;
  }
  const SparseRows& places = subdivision.barycentrics();
  std::vector<std::uint8_t> out(std::size_t(places.rows()), 1);
  for (Eigen::Index v = 0; v < places.rows(); ++v)
    for (SparseRows::InnerIterator entry(places, v); entry; ++entry)
      if (is_shared[std::size_t(entry.col())] == 0) out[std::size_t(v)] = 0;
  return out;
}

}  // namespace

std::span<const std::string_view> DrapeState::stages() const { return kStages; }
std::span<const std::string_view> Drape::stages() const { return kStages; }

Drape::Drape(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut, Params params, std::vector<std::int32_t> shared)
    : params_(std::move(params)),
      shared_(std::move(shared)),
      setting_(setting_of(std::move(mesh), cut, params_)),
      guide_(setting_->levels),
      balance_(setting_->levels, cut, setting_->lengths, pinned_of(setting_->levels->whole(), shared_, params_.sewn),
               {.creep = params_.creep, .compression = params_.compression, .tightness = params_.tightness}),
      normals_(*setting_->levels->whole().fine()) {}

const DrapeState& Drape::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  const double farthest = positions.cwiseAbs().maxCoeff();
  require(farthest <= kFarthest, "draped cloth needs positions within ", kFarthest, ", got ", farthest);
  std::shared_ptr<DrapeState> next =
      held_alone(previous_) ? std::move(previous_) : std::make_shared<DrapeState>(setting_);
  DrapeState& state = *next;
  Stopwatch watch(state.seconds, kStages.size());
  state.positions = positions;
  state.frame = state_ ? state_->frame + 1 : 0;
  state.time = time;
  state.started =
      !state_ || (state.positions - state_->positions).rowwise().norm().maxCoeff() > setting_->lengths.extent;
  guide_.step(state.positions);
  state.guide = guide_.positions();
  watch.lap(Stage::guide);

  const double depth = params_.depth * setting_->lengths.extent;
  if (state.started) {
    state.draped = state.guide;
    balance_.aim(state.guide, guide_.normals(), {}, depth);
    state.solved = balance_.solve(state.draped, params_.iterations * params_.settling, params_.tolerance);
  } else {
    carried_.resize(state.guide.rows(), 3);
    for (Eigen::Index v = 0; v < carried_.rows(); ++v) {
      const auto i = std::size_t(v);
      const Eigen::RowVector3d away = state_->draped.row(v) - state_->guide.row(v);
      carried_.row(v) = state.guide.row(v) + (away * frames_[i]) * guide_.frames()[i].transpose();
    }
    state.draped = carried_;
    const double passed = time - state_->time;
    const std::array<Pull, 2> pulls = {Pull{&state_->draped, params_.lag / passed},
                                       Pull{&carried_, params_.memory / passed}};
    balance_.aim(state.guide, guide_.normals(), pulls, depth);
    state.solved = balance_.solve(state.draped, params_.iterations, params_.tolerance);
  }
  lift(state);
  watch.lap(Stage::balance);
  finish(state);
  frames_ = guide_.frames();
  watch.lap(Stage::normals);
  previous_ = std::exchange(state_, std::move(next));
  return state;
}

void Drape::lift(DrapeState& state) const {
  const double depth = params_.depth * setting_->lengths.extent;
  for (Eigen::Index v = 0; v < state.draped.rows(); ++v) {
    const auto normal = guide_.normals().row(v);
    const double below = (state.draped.row(v) - state.guide.row(v)).dot(normal) + depth;
    if (below < 0) state.draped.row(v) -= below * normal;
  }
}

void Drape::finish(DrapeState& state) const {
  if (params_.gain == 1) {
    state.surface = state.draped;
  } else {
    state.surface = state.guide + params_.gain * (state.draped - state.guide);
  }
  normals_.step(state.surface, state.normals);
}

std::string Drape::save() const {
  ByteWriter out = begin_save(kSaveHeader, *mesh(), params_);
  out.matrix(setting_->cut);
  out.list(shared_);
  out.value(state_ != nullptr);
  if (!state_) return out.take_sealed();
  out.value(state_->frame);
  out.value(state_->time);
  out.matrix(state_->positions);
  out.matrix(state_->draped);
  out.value(state_->solved.iterations);
  out.value(state_->solved.energy);
  out.value(state_->solved.residual);
  out.value(state_->started);
  return out.take_sealed();
}

Drape Drape::restore(std::string_view bytes) {
  const auto read = [](ByteReader& in, const std::shared_ptr<const Mesh>& mesh, Params params) {
    Array3 cut;
    in.matrix(cut);
    std::vector<std::int32_t> shared;
    in.list(shared);
    require(cut.rows() == mesh->vertex_count(), "a mesh of ", mesh->vertex_count(), " vertices has a cut of ",
            cut.rows());
    require_saved_positions(cut, "the cut");
    Drape run(mesh, cut, std::move(params), std::move(shared));
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
    state.guide = run.guide_.positions();
    run.frames_ = run.guide_.frames();
    in.matrix(state.draped);
    require_positions(*run.setting_->levels->whole().fine(), state.draped);
    require_saved_positions(state.draped, "draped");
    state.solved.iterations = in.value<std::int32_t>();
    state.solved.energy = in.value<double>();
    state.solved.residual = in.value<double>();
    state.started = in.value<bool>();
    require(state.solved.iterations >= 0 && std::isfinite(state.solved.energy) && std::isfinite(state.solved.residual),
            "a solve of ", state.solved.iterations, " iterations cannot end at the energy ", state.solved.energy,
            " with the residual ", state.solved.residual);
    run.finish(state);
    state.seconds.assign(kStages.size(), 0);
    return run;
  };
  return restore_run<Params>(bytes, kSaveHeader, kSavedRun, read);
}

DrapeDetail::DrapeDetail(const DrapeState& state)
    : LoopDetail(*state.setting().levels->mesh(0), state.positions), state_(state) {}

const std::shared_ptr<const LoopSubdivision>& DrapeDetail::subdivision() const {
  return state_.setting().levels->share();
}
const Array3& DrapeDetail::fine_positions() const { return state_.surface; }
const Array3& DrapeDetail::fine_normals() const { return state_.normals; }
double DrapeDetail::feature_size() const { return state_.setting().feature_size; }

}  // namespace pucker::drape
