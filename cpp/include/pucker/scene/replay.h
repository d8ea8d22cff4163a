/// A clip running through a method, at any frame that is asked for.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/io/clip.h"
#include "pucker/method.h"
#include "pucker/method_type.h"

namespace pucker::scene {

/// A saved run is about as large as the mesh; reaching a frame between two takes at most so many steps.
inline constexpr std::int64_t kReplayStride = 16;

/// A run that can be asked for any frame. A frame's detail depends on all frames before it: they are computed in order,
/// and the run is saved after every kReplayStride-th, so that an earlier frame is reached sooner than from the start;
/// the bits are the same either way.
///
/// `Run` has `frame_count()`; `advance(frame)`, which computes the frame after the last one, 0 at first, and changes
/// nothing if it throws; and `restore(saved)`, which goes back to where `save()` gave `saved`.
template <class Run>
class ReplayOf {
 public:
  /// Stands at frame 0. Throws as Run::advance.
  explicit ReplayOf(Run run) : run_(std::move(run)) { advance(); }

  const Run& run() const { return run_; }
  /// Where the run stands.
  std::int64_t frame() const { return frame_; }
  /// How often the run was saved: after the frames 0, kReplayStride, 2 · kReplayStride …
  std::int64_t saved_count() const { return std::int64_t(saved_.size()); }

  /// Goes one step of the shortest way to `frame`; says whether it stands there now. Throws InvalidArgument for a frame
  /// there is not, and as Run::advance.
  bool approach(std::int64_t frame) {
    require(frame >= 0 && frame < run_.frame_count(), "frame must lie in [0, ", run_.frame_count(), "), not ", frame);
    const std::int64_t nearest = std::min(frame / kReplayStride, saved_count() - 1);
    if (frame < frame_ || nearest * kReplayStride > frame_) {
      run_.restore(saved_[std::size_t(nearest)]);
      frame_ = nearest * kReplayStride;
    } else if (frame_ < frame) {
      advance();
    }
    return frame_ == frame;
  }
  /// Goes to `frame`, or towards it for at least one step and until `budget` is spent; says whether it got there.
  /// Throws as approach.
  bool seek(std::int64_t frame, std::optional<std::chrono::duration<double>> budget = std::nullopt) {
    const auto begin = std::chrono::steady_clock::now();
    while (!approach(frame))
      if (budget && std::chrono::steady_clock::now() - begin > *budget) return false;
    return true;
  }

 private:
  void advance() {
    run_.advance(frame_ + 1);
    ++frame_;
    if (frame_ == saved_count() * kReplayStride) saved_.push_back(run_.save());
  }

  Run run_;
  std::int64_t frame_ = -1;
  std::vector<decltype(std::declval<const Run&>().save())> saved_;
};

/// What a run over a clip starts from, but for how files are read and where warnings go. It refers to the clip.
StartInput start_of(const io::Clip& clip);

/// A run over the frames of a clip, which must outlive it.
class ClipRun {
 public:
  ClipRun(const io::Clip& clip, std::unique_ptr<Method> method) : clip_(clip), method_(std::move(method)) {}

  const Method& method() const { return *method_; }
  std::int64_t frame_count() const { return clip_.frame_count(); }
  void advance(std::int64_t frame) { method_->advance(clip_.positions(frame), clip_.data().times[std::size_t(frame)]); }
  std::string save() const { return method_->save(); }
  void restore(const std::string& saved) { method_ = method_->restored(saved); }

 private:
  const io::Clip& clip_;
  std::unique_ptr<Method> method_;
};

using Replay = ReplayOf<ClipRun>;

}  // namespace pucker::scene
