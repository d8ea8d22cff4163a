/// Wall clock of the stages of a frame.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

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
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<double>& seconds_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace pucker
