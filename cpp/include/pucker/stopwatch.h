/// Wall clock of the stages of a frame.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "pucker/rehearsal.h"

namespace pucker {

class Stopwatch {
 public:
  /// Starts now; `seconds` become so many zeros.
  Stopwatch(std::vector<double>& seconds, std::size_t stages) : seconds_(seconds) { seconds_.assign(stages, 0); }

  /// Adds the time since the last call to that of a stage.
  template <class Stage>
  void lap(Stage stage) {
    const Clock::time_point now = Clock::now();
    seconds_[std::size_t(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
    if (Rehearsal* const told = detail::rehearsal.load(std::memory_order_relaxed)) told->end_stage(std::size_t(stage));
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<double>& seconds_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace pucker
