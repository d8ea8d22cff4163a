/// Measuring how loops would be shared by more threads than there are cores: one thread runs them and tells their
/// blocks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

#include "pucker/threads.h"

namespace pucker {

// How run_blocks deals blocks to threads, for those who calculate with it.

/// For how long a thread that has no block left looks for the next loop before it sleeps.
inline constexpr std::chrono::microseconds kPatience(100);
/// How many parts the blocks of a loop are divided into. A thread takes up the blocks of a part in their order.
constexpr std::size_t part_count(std::size_t limit, Taking taking) { return taking == Taking::parts ? limit : 1; }
/// First block of a part, and the end of the one before it.
constexpr std::size_t part_begin(std::size_t blocks, std::size_t parts, std::size_t part) {
  return blocks * part / parts;
}
/// The part that a thread takes up as its `turn`-th, all from 0; the caller is thread 0.
constexpr std::size_t part_at(std::size_t thread, std::size_t turn, std::size_t parts) {
  return (thread + turn) % parts;
}

/// What is told while it is set with rehearse(). Called by the thread that runs the loop or the stage.
class Rehearsal {
 public:
  virtual ~Rehearsal() = default;
  /// Of a loop that up to `limit` threads would share.
  virtual void begin_loop(std::size_t blocks, std::size_t limit, Taking taking, BlockFunction function) = 0;
  virtual void end_block() = 0;
  virtual void end_loop() = 0;
  /// All since the last call was part of a stage, a number in the order of State::stages.
  virtual void end_stage(std::size_t stage) = 0;

 protected:
  Rehearsal() = default;
  Rehearsal(const Rehearsal&) = default;
  Rehearsal& operator=(const Rehearsal&) = default;
};

namespace detail {
inline std::atomic<Rehearsal*> rehearsal = nullptr;
}

/// From now on loops that several threads would share, as set_threads() says, are run by their caller, block after
/// block, and told, but loops within them are not: results are the same. No threads are started. Null: as always. For
/// measurements; no loop may be running.
inline void rehearse(Rehearsal* told) { detail::rehearsal.store(told); }

}  // namespace pucker
