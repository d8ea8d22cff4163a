#include "pucker/crowd.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "pucker/errors.h"

namespace pucker {

namespace {

constexpr std::size_t kMostThreads = 1024;
constexpr std::chrono::microseconds kPatience(100);

std::size_t resolve(std::size_t threads) {
  require(threads <= kMostThreads, "threads must be at most ", kMostThreads, ", got ", threads);
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

/// The caller and threads that sleep between two calls of run().
class Crowd::Team {
 public:
  explicit Team(std::size_t size) {
    for (std::size_t i = 1; i < size; ++i) threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  }

  std::size_t size() const { return threads_.size() + 1; }
  /// Whether this is the process that the threads run in.
  bool at_home() const { return getpid() == home_; }

  /// Steps are taken up in the order given, which holds each of their numbers once.
  void run(std::span<const CrowdStep> steps, std::span<const std::size_t> order) {
    const std::unique_lock alone(running_, std::try_to_lock);
    if (!alone) throw Error("this crowd is in use by another call: it takes one at a time");
    failures_.assign(steps.size(), nullptr);
    steps_ = steps;
    order_ = order;
    next_ = 0;
    {
      const std::scoped_lock lock(mutex_);
      ++call_;
      busy_ = threads_.size();
    }
    woken_.notify_all();
    work();
    // The others have at most a step left each: to sleep and be woken would often take longer.
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    while (busy_ > 0 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return busy_ == 0; });
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  void serve(const std::stop_token& stop) {
    std::size_t seen = 0;
    for (std::unique_lock lock(mutex_); woken_.wait(lock, stop, [&] { return call_ != seen; });) {
      seen = call_;
      lock.unlock();
      work();
      lock.lock();
      if (--busy_ == 0) finished_.notify_one();
    }
  }

  void work() {
    for (std::size_t place = next_++; place < order_.size(); place = next_++) {
      const std::size_t i = order_[place];
      try {
        steps_[i].run->advance(steps_[i].positions, steps_[i].time);
      } catch (...) {
        failures_[i] = std::current_exception();
      }
    }
  }

  std::span<const CrowdStep> steps_;
  std::span<const std::size_t> order_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::exception_ptr> failures_;  ///< of each step
  const pid_t home_ = getpid();
  std::mutex running_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::condition_variable finished_;
  std::size_t call_ = 0;  ///< number of the run; a change wakes the threads
  std::atomic<std::size_t> busy_ = 0;
  std::vector<std::jthread> threads_;  ///< last, so that they have ended before the rest goes
};

Crowd::Crowd(std::size_t threads) : team_(std::make_unique<Team>(resolve(threads))) {}
Crowd::~Crowd() {
  // In a forked process nothing of the team can be waited for: its threads are not there, and its locks may be held.
  if (team_ && !team_->at_home()) static_cast<void>(team_.release());
}
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&& other) noexcept {
  std::swap(team_, other.team_);
  return *this;
}

std::size_t Crowd::thread_count() const { return team_->size(); }

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
  team_->run(steps, order);
}

}  // namespace pucker
