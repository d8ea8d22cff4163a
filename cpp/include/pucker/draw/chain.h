/// The frames of a run whose state compute programs have: the picture of one needs all before it, so each holds the one
/// before it, and a surface goes through those since the one that it showed last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "pucker/draw/content.h"
#include "pucker/mesh/origin.h"
#include "pucker/serial.h"
#include "pucker/types.h"

namespace pucker::draw {

/// What `Frame`, which derives from this, has in common with the frames of other methods.
template <class Frame>
class ChainedFrame : public Continued, public std::enable_shared_from_this<Frame> {
 public:
  ~ChainedFrame() override {
    // One after the other: as many calls in each other as there are frames would be too many.
    std::shared_ptr<const ChainedFrame> next = std::move(before_);
    while (next && next.use_count() == 1) next = std::exchange(next->before_, nullptr);
  }

  /// Null for the first.
  const Frame* before() const { return before_.get(); }
  std::int64_t number() const { return number_; }
  const Array3& positions() const { return positions_; }
  /// Of the positions.
  const Vector3& middle() const { return middle_; }
  double time() const { return time_; }
  /// Takes a run on the processor to this frame from the one before.
  template <class Run>
  void take(Run& run) const {
    run.advance(positions_, time_);
  }

 protected:
  /// `before` may be null.
  ChainedFrame(std::shared_ptr<const Frame> before, const ConstArray3& positions, double time)
      : before_(std::move(before)),
        positions_(positions),
        middle_(middle_of(positions_)),
        time_(time),
        number_(before_ ? before_->number() + 1 : 0) {}

 private:
  mutable std::shared_ptr<const Frame> before_;
  Array3 positions_;
  Vector3 middle_;
  double time_;
  std::int64_t number_;
};

/// Frames in the order of time.
template <class Frame>
struct FramesAhead {
  std::vector<const Frame*> frames;
  bool from_the_first = false;  ///< whether they are all there are
};

/// The frames after `done` up to `last`, or all up to it if `done` is none of them.
template <class Frame>
FramesAhead<Frame> frames_ahead(const Frame& last, const Continued* done) {
  FramesAhead<Frame> out;
  const Frame* step = &last;
  for (; step != nullptr && step != done; step = step->before()) out.frames.push_back(step);
  std::reverse(out.frames.begin(), out.frames.end());
  out.from_the_first = step == nullptr;
  return out;
}

/// A run on the processor that goes through the same frames, as far as they have been asked for. Calls from several
/// threads take turns.
template <class Run, class Frame>
class FollowingRun {
 public:
  /// The state of a frame of the run that began as `start`.
  auto state_of(const Frame& frame, const Run& start) {
    const std::scoped_lock lock(mutex_);
    const std::shared_ptr<const Frame> at = at_.lock();
    const FramesAhead<Frame> ahead = frames_ahead(frame, at.get());
    if (ahead.from_the_first) run_ = start;
    at_.reset();
    for (const Frame* next : ahead.frames) next->take(*run_);
    at_ = frame.weak_from_this();
    return run_->share_state();
  }

 private:
  std::mutex mutex_;
  std::optional<Run> run_;
  /// Its last frame, empty before the first. Weak, as a frame holds its run; and no address alone: another frame may
  /// come to lie where one that is gone has been.
  std::weak_ptr<const Frame> at_;
};

/// Writes the frames up to `last`, none if that is null, for replay_frames.
template <class Frame>
void write_frames(ByteWriter& out, const Frame* last) {
  const FramesAhead<Frame> all = last != nullptr ? frames_ahead(*last, nullptr) : FramesAhead<Frame>{};
  out.value(all.frames.size());
  for (const Frame* frame : all.frames) {
    out.value(frame->time());
    out.matrix(frame->positions());
  }
}

/// Advances a run through the frames that were written. Throws as reading and the run do.
template <class Run>
void replay_frames(ByteReader& in, Run& run) {
  Array3 positions;
  for (auto left = in.value<std::size_t>(); left > 0; --left) {
    const auto time = in.value<double>();
    in.matrix(positions);
    run.advance(positions, time);
  }
}

}  // namespace pucker::draw
