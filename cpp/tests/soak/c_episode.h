/// One episode of the soak through the C interface.
#pragma once

#include "soak/episode.h"

namespace pucker::soak {

/// Runs a method on a cloth through pucker.h and beside it in C++: every status, every sentence and every bit must be
/// the same, and nothing may be written beyond the room that is given. Otherwise as run_episode.
Tally run_c_episode(const std::vector<Source>& cloths, std::uint64_t number, std::atomic<std::int64_t>& frame);

}  // namespace pucker::soak
