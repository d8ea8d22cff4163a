#include "pucker/waves/computed.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "cloth.h"
#include "pucker/draw/chain.h"
#include "pucker/errors.h"
#include "pucker/mesh/origin.h"
#include "pucker/saved_run.h"

namespace pucker::waves {

namespace {

constexpr std::string_view kComputedSaveHeader = "pucker computed waves 1\n";
constexpr std::size_t kMatrixSize = Bones::kMatrixSize;
constexpr std::size_t kMostJoints = Bones::kMost;

void put(float (&out)[3], const Vector3& in) {
  for (int k = 0; k < 3; ++k) out[k] = float(in[k]);
}

}  // namespace

class ComputedRun {
 public:
  ComputedRun(const WaveField& start, Bones bones);

  const Params& params() const { return start_.params(); }
  const Mesh& mesh() const { return *start_.mesh(); }
  const Bones& bones() const { return bones_; }
  double shortest() const { return shortest_; }
  double longest() const { return longest_; }
  std::array<double, 2> table_range() const { return table_range_; }

  /// The buffers of one that has seen no frame, or as they are.
  std::vector<draw::Buffer> buffers(bool kept) const;
  /// What puts the vertices where a frame has them, from `first` of the block Motion on, and its numbers there.
  draw::Program placing(std::size_t first, const Vector3& shift) const;
  /// Relative to the middle of the frame.
  void add_motion(const ComputedFrame& frame, std::vector<float>& out) const;

  /// What a WaveField has of a frame.
  std::shared_ptr<const WaveState> reference(const ComputedFrame& frame) const;

 private:
  void add_vertices(const Crush& crush);

  WaveField start_;
  Bones bones_;
  Vector3 rest_origin_;
  double shortest_ = 0;
  double longest_ = 0;
  std::array<double, 2> table_range_{};
  std::vector<PackedWave> waves_;
  std::vector<ClothVertex> cloth_;
  std::vector<Link> links_;
  mutable draw::FollowingRun<WaveField, ComputedFrame> following_;
};

class ComputedFrame final : public draw::ChainedFrame<ComputedFrame> {
 public:
  ComputedFrame(std::shared_ptr<const ComputedRun> run, std::shared_ptr<const ComputedFrame> before,
                const ConstArray3& positions, double time)
      : ChainedFrame(std::move(before), positions, time), run_(std::move(run)) {
    const ComputedFrame* last = this->before();
    const std::optional<double> gap = last != nullptr ? std::optional(time - last->time()) : std::nullopt;
    intervals_ = gap ? *gap / run_->params().interval : 1;
    left_over_ = last != nullptr ? last->left_over_ : 0;
    rounds_ = rounds_due(run_->params(), gap, left_over_);
  }

  const ComputedRun& run() const { return *run_; }

  /// For buffers as the programs of the frame `done` have left them.
  draw::Content content(const draw::Continued* done, const Vector3& origin) const;

 private:
  void add_programs(std::size_t motion_first, const Vector3& origin, std::vector<draw::Program>& out) const;

  std::shared_ptr<const ComputedRun> run_;
  double intervals_;
  double left_over_;
  std::int64_t rounds_;
};

ComputedRun::ComputedRun(const WaveField& start, Bones bones)
    : start_(start), bones_(std::move(bones)), rest_origin_(middle_of(start.rest())) {
  const std::vector<double>& wavelengths = start.wavelengths();
  if (!wavelengths.empty()) {
    const auto [low, high] = std::minmax_element(wavelengths.begin(), wavelengths.end());
    shortest_ = *low;
    longest_ = *high;
  }
  const auto [low, high] = std::minmax_element(start.profile().values().begin(), start.profile().values().end());
  table_range_ = {std::min(*low, 0.0), std::max(*high, 0.0)};
  Crush crush(start.mesh(), start.rest(), 1.0, start.params().crush);
  crush.set_paint(start.paint());
  add_vertices(crush);
}

void ComputedRun::add_vertices(const Crush& crush) {
  const Relax relax(start_.mesh(), params().relax, params().seed);
  const auto count = std::size_t(mesh().vertex_count());
  waves_.resize(count);
  cloth_.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    const auto vertex = std::int32_t(v);
    const Vector3& tangent = crush.tangent(vertex);
    const Vector3& bitangent = crush.bitangent(vertex);
    const Vector3 paint = crush.paint().row(vertex);
    const Vector3 rest = Vector3(crush.rest().row(vertex)) - rest_origin_;
    const std::span<const std::int32_t> neighbours = crush.neighbours().of(vertex);
    const std::span<const std::int32_t> triangles = mesh().ring(vertex);
    waves_[v] = {};
    waves_[v].phase = float(relax.phases()[v]);
    put(waves_[v].place, rest);
    ClothVertex& at = cloth_[v];
    at = {};
    put(at.rest, rest);
    at.wavelength = float(start_.wavelengths()[v]);
    at.share = float(start_.shares()[v]);
    put(at.tangent, tangent);
    put(at.bitangent, bitangent);
    at.first = std::uint32_t(links_.size());
    at.neighbours = std::uint32_t(neighbours.size());
    at.triangles = std::uint32_t(triangles.size());
    at.paint[0] = float(tangent.dot(paint));
    at.paint[1] = float(bitangent.dot(paint));
    for (std::size_t k = 0; k < kMostJoints && !bones_.joints.empty(); ++k) {
      at.joints[k] = std::uint32_t(bones_.joints[kMostJoints * v + k]);
      at.weights[k] = float(bones_.weights[kMostJoints * v + k]);
    }
    for (std::size_t i = 0; i < std::max(neighbours.size(), triangles.size()); ++i) {
      Link& link = links_.emplace_back();
      link = {};
      if (i < triangles.size()) link.triangle = std::uint32_t(triangles[i]);
      if (i >= neighbours.size()) continue;
      const Vector2& regressor = crush.regressors(vertex)[i];
      link.neighbour = std::uint32_t(neighbours[i]);
      link.regressor[0] = float(regressor.x());
      link.regressor[1] = float(regressor.y());
      if (params().crush.smoothing == 0) continue;
      const Vector2& turn = crush.turns(vertex)[i];
      link.turn[0] = float(turn.x());
      link.turn[1] = float(turn.y());
    }
  }
}

std::vector<draw::Buffer> ComputedRun::buffers(bool kept) const {
  const PleatTable& table = start_.profile();
  if (kept)
    return {draw::kept("Waves", std::as_bytes(std::span(waves_)).size()),
            draw::kept("Pleat", std::as_bytes(std::span(table.packed())).size()),
            draw::kept("Cloth", std::as_bytes(std::span(cloth_)).size()),
            draw::kept("Links", std::as_bytes(std::span(links_)).size())};
  return {draw::buffer_of("Waves", waves_), draw::buffer_of("Pleat", table.packed()), draw::buffer_of("Cloth", cloth_),
          draw::buffer_of("Links", links_)};
}

draw::Program ComputedRun::placing(std::size_t first, const Vector3& shift) const {
  return {bones_.matrices.empty() ? "place" : "skin",
          mesh().vertex_count(),
          {{"motion_first", std::uint32_t(first)},
           {"middle", std::array{float(shift.x()), float(shift.y()), float(shift.z())}}}};
}

void ComputedRun::add_motion(const ComputedFrame& frame, std::vector<float>& out) const {
  const Vector3& middle = frame.middle();
  if (bones_.matrices.empty()) {
    const Array3& positions = frame.positions();
    for (Eigen::Index v = 0; v < positions.rows(); ++v)
      for (int k = 0; k < 3; ++k) out.push_back(float(positions(v, k) - middle[k]));
    return;
  }
  const std::size_t size = kMatrixSize * std::size_t(bones_.joint_count);
  const double* matrix = bones_.matrices.data() + size * std::size_t(frame.number());
  for (std::int64_t j = 0; j < bones_.joint_count; ++j)
    for (int k = 0; k < 3; ++k, matrix += 4) {
      // From points that are relative to the middle of the rest pose.
      const double shift = matrix[0] * rest_origin_[0] + matrix[1] * rest_origin_[1] + matrix[2] * rest_origin_[2];
      for (int column = 0; column < 3; ++column) out.push_back(float(matrix[column]));
      out.push_back(float(matrix[3] + shift - middle[k]));
    }
}

std::shared_ptr<const WaveState> ComputedRun::reference(const ComputedFrame& frame) const {
  return following_.state_of(frame, start_);
}

draw::Content ComputedFrame::content(const draw::Continued* done, const Vector3& origin) const {
  const auto ahead = draw::frames_ahead(*this, done);
  draw::Content out;
  out.buffers = run_->buffers(!ahead.from_the_first);
  std::vector<float> motion;
  for (const ComputedFrame* next : ahead.frames) {
    next->add_programs(motion.size(), origin, out.programs);
    run_->add_motion(*next, motion);
  }
  if (!ahead.frames.empty()) out.programs.push_back({"divide", run_->mesh().triangle_count()});
  out.places_vertices = !ahead.frames.empty();
  out.buffers.push_back(ahead.frames.empty() ? draw::kept("Motion", 0) : draw::buffer_of("Motion", motion));
  out.constants = {{"gradient", std::int32_t(run_->params().gradient)}};
  out.continued = shared_from_this();
  return out;
}

void ComputedFrame::add_programs(std::size_t motion_first, const Vector3& origin,
                                 std::vector<draw::Program>& out) const {
  const Params& params = run_->params();
  const std::int64_t count = run_->mesh().vertex_count();
  out.push_back(run_->placing(motion_first, middle() - origin));
  out.push_back({"deform", count, {}});
  for (std::int32_t round = 0; round < params.crush.smoothing; ++round)
    out.push_back({"average", count, {{"from_other", round % 2}}});
  out.push_back({"crush",
                 count,
                 {{"rounds", params.crush.smoothing},
                  {"turn", float(params.crush.turn * intervals_)},
                  {"growth", float(params.crush.growth * intervals_)},
                  {"bend", float(params.crush.bend)},
                  {"threshold", float(params.crush.threshold)},
                  {"min_stretch", float(params.crush.min_stretch)},
                  {"on_cloth", std::int32_t(params.coordinates == Coordinates::rest)}}});
  out.push_back({"align",
                 count,
                 {{"slide", float(params.relax.slide / std::max(params.relax.rounds, 1))},
                  {"relative", std::int32_t(params.relax.influence == Influence::relative)}}});
  // One work group.
  if (params.relax.start == Start::carried) out.push_back({"carry", 1, {{"vertices", std::uint32_t(count)}}});
  // Both phases are the same before the first round; the last one leaves its result where it is drawn from.
  for (std::int64_t left = rounds_; left > 0; --left)
    out.push_back(
        {"relax",
         count,
         {{"from_other", std::int32_t(left % 2 == 1)}, {"step_share", float(params.relax.step / std::numbers::pi)}}});
}

std::string cut_warning(const Bones& bones) {
  if (bones.vertices_cut == 0) return "";
  return message(bones.vertices_cut, " of ", bones.joints.size() / kMostJoints, " vertices follow more than ",
                 kMostJoints, " joints: the largest influences are kept and scaled to sum 1, weights of up to ",
                 bones.most_lost, " are lost");
}

ComputedDetail::ComputedDetail(std::shared_ptr<const ComputedFrame> frame, const Array3& positions)
    : Detail(frame->run().mesh(), positions), frame_(std::move(frame)) {}

void ComputedDetail::evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                                   Evaluation& out) const {
  frame_->run().reference(*frame_)->detail().evaluate_into(triangles, barycentrics, out);
}

std::vector<std::uint8_t> ComputedDetail::reached() const {
  return std::vector<std::uint8_t>(std::size_t(mesh().triangle_count()), 1);
}

double ComputedDetail::feature_size() const { return 0.125 * frame_->run().shortest(); }

std::vector<double> ComputedDetail::feature_sizes() const {
  return frame_->run().reference(*frame_)->detail().feature_sizes();
}

std::array<double, 2> ComputedDetail::offset_range() const {
  const std::array<double, 2> range = frame_->run().table_range();
  const double highest = 0.25 * frame_->run().longest();
  return {highest * range[0], highest * range[1]};
}

draw::Content ComputedDetail::draw_content(const Vector3& origin, const draw::Continued* done) const {
  return frame_->content(done, origin);
}

ComputedState::ComputedState(std::shared_ptr<const ComputedFrame> taken)
    : taken_(std::move(taken)), detail_(taken_, positions) {
  frame = taken_->number();
  time = taken_->time();
  positions = taken_->positions();
}

const WaveState& ComputedState::reference() const {
  std::call_once(computed_, [this] { reference_ = taken_->run().reference(*taken_); });
  return *reference_;
}

ComputedField::ComputedField(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, const Params& params,
                             std::optional<double> height, std::vector<std::int32_t> shared)
    : start_(std::move(mesh), rest, params, height, std::move(shared)) {
  require(params.relax.start != Start::solved,
          "params.relax.start must be carried or random where waves are computed on the GPU, not solved: phases of "
          "least error are an eigenproblem");
}

void ComputedField::require_unstarted(const char* what) const {
  require(run_ == nullptr, what, " of waves on the GPU must be set before the first frame, not after frame ",
          state_ ? state_->frame : 0);
}

void ComputedField::set_wavelengths(std::span<const double> wavelengths) {
  require_unstarted("wavelengths");
  start_.set_wavelengths(wavelengths);
}

void ComputedField::set_paint(const ConstArray3& paint) {
  require_unstarted("paint");
  start_.set_paint(paint);
}

void ComputedField::set_profile(const PleatTable& table) {
  require_unstarted("the profile");
  start_.set_profile(table);
}

void ComputedField::set_bones(Bones bones) {
  require_unstarted("bones");
  const auto count = std::size_t(mesh()->vertex_count());
  require(bones.joints.size() == kMostJoints * count && bones.weights.size() == kMostJoints * count,
          "bones must be four a vertex: ", kMostJoints * count, ", got ", bones.joints.size(), " joints and ",
          bones.weights.size(), " weights");
  const std::size_t size = kMatrixSize * std::size_t(bones.joint_count);
  require(bones.joint_count > 0 && !bones.matrices.empty() && bones.matrices.size() % size == 0, "matrices of ",
          bones.joint_count, " joints must be 12 numbers each and frame, got ", bones.matrices.size());
  for (const std::int32_t joint : bones.joints)
    require(joint >= 0 && joint < bones.joint_count, "joints must lie in [0, ", bones.joint_count, "), got ", joint);
  for (const std::vector<double>* numbers : {&bones.weights, &bones.matrices})
    for (const double number : *numbers) require(std::isfinite(number), "bones must be finite, got ", number);
  bones_ = std::move(bones);
}

void ComputedField::require_frame(const ConstArray3& positions, double time) const {
  MethodOf::require_frame(positions, time);
  if (bones_.matrices.empty()) return;
  const auto frames = std::int64_t(bones_.matrices.size() / kMatrixSize) / bones_.joint_count;
  const std::int64_t next = state_ ? state_->frame + 1 : 0;
  require(next < frames, "the bones have ", frames, " frames, there is none for frame ", next);
}

const ComputedState& ComputedField::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  if (!run_) run_ = std::make_shared<const ComputedRun>(start_, bones_);
  auto frame = std::make_shared<const ComputedFrame>(run_, state_ ? state_->taken_ : nullptr, positions, time);
  state_ = std::make_shared<ComputedState>(std::move(frame));
  return *state_;
}

std::string ComputedField::save() const {
  ByteWriter out;
  out.text(kComputedSaveHeader);
  out.list(start_.save());
  out.list(bones_.joints);
  out.list(bones_.weights);
  out.list(bones_.matrices);
  for (const std::int64_t number : {bones_.joint_count, bones_.vertices_cut}) out.value(number);
  out.value(bones_.most_lost);
  draw::write_frames(out, state_ ? state_->taken_.get() : nullptr);
  return out.take_sealed();
}

ComputedField ComputedField::restore(std::string_view bytes) {
  return restore_sealed(bytes, kComputedSaveHeader, "a saved run of waves on the GPU", [](ByteReader& in) {
    std::vector<char> start;
    in.list(start);
    ComputedField run(WaveField::restore({start.data(), start.size()}));
    Bones bones;
    in.list(bones.joints);
    in.list(bones.weights);
    in.list(bones.matrices);
    bones.joint_count = in.value<std::int64_t>();
    bones.vertices_cut = in.value<std::int64_t>();
    bones.most_lost = in.value<double>();
    if (!bones.matrices.empty()) run.set_bones(std::move(bones));
    draw::replay_frames(in, run);
    return run;
  });
}

}  // namespace pucker::waves
