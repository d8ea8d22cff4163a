/// Allocations that fail when a test wants them to.
#pragma once

#include <cstdint>

namespace pucker::testing {

/// Of this thread, so many more succeed before one fails; below 0, all do.
void let_allocations_succeed(std::int64_t count);

}  // namespace pucker::testing
