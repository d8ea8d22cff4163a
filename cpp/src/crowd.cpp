#include "pucker/crowd.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/threads.h"

namespace pucker {

/// What a crowd is, wherever it is moved.
struct Crowd::Team {
  explicit Team(std::size_t count) : threads(count) {}

  std::size_t threads;
  pid_t home = getpid();
  std::mutex running;

  /// Whether this is the process that the crowd was made in.
  bool at_home() const { return getpid() == home; }
};

Crowd::Crowd(std::size_t threads) : team_(std::make_unique<Team>(threads > 0 ? threads : crowd_threads())) {
  require(threads <= kMostThreads, "threads must be at most ", kMostThreads, ", got ", threads);
}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&& other) noexcept {
  std::swap(team_, other.team_);
  return *this;
}

std::size_t Crowd::thread_count() const { return team_->threads; }

void Crowd::advance(std::span<const CrowdStep> steps) {
  if (!team_->at_home())
    throw Error("a crowd's threads are not there after a fork: make a new crowd in the forked process");
  std::vector<std::pair<Method*, std::size_t>> named;
  named.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    require(steps[i].run != nullptr, "step ", i, " of the crowd names no run");
    named.emplace_back(steps[i].run, i);
    try {
      steps[i].run->require_frame(steps[i].positions, steps[i].time);
    } catch (const InvalidArgument& error) {
      refuse("step ", i, " of the crowd: ", error.what());
    }
  }
  std::sort(named.begin(), named.end(), [](const auto& a, const auto& b) {
    return std::less<>()(a.first, b.first) || (a.first == b.first && a.second < b.second);
  });
  const auto twice =
      std::adjacent_find(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != named.end())
    refuse("a run can be advanced once at a time, but steps ", twice->second, " and ", (twice + 1)->second,
           " of the crowd name the same one");

  std::vector<double> seconds;
  seconds.reserve(steps.size());
  for (const CrowdStep& step : steps) seconds.push_back(step.run->last_seconds());
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return seconds[i]; });
  const std::unique_lock alone(team_->running, std::try_to_lock);
  if (!alone) throw Error("this crowd is in use by another call: it takes one at a time");
  // Of failures the first in the order of the steps counts, not in that of the blocks.
  std::vector<std::exception_ptr> failures(steps.size());
  parallel_for(steps.size(), team_->threads, Taking::in_order, [&](std::size_t place) {
    const std::size_t i = order[place];
    try {
      steps[i].run->advance(steps[i].positions, steps[i].time);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace pucker
