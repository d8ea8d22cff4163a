#include "pucker/threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "pucker/errors.h"
#include "pucker/rehearsal.h"

namespace pucker {

namespace {

/// Looks before a waiting thread begins to let others of the machine go first.
constexpr int kLooks = 256;
/// Lines of the cache of their own, so that what one thread writes does not slow what another reads.
constexpr std::size_t kLine = 64;

/// Tells the processor that a thread only waits.
inline void relax() {
#if defined(__SSE2__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks whether `done()` for as long as patience lasts, since to be woken takes about as long; whether it was.
template <class Done>
bool soon(const Done& done) {
  for (int look = 0; look < kLooks; ++look) {
    if (done()) return true;
    relax();
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// The exception of the first block that threw.
class Failure {
 public:
  /// Of the exception that is being handled.
  void note(std::size_t block) {
    const std::scoped_lock lock(mutex_);
    if (thrown_ && block_ <= block) return;
    thrown_ = std::current_exception();
    block_ = block;
  }
  /// Throws it, if there is one. No block may run any more.
  void rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::size_t block_ = 0;
};

/// What a loop calls.
struct Blocks {
  BlockFunction function = nullptr;
  const void* context = nullptr;
  Failure* failure = nullptr;

  void run(std::size_t block) const {
    try {
      function(context, block);
    } catch (...) {
      failure->note(block);
    }
  }
};

/// The threads of a process. Never destroyed, as other threads may outlive everything static.
class Pool {
 public:
  /// That of this process.
  static Pool& ours();

  /// Takes it for one loop; whether nobody has it.
  bool take() { return !taken_.exchange(true, std::memory_order_acquire); }
  void give_back() { taken_.store(false, std::memory_order_release); }
  bool taken() const { return taken_.load(std::memory_order_relaxed); }

  /// Starts threads until there are `count` with the caller's, who has taken it.
  void grow(std::size_t count);
  /// By who has taken it, with as many threads or more.
  void run(std::size_t count, std::size_t limit, Taking taking, const Blocks& blocks);
  /// Ends the threads, for good.
  void close();

 private:
  /// Blocks that a thread begins with, which those that have none left take too.
  struct alignas(kLine) Part {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };
  struct alignas(kLine) Worker {
    explicit Worker(std::size_t place) : own(place) {}
    const std::size_t own;  ///< the caller's being 0
    std::atomic<bool> asleep = false;
    std::mutex mutex;
    std::condition_variable woken;
    std::thread thread;
  };
  // What threads look at, in one number: which loop it is, by how many threads it may be run, how many of them have
  // joined, and whether one still may.
  static constexpr std::uint64_t kOpen = 1;
  static constexpr std::uint64_t kJoined = 2;
  static constexpr int kCountBits = 11;
  static constexpr std::uint64_t kCounts = (1U << kCountBits) - 1;
  static std::size_t joined(std::uint64_t word) { return std::size_t(word >> 1 & kCounts); }
  static std::size_t limit(std::uint64_t word) { return std::size_t(word >> (1 + kCountBits) & kCounts); }
  static std::uint64_t number(std::uint64_t word) { return word >> (1 + 2 * kCountBits); }

  void serve(Worker& worker);
  /// Waits for a loop after number `seen` that is open to the thread, and joins it; false: the threads are to end.
  bool join(Worker& worker, std::uint64_t& seen);
  void work(std::size_t own);

  std::atomic<bool> taken_ = false;
  std::atomic<bool> ending_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Part> parts_{kMostThreads};
  Blocks blocks_;
  std::size_t part_count_ = 0;
  alignas(kLine) std::atomic<std::uint64_t> word_ = 0;
  alignas(kLine) std::atomic<std::size_t> left_ = 0;  ///< threads that have joined the loop and have no block any more
  std::atomic<bool> awaited_ = false;                 ///< whether the caller sleeps until all have
  std::mutex mutex_;
  std::condition_variable finished_;
};

std::atomic<Pool*> pool = nullptr;

/// Ends the threads before the process ends. In a forked process there are none, and locks may be held by those that
/// are not there.
const struct Watch {
  Watch() noexcept {
    pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr); });
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (Pool* const ending = pool.load()) ending->close();
  }
} kWatch;

Pool& Pool::ours() {
  Pool* found = pool.load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  // Of threads that come here together, one makes what all use.
  auto made = std::make_unique<Pool>();
  return pool.compare_exchange_strong(found, made.get()) ? *made.release() : *found;
}

void Pool::grow(std::size_t count) {
  while (workers_.size() + 1 < count) {
    auto worker = std::make_unique<Worker>(workers_.size() + 1);
    try {
      worker->thread = std::thread([this, &own = *worker] { serve(own); });
    } catch (const std::system_error& error) {
      throw Error(message("thread ", worker->own + 1, " of ", count, " cannot be started: ", error.what()));
    }
    workers_.push_back(std::move(worker));
  }
}

void Pool::run(std::size_t count, std::size_t limit, Taking taking, const Blocks& blocks) {
  blocks_ = blocks;
  part_count_ = part_count(limit, taking);
  for (std::size_t k = 0; k < part_count_; ++k) {
    parts_[k].next.store(part_begin(count, part_count_, k), std::memory_order_relaxed);
    parts_[k].end = part_begin(count, part_count_, k + 1);
  }
  left_.store(0, std::memory_order_relaxed);
  const std::uint64_t next = number(word_.load(std::memory_order_relaxed)) + 1;
  word_.store((next << kCountBits | limit) << (1 + kCountBits) | kOpen);
  for (std::size_t k = 0; k + 1 < limit; ++k) {
    Worker& worker = *workers_[k];
    if (!worker.asleep.load()) continue;
    const std::scoped_lock lock(worker.mutex);
    worker.asleep.store(false);
    worker.woken.notify_one();
  }
  work(0);
  // Nobody joins any more; those who have may be in a block each.
  const std::size_t others = joined(word_.fetch_and(~kOpen));
  const auto done = [&] { return left_.load() == others; };
  if (soon(done)) return;
  std::unique_lock lock(mutex_);
  awaited_.store(true);
  finished_.wait(lock, done);
  awaited_.store(false);
}

void Pool::close() {
  // Threads that are in a loop now cannot be waited for.
  if (!take()) return;
  ending_.store(true);
  for (const auto& worker : workers_) {
    {
      const std::scoped_lock lock(worker->mutex);
      worker->woken.notify_one();
    }
    worker->thread.join();
  }
}

void Pool::serve(Worker& worker) {
  for (std::uint64_t seen = 0; join(worker, seen);) {
    work(worker.own);
    left_.fetch_add(1);
    if (!awaited_.load()) continue;
    const std::scoped_lock lock(mutex_);
    finished_.notify_one();
  }
}

bool Pool::join(Worker& worker, std::uint64_t& seen) {
  const auto changed = [&] { return ending_.load() || number(word_.load()) != seen; };
  for (;;) {
    if (!soon(changed)) {
      std::unique_lock lock(worker.mutex);
      worker.asleep.store(true);
      worker.woken.wait(lock, [&] { return !worker.asleep.load() || changed(); });
      worker.asleep.store(false);
    }
    if (ending_.load()) return false;
    std::uint64_t word = word_.load();
    seen = number(word);
    while (number(word) == seen && (word & kOpen) != 0 && worker.own < limit(word))
      if (word_.compare_exchange_weak(word, word + kJoined)) return true;
  }
}

void Pool::work(std::size_t own) {
  for (std::size_t k = 0; k < part_count_; ++k) {
    Part& part = parts_[part_at(own, k, part_count_)];
    while (part.next.load(std::memory_order_relaxed) < part.end) {
      const std::size_t block = part.next.fetch_add(1, std::memory_order_relaxed);
      if (block < part.end) blocks_.run(block);
    }
  }
}

/// What set_threads() or the environment said; kUnsaid before it was looked for, kOwn if neither has.
constexpr std::size_t kUnsaid = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kOwn = kUnsaid - 1;
std::atomic<std::size_t> said = kUnsaid;

std::size_t from_environment() {
  const char* const name = "PUCKER_THREADS";
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes it
  if (text == nullptr || *text == 0) return kOwn;
  std::size_t count = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, count);
  require(error == std::errc() && stop == end && count <= kMostThreads, name, " must be a whole number from 0 to ",
          kMostThreads, ", got '", text, "'");
  return count > 0 ? count : core_count();
}

std::size_t read_said() {
  std::size_t found = said.load(std::memory_order_relaxed);
  if (found != kUnsaid) return found;
  const std::size_t count = from_environment();
  // Unless another thread has said it meanwhile.
  return said.compare_exchange_strong(found, count) ? count : found;
}

}  // namespace

std::size_t core_count() { return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads); }

std::size_t threads() {
  const std::size_t count = read_said();
  return count == kOwn ? 1 : count;
}

void set_threads(std::size_t count) {
  require(count <= kMostThreads, "threads must be at most ", kMostThreads, ", got ", count);
  said.store(count > 0 ? count : core_count());
}

std::size_t crowd_threads() {
  const std::size_t count = read_said();
  return count == kOwn ? core_count() : count;
}

std::size_t threads_for(std::size_t blocks) {
  const std::size_t most = blocks / kLeastBlocks;
  if (most < 2) return 1;
  const Pool* const ours = pool.load(std::memory_order_acquire);
  return ours != nullptr && ours->taken() ? 1 : std::min(threads(), most);
}

void run_blocks(std::size_t count, std::size_t limit, Taking taking, BlockFunction function, const void* context) {
  Failure failure;
  const Blocks blocks{function, context, &failure};
  limit = std::min({limit, count, kMostThreads});
  Pool* const ours = limit > 1 ? &Pool::ours() : nullptr;
  if (ours != nullptr && ours->take()) {
    if (Rehearsal* const told = detail::rehearsal.load(std::memory_order_relaxed)) {
      told->begin_loop(count, limit, taking, function);
      for (std::size_t block = 0; block < count; ++block) {
        blocks.run(block);
        told->end_block();
      }
      told->end_loop();
      ours->give_back();
      failure.rethrow();
      return;
    }
    try {
      ours->grow(limit);
    } catch (...) {
      ours->give_back();
      throw;
    }
    ours->run(count, limit, taking, blocks);
    ours->give_back();
  } else {
    for (std::size_t block = 0; block < count; ++block) blocks.run(block);
  }
  failure.rethrow();
}

}  // namespace pucker
