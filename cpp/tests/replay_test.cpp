#include "../bench/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "pucker/stopwatch.h"

namespace pucker::bench {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr double kTolerance = 1e-12;

Piece loop(std::size_t limit, std::vector<double> blocks, Taking taking = Taking::parts) {
  return {.limit = limit, .taking = taking, .blocks = std::move(blocks)};
}

/// Seconds of a loop where sharing costs nothing, threads being awake.
double shared(const Piece& piece) { return whole(Replay(Costs{}).run({piece}, 1)); }

struct With {
  explicit With(std::size_t count, Rehearsal* told = nullptr) {
    set_threads(count);
    rehearse(told);
  }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
  ~With() {
    rehearse(nullptr);
    set_threads(1);
  }
};

/// Computes, by the clock of the processor.
void spin(std::chrono::microseconds time) {
  const std::clock_t end = std::clock() + std::clock_t(double(time.count()) * 1e-6 * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

TEST(Replay, of_one_thread_is_the_sum_and_of_many_is_no_shorter_than_the_longest_block) {
  std::vector<double> blocks(96, 1.0);
  blocks[40] = 30;
  const double sum = std::accumulate(blocks.begin(), blocks.end(), 0.0);
  EXPECT_NEAR(shared(loop(1, blocks)), sum, kTolerance);
  for (const std::size_t threads : {2U, 3U, 8U, 24U}) {
    const double found = shared(loop(threads, blocks));
    EXPECT_GE(found, std::max(30.0, sum / double(threads)) - kTolerance) << threads;
    EXPECT_LE(found, sum / double(threads) + 30) << threads;
  }
}

TEST(Replay, deals_parts_first_and_then_what_others_have_left) {
  // Thread 0 has four of 1 s, thread 1 four of 3 s: after 4 s it takes the one after the two that thread 1 has begun.
  EXPECT_NEAR(shared(loop(2, {1, 1, 1, 1, 3, 3, 3, 3})), 9, kTolerance);
  // In order: 1 and 2, then 3 beside 4.
  EXPECT_NEAR(shared(loop(2, {1, 2, 3, 4}, Taking::in_order)), 6, kTolerance);
}

TEST(Replay, takes_as_long_as_threads_that_are_dealt_the_same_blocks) {
  // Blocks that sleep: each thread has as it were a core of its own, however busy the machine is.
  constexpr int unit_ms = 20;
  for (const Taking taking : {Taking::parts, Taking::in_order}) {
    std::vector<double> units = {9, 1, 1, 1, 1, 2, 1, 1, 1, 7, 1, 1, 12, 3, 1, 1};
    const With with(4);
    parallel_for(units.size(), 4, taking,
                 [](std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    double least = 1e9;
    for (int round = 0; round < 3; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      parallel_for(units.size(), 4, taking, [&](std::size_t k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(int(units[k]) * unit_ms));
      });
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
      least = std::min(least, took.count());
    }
    // Each with its own part alone would take 17.
    EXPECT_NEAR(least / unit_ms, shared(loop(4, units, taking)), 2) << (taking == Taking::parts ? "parts" : "in order");
  }
}

TEST(Replay, counts_what_waking_and_closing_cost) {
  constexpr double us = 1e-6;  // a hundred of which a thread waits awake
  const Costs costs{.notify = us, .wake = 10 * us, .dispatch = 0.5 * us, .close = 0.25 * us, .line = 0};
  const auto took = [&](const Pieces& pieces) { return whole(Replay(costs).run(pieces, 1)) / us; };
  // Nobody is awake yet: the caller wakes one thread and has both blocks done before that one comes.
  EXPECT_NEAR(took({loop(2, {2 * us, 2 * us})}), 1 + 4 + 0.25, 1e-6);
  // With long blocks that one takes its own.
  const Piece first = loop(2, {20 * us, 20 * us});
  EXPECT_NEAR(took({first}), 1 + 10 + 20 + 0.25, 1e-6);
  // At once after it, it is awake.
  EXPECT_NEAR(took({first, first}), 31.25 + 0.5 + 20 + 0.25, 1e-6);
  // After a pause longer than its patience it sleeps again.
  Piece later = first;
  later.serial = 200 * us;
  EXPECT_NEAR(took({first, later}), 2 * 31.25 + 200, 1e-6);
}

TEST(Replay, keeps_the_quickest_of_recordings_that_have_the_same_loops) {
  Pieces kept;
  keep_quickest({loop(2, {1, 5})}, kept);
  keep_quickest({loop(2, {3, 2})}, kept);
  EXPECT_THAT(kept[0].blocks, ElementsAre(1, 2));
  EXPECT_THROW(keep_quickest({loop(2, {1, 2, 3})}, kept), std::logic_error);
  EXPECT_THROW(keep_quickest({}, kept), std::logic_error);
}

TEST(Rehearsal, tells_every_block_by_one_thread_and_the_stage_of_each_loop) {
  Recorder recorder;
  const With with(4, &recorder);
  std::vector<double> seconds;
  std::vector<std::thread::id> by(64);
  std::vector<std::size_t> order;
  recorder.begin();
  Stopwatch watch(seconds, 2);
  watch.lap(0);
  parallel_for(by.size(), [&](std::size_t k) {
    by[k] = std::this_thread::get_id();
    order.push_back(k);
    spin(std::chrono::microseconds(k == 5 ? 3000 : 1));
    // A loop within one is not shared, nor told.
    std::size_t inner = 0;
    parallel_for(64, [&](std::size_t) { ++inner; });
    EXPECT_EQ(inner, 64U);
  });
  watch.lap(1);
  const Pieces pieces = recorder.end();
  EXPECT_THAT(by, Each(std::this_thread::get_id()));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  std::size_t loops = 0;
  for (const Piece& piece : pieces) {
    if (piece.blocks.empty()) continue;
    ++loops;
    EXPECT_EQ(piece.stage, 1U);
    EXPECT_EQ(piece.limit, 4U);
    ASSERT_EQ(piece.blocks.size(), 64U);
    EXPECT_EQ(std::max_element(piece.blocks.begin(), piece.blocks.end()) - piece.blocks.begin(), 5);
  }
  EXPECT_EQ(loops, 1U);
  const std::vector<StageTimes> stages = Replay(Costs{}).run(pieces, 2);
  // By the clock the stage may have waited for a core.
  EXPECT_LE(stages[1].serial + stages[1].blocks, seconds[1]);
  EXPECT_GE(stages[1].blocks, 1e-3);
  EXPECT_LE(stages[1].serial, 1e-3);
}

TEST(Rehearsal, leaves_loops_of_few_blocks_to_their_caller_untold) {
  Recorder recorder;
  const With with(4, &recorder);
  recorder.begin();
  int calls = 0;
  parallel_for(2 * kLeastBlocks - 1, [&](std::size_t) { ++calls; });
  for (const Piece& piece : recorder.end()) EXPECT_TRUE(piece.blocks.empty());
  EXPECT_EQ(calls, 7);
}

}  // namespace
}  // namespace pucker::bench
