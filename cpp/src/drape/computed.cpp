#include "pucker/drape/computed.h"

#include <optional>
#include <utility>

#include "pucker/drape/computed_sheet.h"
#include "pucker/draw/chain.h"
#include "pucker/errors.h"
#include "pucker/saved_run.h"

namespace pucker::drape {

namespace {

constexpr std::string_view kComputedDrapeHeader = "pucker computed drape 2\n";

/// Advances a run of either kind; `worn` (0, 3): the body is that of the run's frame.
template <class Run>
void advance_on(Run& run, const ConstArray3& positions, const Array3& worn, double time) {
  if (worn.rows() > 0) {
    run.advance_worn(positions, worn, time);
  } else {
    run.advance(positions, time);
  }
}

}  // namespace

class ComputedRun {
 public:
  explicit ComputedRun(std::shared_ptr<const Drape> start) : start_(std::move(start)), sheet_(*start_) {}

  const Setting& setting() const { return start_->setting(); }
  const Body& body() const { return *start_->body(); }
  const ComputedSheet& sheet() const { return sheet_; }
  /// What a Drape has of a frame.
  std::shared_ptr<const DrapeState> reference(const ComputedFrame& frame) const;

 private:
  std::shared_ptr<const Drape> start_;
  ComputedSheet sheet_;
  mutable draw::FollowingRun<Drape, ComputedFrame> following_;
};

class ComputedFrame final : public draw::ChainedFrame<ComputedFrame> {
 public:
  ComputedFrame(std::shared_ptr<const ComputedRun> run, std::shared_ptr<const ComputedFrame> before,
                const ConstArray3& positions, const ConstArray3& worn, double time)
      : ChainedFrame(std::move(before), positions, time), run_(std::move(run)), worn_(worn) {
    if (this->before() == nullptr) return;
    if (!run_->setting().jumps(this->before()->positions(), this->positions())) passed_ = time - this->before()->time();
  }

  const ComputedRun& run() const { return *run_; }
  /// (nb, 3) of the body, (0, 3) where it is that of the run's frame.
  const Array3& worn() const { return worn_; }
  void take(Drape& run) const { advance_on(run, positions(), worn_, time()); }

  /// For buffers as the programs of the frame `done` have left them.
  draw::Content content(const draw::Continued* done, const Vector3& origin) const;

 private:
  /// Adds its positions, from the middle of them.
  void add_coarse(std::vector<float>& coarse) const;
  /// Adds these, the body, and the programs that balance the cloth; where its positions begin.
  std::size_t add_balance(std::vector<float>& coarse, std::vector<draw::Program>& out) const;

  std::shared_ptr<const ComputedRun> run_;
  Array3 worn_;
  std::optional<double> passed_;  ///< none where the cloth starts anew
};

std::shared_ptr<const DrapeState> ComputedRun::reference(const ComputedFrame& frame) const {
  return following_.state_of(frame, *start_);
}

draw::Content ComputedFrame::content(const draw::Continued* done, const Vector3& origin) const {
  const auto ahead = draw::frames_ahead(*this, done);
  draw::Content out;
  std::vector<float> coarse;
  std::size_t first = 0;
  for (const ComputedFrame* next : ahead.frames) first = next->add_balance(coarse, out.programs);
  if (ahead.frames.empty()) add_coarse(coarse);
  const ComputedSheet& sheet = run_->sheet();
  sheet.add_drawing(first, middle() - origin, out.programs);
  out.buffers = sheet.buffers(!ahead.from_the_first);
  out.buffers.insert(out.buffers.begin(), draw::buffer_of("Coarse", coarse));
  out.places_vertices = true;
  out.continued = shared_from_this();
  return out;
}

void ComputedFrame::add_coarse(std::vector<float>& coarse) const {
  for (Eigen::Index v = 0; v < positions().rows(); ++v)
    for (int k = 0; k < 3; ++k) coarse.push_back(float((positions()(v, k) - middle()[k]) / run_->sheet().unit()));
}

std::size_t ComputedFrame::add_balance(std::vector<float>& coarse, std::vector<draw::Program>& out) const {
  ComputedStep step{.coarse_first = coarse.size(), .passed = passed_};
  if (before() != nullptr) {
    step.moved = before()->middle() - middle();
    step.passed_before = before()->passed_.value_or(0);
  }
  add_coarse(coarse);
  step.body_first = coarse.size();
  if (const ComputedBody* body = run_->sheet().body()) {
    if (worn_.rows() > 0) {
      body->add_frame(worn_, middle(), coarse);
    } else {
      body->add_frame(run_->body().positions(number()), middle(), coarse);
    }
  }
  run_->sheet().add_programs(step, out);
  return step.coarse_first;
}

ComputedDetail::ComputedDetail(std::shared_ptr<const ComputedFrame> frame, const Array3& positions)
    : LoopDetail(*frame->run().setting().levels->coarse(), positions), frame_(std::move(frame)) {}

const std::shared_ptr<const LoopSubdivision>& ComputedDetail::subdivision() const {
  return frame_->run().setting().levels->share();
}
const Array3& ComputedDetail::fine_positions() const { return reference().detail().fine_positions(); }
const Array3& ComputedDetail::fine_normals() const { return reference().detail().fine_normals(); }
double ComputedDetail::feature_size() const { return frame_->run().setting().feature_size; }

draw::Content ComputedDetail::draw_content(const Vector3& origin, const draw::Continued* done) const {
  return frame_->content(done, origin);
}

const DrapeState& ComputedDetail::reference() const {
  std::call_once(computed_, [this] { reference_ = frame_->run().reference(*frame_); });
  return *reference_;
}

ComputedState::ComputedState(std::shared_ptr<const ComputedFrame> taken)
    : taken_(std::move(taken)), detail_(taken_, positions) {
  frame = taken_->number();
  time = taken_->time();
  positions = taken_->positions();
}

ComputedDrape::ComputedDrape(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut, Params params,
                             std::vector<std::int32_t> shared, std::string cut_from, std::shared_ptr<const Body> body,
                             Maps maps)
    : ComputedDrape(Drape(std::move(mesh), cut, std::move(params), std::move(shared), std::move(cut_from),
                          std::move(body), std::move(maps))) {}

ComputedDrape::ComputedDrape(Drape start) : start_(std::make_shared<const Drape>(std::move(start))) {}

void ComputedDrape::require_frame(const ConstArray3& positions, double time) const {
  MethodOf::require_frame(positions, time);
  require_near(positions);
  if (start_->contact() != nullptr) (void)body()->positions(state_ ? state_->frame + 1 : 0);
}

const ComputedState& ComputedDrape::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  return take(positions, Array3(0, 3), time);
}

const ComputedState& ComputedDrape::advance_worn(const ConstArray3& positions, const ConstArray3& body, double time) {
  MethodOf::require_frame(positions, time);
  require_near(positions);
  if (start_->contact() == nullptr) return take(positions, Array3(0, 3), time);
  this->body()->require_positions(body);
  return take(positions, body, time);
}

const ComputedState& ComputedDrape::take(const ConstArray3& positions, const ConstArray3& body, double time) {
  if (!run_) run_ = std::make_shared<const ComputedRun>(start_);
  auto frame = std::make_shared<const ComputedFrame>(run_, state_ ? state_->taken_ : nullptr, positions, body, time);
  state_ = std::make_shared<ComputedState>(std::move(frame));
  return *state_;
}

std::string ComputedDrape::save() const {
  ByteWriter out;
  out.text(kComputedDrapeHeader);
  out.list(start_->save());
  const auto all = state_ ? draw::frames_ahead(*state_->taken_, nullptr) : draw::FramesAhead<ComputedFrame>{};
  out.value(all.frames.size());
  for (const ComputedFrame* frame : all.frames) {
    out.value(frame->time());
    out.matrix(frame->positions());
    out.matrix(frame->worn());
  }
  return out.take_sealed();
}

std::unique_ptr<pucker::Method> ComputedDrape::restored(std::string_view bytes) const {
  return std::make_unique<ComputedDrape>(restore(bytes, body()));
}

ComputedDrape ComputedDrape::restore(std::string_view bytes, std::shared_ptr<const Body> body) {
  return restore_sealed(bytes, kComputedDrapeHeader, "a saved run of draped cloth on the GPU", [&](ByteReader& in) {
    std::vector<char> start;
    in.list(start);
    ComputedDrape run(Drape::restore({start.data(), start.size()}, std::move(body)));
    Array3 positions;
    Array3 worn;
    for (auto left = in.value<std::size_t>(); left > 0; --left) {
      const auto time = in.value<double>();
      in.matrix(positions);
      in.matrix(worn);
      advance_on(run, positions, worn, time);
    }
    return run;
  });
}

}  // namespace pucker::drape
