/// Threads that all calls share: how many one call may use, and loops whose blocks they take up.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pucker {

/// Most threads that a call can use.
inline constexpr std::size_t kMostThreads = 1024;

/// How many threads one call may use, the caller's among them: what set_threads() said last, else what the environment
/// variable PUCKER_THREADS says, else 1. A library is one of several things that a program does, and programs often run
/// one process a core already, so it does not take cores unasked.
/// Throws InvalidArgument for a PUCKER_THREADS that is not a whole number from 0, one a core, to kMostThreads.
std::size_t threads();
/// Sets it for the process, from the next call on; 0: one a core. The results of a call do not depend on it. Throws
/// InvalidArgument above kMostThreads.
void set_threads(std::size_t count);
/// How many threads are one a core of those that the process may use, at least 1 and at most kMostThreads.
std::size_t core_count();
/// How many threads a crowd has that does not say: threads() where the caller or the environment has said so, else one
/// a core. Throws as threads() does.
std::size_t crowd_threads();

/// Blocks that a thread must have for itself: of fewer, another one is not worth waking for.
inline constexpr std::size_t kLeastBlocks = 4;
/// How many threads parallel_for shares so many blocks between: as threads() says, but no thread has fewer than
/// kLeastBlocks, and it is 1 while another loop has the threads. Throws as threads() does.
std::size_t threads_for(std::size_t blocks);

/// In which order the threads of a loop take up its blocks.
enum class Taking {
  parts,    ///< each thread its own run of blocks, the same ones in each loop as large, then what others have left
  in_order  ///< each block by the next thread that is free
};

using BlockFunction = void (*)(const void* context, std::size_t block);

/// Calls `function(context, block)` for each block below `count` once, by up to `limit` threads, the caller's among
/// them, and returns when all calls have. One loop at a time has the threads: within another one, or while another
/// thread of the caller's runs one, the caller runs all blocks itself. Blocks that throw do not stop the others; then
/// the exception of the first of them is thrown. Threads are started when a loop first needs them, wait for the next
/// loop a tenth of a millisecond, then sleep, and have ended before the process does. After a fork the new process has
/// none and starts its own. Does not allocate but for a thread's start, and throws Error, before any call, when one
/// cannot be started.
void run_blocks(std::size_t count, std::size_t limit, Taking taking, BlockFunction function, const void* context);

/// Calls `body(block)` for each block below `count`, as run_blocks does, by up to `limit` threads.
template <class Body>
void parallel_for(std::size_t count, std::size_t limit, Taking taking, const Body& body) {
  run_blocks(
      count, limit, taking, [](const void* context, std::size_t block) { (*static_cast<const Body*>(context))(block); },
      &body);
}

/// The same by threads_for(count) threads.
template <class Body>
void parallel_for(std::size_t count, const Body& body) {
  parallel_for(count, threads_for(count), Taking::parts, body);
}

/// Calls `body(begin, end)` for blocks of `size` of `count` elements, the last one with what is left. What blocks there
/// are does not depend on the number of threads, so sums by block, added in their order, have the same bits on any.
template <class Body>
void parallel_blocks(std::size_t count, std::size_t size, const Body& body) {
  parallel_for((count + size - 1) / size,
               [&](std::size_t block) { body(block * size, std::min(count, (block + 1) * size)); });
}

}  // namespace pucker
