/// A clip running through a method, at any frame that is asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/io/clip.h"
#include "pucker/method_type.h"

namespace pucker::viewer {

/// How files are read that parameters name, where no brush has what is no file yet.
NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> names);

/// How files are read that hold one array: those of .npy, and pictures.
NamedArray read_array(const std::string& path);

/// A frame's detail depends on all frames before it. The run computes them in order and keeps a saved state now and
/// then, from which an earlier frame is reached sooner than from the start; the bits are the same either way.
class Replay {
 public:
  /// Stands at frame 0. The clip must outlive the run. Throws as MethodType::start.
  /// `read`: how files are read that parameters name.
  Replay(const io::Clip& clip, const MethodType& type, const AnyParams& params, const ReadArrays& read);

  std::int64_t frame() const { return method_->state().frame; }
  const State& state() const { return method_->state(); }
  const Method& method() const { return *method_; }

  /// Goes to a frame, or towards it for at least one frame and until `budget` is spent; says whether it got there.
  /// Throws InvalidArgument for a frame the clip does not have.
  bool seek(std::int64_t frame, std::optional<std::chrono::duration<double>> budget = std::nullopt);

 private:
  void advance();

  const io::Clip& clip_;
  std::unique_ptr<Method> method_;
  std::vector<std::string> saved_;  ///< of every kStride-th frame, as far as the run ever got
};

}  // namespace pucker::viewer
