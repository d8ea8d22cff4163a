/// GPU times of drawing passes.
#pragma once

#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "gl.h"
#include "pucker/draw/picture.h"

namespace pucker::viewer {

using draw::Pass;
inline constexpr std::size_t kPassCount = draw::kPassNames.size();

/// Timer queries, read when the GPU has the answers, so that measuring never waits.
class PassTimer {
 public:
  /// Runs the commands of a pass between a query's begin and end.
  template <class Commands>
  void measure(Pass pass, const Commands& commands) {
    Query query = take();
    glBeginQuery(GL_TIME_ELAPSED, query.name());
    commands();
    glEndQuery(GL_TIME_ELAPSED);
    drawing_.emplace_back(pass, std::move(query));
  }
  /// Ends a picture.
  void end_picture() {
    waiting_.push_back(std::exchange(drawing_, {}));
    collect();
  }
  /// Seconds of each pass in the last finished picture.
  const std::array<double, kPassCount>& seconds() {
    collect();
    return seconds_;
  }

 private:
  using Queries = std::vector<std::pair<Pass, Query>>;

  Query take();
  void collect();

  std::vector<Query> spare_;
  Queries drawing_;
  std::deque<Queries> waiting_;
  std::array<double, kPassCount> seconds_{};
};

}  // namespace pucker::viewer
