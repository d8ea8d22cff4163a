// In a file of its own: where a compiler sees both operators it takes free() for a mismatch.
#include "failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
thread_local std::int64_t allocations_left = -1;
std::atomic<std::int64_t> allocations = 0;
}  // namespace

// NOLINTBEGIN(*-reserved-identifier, *-identifier-naming): with the linker's option --wrap, calls of malloc() come
// here, Eigen's too
extern "C" void* __real_malloc(std::size_t size);
extern "C" void* __wrap_malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __real_malloc(size);
}
// NOLINTEND(*-reserved-identifier, *-identifier-naming)

void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace pucker::testing {

void let_allocations_succeed(std::int64_t count) { allocations_left = count; }

std::int64_t allocation_count() { return allocations; }

}  // namespace pucker::testing
