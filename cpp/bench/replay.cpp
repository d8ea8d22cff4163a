#include "replay.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <functional>
#include <queue>
#include <stdexcept>
#include <thread>
#include <utility>

namespace pucker::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Nearly the quickest: the others are of threads that had to wait for a core.
double quick(std::vector<double> values) {
  if (values.empty()) throw std::runtime_error("no second thread has joined a loop: is there a second core?");
  const auto at = values.begin() + std::ptrdiff_t(values.size() / 20);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Keeps a core busy.
void spin(std::chrono::nanoseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

/// What loops of two threads cost, one after each `pause`.
struct LoopCosts {
  std::vector<double> caller;  ///< until its first block
  std::vector<double> other;   ///< until that of the other thread
  std::vector<double> close;

  LoopCosts(int rounds, std::chrono::microseconds pause) {
    constexpr std::size_t blocks = 2 * kLeastBlocks;
    constexpr std::chrono::microseconds block_time(30);
    const std::thread::id own = std::this_thread::get_id();
    for (int round = 0; round < rounds; ++round) {
      std::this_thread::sleep_for(pause);
      struct Block {
        std::thread::id by;
        Clock::time_point begin;
        Clock::time_point end;
      };
      std::array<Block, blocks> ran;
      const auto begin = Clock::now();
      parallel_for(blocks, 2, Taking::parts, [&](std::size_t k) {
        ran[k].by = std::this_thread::get_id();
        ran[k].begin = Clock::now();
        spin(block_time);
        ran[k].end = Clock::now();
      });
      const auto end = Clock::now();
      auto of_other = Clock::time_point::max();
      auto last = begin;
      for (const Block& block : ran) {
        if (block.by != own) of_other = std::min(of_other, block.begin);
        last = std::max(last, block.end);
      }
      if (of_other == Clock::time_point::max()) continue;  // the other one had no core
      caller.push_back(seconds(ran[0].begin - begin));
      other.push_back(seconds(of_other - begin));
      close.push_back(seconds(end - last));
    }
  }
};

/// Of a number that two threads add to.
double line_cost() {
  constexpr int times = 200'000;
  std::vector<double> found;
  for (int round = 0; round < 8; ++round) {
    std::atomic<int> number = 0;
    const auto add = [&] {
      for (int k = 0; k < times; ++k) number.fetch_add(1);
    };
    const auto begin = Clock::now();
    {
      const std::jthread other(add);
      add();
    }
    found.push_back(seconds(Clock::now() - begin) / (2.0 * times));
  }
  return quick(std::move(found));
}

}  // namespace

void Recorder::begin() {
  pieces_.clear();
  open_ = 0;
  last_ = spent();
}

double Recorder::spent() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double Recorder::lap() {
  const double now = spent();
  return now - std::exchange(last_, now);
}

void Recorder::begin_loop(std::size_t blocks, std::size_t limit, Taking taking, BlockFunction function) {
  const double before = lap();
  pieces_.push_back({.serial = before, .limit = limit, .taking = taking, .function = function, .blocks = {}});
  pieces_.back().blocks.reserve(blocks);
  lap();
}

void Recorder::end_block() { pieces_.back().blocks.push_back(lap()); }

void Recorder::end_loop() { lap(); }

void Recorder::end_stage(std::size_t stage) {
  pieces_.push_back({.serial = lap(), .blocks = {}});
  for (; open_ < pieces_.size(); ++open_) pieces_[open_].stage = stage;
  lap();
}

Pieces Recorder::end() {
  pieces_.push_back({.serial = lap(), .blocks = {}});
  const std::size_t last = open_ > 0 ? pieces_[open_ - 1].stage : 0;
  for (; open_ < pieces_.size(); ++open_) pieces_[open_].stage = last;
  return std::move(pieces_);
}

void keep_quickest(const Pieces& other, Pieces& into) {
  if (into.empty()) {
    into = other;
    return;
  }
  if (other.size() != into.size()) throw std::logic_error("two recordings of a frame have not as many loops");
  for (std::size_t i = 0; i < into.size(); ++i) {
    const Piece& piece = other[i];
    Piece& kept = into[i];
    if (piece.function != kept.function || piece.stage != kept.stage || piece.limit != kept.limit ||
        piece.blocks.size() != kept.blocks.size())
      throw std::logic_error("two recordings of a frame do not have the same loops");
    kept.serial = std::min(kept.serial, piece.serial);
    for (std::size_t k = 0; k < kept.blocks.size(); ++k) kept.blocks[k] = std::min(kept.blocks[k], piece.blocks[k]);
  }
}

Costs measure_costs() {
  const std::size_t before = threads();
  set_threads(2);
  // The first loop starts the thread.
  const LoopCosts starting(1, std::chrono::microseconds(0));
  const LoopCosts awake(1000, std::chrono::microseconds(0));
  const LoopCosts asleep(400, std::chrono::microseconds(1000));
  set_threads(before);
  Costs out;
  out.dispatch = quick(awake.other);
  out.notify = std::max(0.0, quick(asleep.caller) - quick(awake.caller));
  out.wake = std::max(0.0, quick(asleep.other) - out.notify);
  out.close = quick(awake.close);
  out.line = line_cost();
  return out;
}

Replay::Replay(const Costs& costs) : costs_(costs), waits_(kMostThreads, -std::numeric_limits<double>::infinity()) {}

double Replay::run_loop(const Piece& piece, double begin) {
  struct Turn {
    double time;
    std::size_t thread;
    bool operator>(const Turn& other) const { return std::pair(time, thread) > std::pair(other.time, other.thread); }
  };
  constexpr double patience = std::chrono::duration<double>(kPatience).count();
  const std::size_t count = piece.blocks.size();
  const std::size_t limit = piece.limit;
  const std::size_t parts = part_count(limit, piece.taking);
  std::vector<std::size_t> next(parts);
  for (std::size_t k = 0; k < parts; ++k) next[k] = part_begin(count, parts, k);

  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  std::size_t sleeping = 0;
  for (std::size_t k = 1; k < waits_.size(); ++k) {
    const bool asleep = begin - waits_[k] > patience;
    if (k >= limit) {
      // It looks at the loop, which restarts its patience, and does not join.
      if (!asleep) waits_[k] = begin;
      continue;
    }
    if (asleep) ++sleeping;
    turns.push(
        {begin + double(sleeping) * costs_.notify + (asleep ? costs_.wake : costs_.dispatch + double(k) * costs_.line),
         k});
  }
  turns.push({begin + double(sleeping) * costs_.notify, 0});

  std::vector<std::size_t> turn(limit, 0);
  std::vector<std::uint8_t> joined(limit, 0);
  double closed = std::numeric_limits<double>::infinity();
  double end = begin;
  std::size_t others = 0;
  while (!turns.empty()) {
    const auto [time, thread] = turns.top();
    turns.pop();
    if (time > closed && joined[thread] == 0) {
      waits_[thread] = time;
      continue;
    }
    if (joined[thread] == 0) {
      joined[thread] = 1;
      others += thread > 0 ? 1 : 0;
    }
    std::size_t part = part_at(thread, turn[thread], parts);
    while (turn[thread] < parts && next[part] == part_begin(count, parts, part + 1))
      part = part_at(thread, ++turn[thread], parts);
    if (turn[thread] < parts) {
      // A part of another thread's, or of all, has a number that several change.
      const double taken = turn[thread] > 0 || parts == 1 ? costs_.line : 0;
      turns.push({time + taken + piece.blocks[next[part]++], thread});
      continue;
    }
    if (thread == 0) closed = time;
    waits_[thread] = time;
    end = std::max(end, time);
  }
  return end + double(others) * costs_.line + costs_.close;
}

std::vector<StageTimes> Replay::run(const Pieces& pieces, std::size_t stages) {
  std::vector<StageTimes> out(stages);
  double now = 0;
  for (const Piece& piece : pieces) {
    StageTimes& stage = out.at(piece.stage);
    stage.serial += piece.serial;
    now += piece.serial;
    if (piece.blocks.empty()) continue;
    const double end = run_loop(piece, now);
    stage.loops += end - now;
    for (const double block : piece.blocks) stage.blocks += block;
    now = end;
  }
  return out;
}

double whole(const std::vector<StageTimes>& stages) {
  double out = 0;
  for (const StageTimes& stage : stages) out += stage.serial + stage.loops;
  return out;
}

}  // namespace pucker::bench
