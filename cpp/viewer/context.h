/// OpenGL contexts.
#pragma once

#include <memory>
#include <string>

namespace pucker::viewer {

inline constexpr int kNeededMajor = 4;
inline constexpr int kNeededMinor = 3;

/// The sentence for a device whose newest version is `found`, such as "3.1 Mesa", or empty for none at all.
std::string too_old_message(const std::string& found);

/// A current OpenGL context through EGL, without a display. One thread at a time.
class HeadlessContext {
 public:
  /// Throws Error saying which version was found and which is needed.
  HeadlessContext();
  ~HeadlessContext();
  HeadlessContext(const HeadlessContext&) = delete;
  HeadlessContext& operator=(const HeadlessContext&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pucker::viewer
