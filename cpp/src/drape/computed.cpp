#include "pucker/drape/computed.h"

#include <optional>
#include <utility>

#include "pucker/drape/computed_sheet.h"
#include "pucker/draw/content.h"
#include "pucker/errors.h"
#include "pucker/mesh/origin.h"
#include "pucker/saved_run.h"

namespace pucker::drape {

namespace {

constexpr std::string_view kComputedDrapeHeader = "pucker computed drape 1\n";

}  // namespace

class ComputedRun {
 public:
  explicit ComputedRun(std::shared_ptr<const Drape> start) : start_(std::move(start)), sheet_(*start_) {}

  const Setting& setting() const { return start_->setting(); }
  const ComputedSheet& sheet() const { return sheet_; }
  /// What a Drape has of a frame.
  std::shared_ptr<const DrapeState> reference(const ComputedFrame& frame) const;

 private:
  std::shared_ptr<const Drape> start_;
  ComputedSheet sheet_;

  mutable std::mutex mutex_;
  mutable std::optional<Drape> run_;  ///< as far as frames have been asked for
  /// Its last frame, empty before the first. Weak, as a frame holds its run; and no address alone: another frame may
  /// come to lie where one that is gone has been.
  mutable std::weak_ptr<const ComputedFrame> at_;
};

class ComputedFrame final : public draw::Continued, public std::enable_shared_from_this<ComputedFrame> {
 public:
  ComputedFrame(std::shared_ptr<const ComputedRun> run, std::shared_ptr<const ComputedFrame> before,
                const ConstArray3& positions, double time)
      : run_(std::move(run)),
        before_(std::move(before)),
        positions_(positions),
        middle_(middle_of(positions_)),
        time_(time) {
    if (!before_) return;
    number_ = before_->number_ + 1;
    if (!run_->setting().jumps(before_->positions_, positions_)) passed_ = time - before_->time_;
  }
  ~ComputedFrame() override {
    // One after the other: as many calls in each other as there are frames would be too many.
    std::shared_ptr<const ComputedFrame> next = std::move(before_);
    while (next && next.use_count() == 1) next = std::exchange(next->before_, nullptr);
  }

  const ComputedRun& run() const { return *run_; }
  const ComputedFrame* before() const { return before_.get(); }
  std::int64_t number() const { return number_; }
  const Array3& positions() const { return positions_; }
  double time() const { return time_; }

  /// For buffers as the programs of the frame `done` have left them.
  draw::Content content(const draw::Continued* done, const Vector3& origin) const;

 private:
  /// Adds its positions, from the middle of them.
  void add_coarse(std::vector<float>& coarse) const;
  /// Adds these and the programs that balance the cloth.
  void add_balance(std::vector<float>& coarse, std::vector<draw::Program>& out) const;

  std::shared_ptr<const ComputedRun> run_;
  mutable std::shared_ptr<const ComputedFrame> before_;
  Array3 positions_;
  Vector3 middle_;
  double time_;
  std::int64_t number_ = 0;
  std::optional<double> passed_;  ///< none where the cloth starts anew
};

std::shared_ptr<const DrapeState> ComputedRun::reference(const ComputedFrame& frame) const {
  const std::scoped_lock lock(mutex_);
  std::vector<const ComputedFrame*> ahead;
  const ComputedFrame* step = &frame;
  const std::shared_ptr<const ComputedFrame> at = at_.lock();
  for (; step != nullptr && step != at.get(); step = step->before()) ahead.push_back(step);
  if (step == nullptr) run_ = *start_;
  at_.reset();
  for (auto next = ahead.rbegin(); next != ahead.rend(); ++next) run_->advance((*next)->positions(), (*next)->time());
  at_ = frame.weak_from_this();
  return run_->share_state();
}

draw::Content ComputedFrame::content(const draw::Continued* done, const Vector3& origin) const {
  std::vector<const ComputedFrame*> ahead;
  const ComputedFrame* step = this;
  for (; step != nullptr && step != done; step = step->before()) ahead.push_back(step);
  draw::Content out;
  std::vector<float> coarse;
  for (auto next = ahead.rbegin(); next != ahead.rend(); ++next) (*next)->add_balance(coarse, out.programs);
  if (ahead.empty()) add_coarse(coarse);
  const ComputedSheet& sheet = run_->sheet();
  sheet.add_drawing(coarse.size() - std::size_t(positions_.size()), middle_ - origin, out.programs);
  out.buffers = sheet.buffers(step != nullptr);
  out.buffers.insert(out.buffers.begin(), draw::buffer_of("Coarse", coarse));
  out.places_vertices = true;
  out.continued = shared_from_this();
  return out;
}

void ComputedFrame::add_coarse(std::vector<float>& coarse) const {
  for (Eigen::Index v = 0; v < positions_.rows(); ++v)
    for (int k = 0; k < 3; ++k) coarse.push_back(float((positions_(v, k) - middle_[k]) / run_->sheet().unit()));
}

void ComputedFrame::add_balance(std::vector<float>& coarse, std::vector<draw::Program>& out) const {
  ComputedStep step{.coarse_first = coarse.size(), .passed = passed_};
  if (before_) {
    step.moved = before_->middle_ - middle_;
    step.passed_before = before_->passed_.value_or(0);
  }
  add_coarse(coarse);
  run_->sheet().add_programs(step, out);
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
                             std::vector<std::int32_t> shared, std::string cut_from, Maps maps)
    : ComputedDrape(Drape(std::move(mesh), cut, std::move(params), std::move(shared), std::move(cut_from), nullptr,
                          std::move(maps))) {}

ComputedDrape::ComputedDrape(Drape start) : start_(std::make_shared<const Drape>(std::move(start))) {
  require(!params().contact,
          "params.contact must be false where draped cloth is balanced on the GPU: the body is searched on the "
          "processor");
}

void ComputedDrape::require_frame(const ConstArray3& positions, double time) const {
  MethodOf::require_frame(positions, time);
  require_near(positions);
}

const ComputedState& ComputedDrape::advance(const ConstArray3& positions, double time) {
  require_frame(positions, time);
  if (!run_) run_ = std::make_shared<const ComputedRun>(start_);
  auto frame = std::make_shared<const ComputedFrame>(run_, state_ ? state_->taken_ : nullptr, positions, time);
  state_ = std::make_shared<ComputedState>(std::move(frame));
  return *state_;
}

std::string ComputedDrape::save() const {
  ByteWriter out;
  out.text(kComputedDrapeHeader);
  out.list(start_->save());
  std::vector<const ComputedFrame*> frames;
  for (const ComputedFrame* frame = state_ ? state_->taken_.get() : nullptr; frame != nullptr; frame = frame->before())
    frames.push_back(frame);
  out.value(frames.size());
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    out.value((*frame)->time());
    out.matrix((*frame)->positions());
  }
  return out.take_sealed();
}

ComputedDrape ComputedDrape::restore(std::string_view bytes) {
  return restore_sealed(bytes, kComputedDrapeHeader, "a saved run of draped cloth on the GPU", [](ByteReader& in) {
    std::vector<char> start;
    in.list(start);
    ComputedDrape run(Drape::restore({start.data(), start.size()}));
    Array3 positions;
    for (auto left = in.value<std::size_t>(); left > 0; --left) {
      const auto time = in.value<double>();
      in.matrix(positions);
      run.advance(positions, time);
    }
    return run;
  });
}

}  // namespace pucker::drape
