/// Allocations that fail when a test wants them to, and are counted.
#pragma once

#include <cstdint>

namespace pucker::testing {

/// Of this thread, so many more by `new` succeed before one fails; below 0, all do.
void let_allocations_succeed(std::int64_t count);

/// How many there have been since the program began, in all threads, by `new` or malloc().
std::int64_t allocation_count();

}  // namespace pucker::testing
