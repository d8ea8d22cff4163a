#include "pucker/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "pucker/errors.h"

namespace pucker {
namespace {

using Counts = std::vector<std::atomic<int>>;

void expect_each_once(const Counts& calls) {
  for (std::size_t k = 0; k < calls.size(); ++k) EXPECT_EQ(calls[k], 1) << "block " << k;
}

/// With so many threads, and again with 1 when it ends.
struct With {
  explicit With(std::size_t count) { set_threads(count); }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
  ~With() { set_threads(1); }
};

class Threads : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, Threads, ::testing::Values(1, 2, 3, 8));

TEST_P(Threads, each_block_is_called_once_however_many_there_are) {
  const With with(GetParam());
  EXPECT_EQ(threads(), GetParam());
  for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 64U, 1000U}) {
    Counts calls(count);
    parallel_for(count, [&](std::size_t block) { ++calls[block]; });
    expect_each_once(calls);
  }
}

TEST_P(Threads, short_loops_one_after_the_other_see_what_those_before_wrote) {
  const With with(GetParam());
  std::vector<long> values(64, 1);
  std::vector<long> sums(64, 0);
  for (int round = 0; round < 2000; ++round) {
    parallel_for(values.size(), [&](std::size_t k) { sums[k] = values[k] + values[(k + 1) % values.size()]; });
    parallel_for(values.size(), [&](std::size_t k) { values[k] = (sums[k] + sums[(k + 63) % sums.size()]) % 1009; });
  }
  std::vector<long> expected(64, 1);
  for (int round = 0; round < 2000; ++round) {
    for (std::size_t k = 0; k < 64; ++k) sums[k] = expected[k] + expected[(k + 1) % 64];
    for (std::size_t k = 0; k < 64; ++k) expected[k] = (sums[k] + sums[(k + 63) % 64]) % 1009;
  }
  EXPECT_EQ(values, expected);
}

TEST_P(Threads, sums_by_block_are_the_same_on_any_number) {
  std::vector<double> numbers(10'000);
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = 1 / double(k + 1);
  const auto sum = [&] {
    std::vector<double> sums((numbers.size() + 255) / 256);
    parallel_blocks(numbers.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) sums[begin / 256] += numbers[k];
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  };
  const double alone = sum();
  const With with(GetParam());
  EXPECT_EQ(sum(), alone);
}

TEST_P(Threads, the_first_exception_in_the_order_of_blocks_is_thrown_after_all_were_called) {
  const With with(GetParam());
  for (int round = 0; round < 50; ++round) {
    Counts calls(100);
    try {
      parallel_for(calls.size(), [&](std::size_t block) {
        ++calls[block];
        if (block % 30 == 17) throw Error(std::to_string(block));
      });
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "17");
    }
    expect_each_once(calls);
  }
}

TEST_P(Threads, a_loop_within_a_loop_is_run_by_the_thread_that_meets_it) {
  const With with(GetParam());
  Counts calls(16 * 16);
  std::atomic<int> elsewhere = 0;
  parallel_for(16, [&](std::size_t outer) {
    const auto own = std::this_thread::get_id();
    parallel_for(16, [&](std::size_t inner) {
      ++calls[16 * outer + inner];
      if (GetParam() > 1 && std::this_thread::get_id() != own) ++elsewhere;
    });
  });
  expect_each_once(calls);
  EXPECT_EQ(elsewhere, 0);
}

TEST_P(Threads, threads_of_the_caller_may_run_loops_at_the_same_time) {
  const With with(GetParam());
  std::array<Counts, 3> calls = {Counts(5000), Counts(5000), Counts(5000)};
  {
    std::vector<std::jthread> callers;
    callers.reserve(calls.size());
    for (Counts& own : calls)
      callers.emplace_back([&own] {
        for (std::size_t begin = 0; begin < own.size(); begin += 10)
          parallel_for(10, [&](std::size_t block) { ++own[begin + block]; });
      });
  }
  for (const Counts& own : calls) expect_each_once(own);
}

TEST_P(Threads, are_there_again_after_a_pause) {
  const With with(GetParam());
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Counts calls(20);
    parallel_for(calls.size(), [&](std::size_t block) { ++calls[block]; });
    expect_each_once(calls);
  }
}

TEST(Threads, take_blocks_in_their_order_if_asked) {
  std::vector<std::size_t> order;
  parallel_for(20, 1, Taking::in_order, [&](std::size_t block) { order.push_back(block); });
  ASSERT_EQ(order.size(), 20u);
  for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], k);
  Counts calls(500);
  parallel_for(calls.size(), 4, Taking::in_order, [&](std::size_t block) { ++calls[block]; });
  expect_each_once(calls);
}

TEST(Threads, more_than_there_are_blocks_or_cores_do_no_harm) {
  const With with(64);
  Counts calls(5);
  parallel_for(calls.size(), [&](std::size_t block) { ++calls[block]; });
  expect_each_once(calls);
}

TEST(Threads, share_loops_that_have_enough_blocks_for_each) {
  const With eight(8);
  EXPECT_EQ(threads_for(2 * kLeastBlocks - 1), 1U);
  EXPECT_EQ(threads_for(2 * kLeastBlocks), 2U);
  EXPECT_EQ(threads_for(100 * kLeastBlocks), 8U);
  std::vector<std::size_t> within(2 * kLeastBlocks);
  parallel_for(within.size(), [&](std::size_t block) { within[block] = threads_for(100 * kLeastBlocks); });
  EXPECT_THAT(within, ::testing::Each(1U));
  set_threads(1);
  EXPECT_EQ(threads_for(100 * kLeastBlocks), 1U);
}

TEST(Threads, none_is_one_a_core_and_too_many_are_refused) {
  const With with(0);
  EXPECT_EQ(threads(), core_count());
  EXPECT_EQ(crowd_threads(), core_count());
  EXPECT_THROW(set_threads(kMostThreads + 1), InvalidArgument);
  EXPECT_EQ(threads(), core_count());
}

/// Has a process that is to end say how many threads there are then, after all that is static has been destroyed.
bool told_at_the_end = false;
[[gnu::destructor]] void tell_at_the_end() {
  if (!told_at_the_end) return;
  int threads = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) threads = std::stoi(line.substr(8));
  std::fprintf(stderr, "%d thread at the end", threads);
}

/// Ends the process when threads have shared a loop and waited for `pause`.
[[noreturn]] void end_after_loop(std::chrono::milliseconds pause) {
  set_threads(4);
  Counts calls(100);
  parallel_for(calls.size(), [&](std::size_t block) { ++calls[block]; });
  std::this_thread::sleep_for(pause);
  told_at_the_end = true;
  std::exit(0);  // NOLINT(concurrency-mt-unsafe): which is what is tried
}

/// Ends the process while another thread of it runs loops.
[[noreturn]] void end_during_loops() {
  set_threads(4);
  static std::atomic<int> loops = 0;
  std::thread([] {
    for (;; ++loops) parallel_for(64, [](std::size_t) { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
  }).detach();
  while (loops < 3) std::this_thread::yield();
  std::exit(0);  // NOLINT(concurrency-mt-unsafe): which is what is tried
}

class ThreadsDeathTest : public ::testing::Test {
 protected:
  // In a process of its own from its start: a forked one has none of the threads.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// The thread sanitizer has one of its own.
#if defined(__SANITIZE_THREAD__)
constexpr const char* kOnlyItsOwn = "^2 thread at the end$";
#else
constexpr const char* kOnlyItsOwn = "^1 thread at the end$";
#endif

TEST_F(ThreadsDeathTest, are_none_when_the_process_has_ended_them_awake_or_asleep) {
  for (const int pause : {0, 20})
    EXPECT_EXIT(end_after_loop(std::chrono::milliseconds(pause)), ::testing::ExitedWithCode(0), kOnlyItsOwn);
}

TEST_F(ThreadsDeathTest, do_not_hold_up_a_process_that_ends_during_a_loop) {
  for (int round = 0; round < 5; ++round) EXPECT_EXIT(end_during_loops(), ::testing::ExitedWithCode(0), "");
}

#if !defined(__SANITIZE_THREAD__)  // which cannot start threads in a forked process
/// What `child` returns, in a forked process.
template <class Child>
int forked(const Child& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Threads, a_forked_process_starts_its_own) {
  const With with(3);
  Counts calls(100);
  const auto all = [&] {
    for (auto& each : calls) each = 0;
    parallel_for(calls.size(), [&](std::size_t block) { ++calls[block]; });
    int once = 0;
    for (const auto& each : calls) once += each == 1 ? 1 : 0;
    return once;
  };
  EXPECT_EQ(all(), 100);
  EXPECT_EQ(forked(all), 100);
  EXPECT_EQ(all(), 100);
}
#endif

}  // namespace
}  // namespace pucker
