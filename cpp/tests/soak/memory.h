/// What one long run of each method holds in memory, frame after frame.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pucker::soak {

/// Bytes that were allocated and not given back.
std::int64_t in_use();

/// Bytes that may be in use, or resident, more at the end of a run than at its start, beyond what differs between its
/// frames.
inline constexpr std::int64_t kGrowth = std::int64_t(1) << 20;

/// Runs each method through `frames` of smooth motion on a small cloth, with all that programs do with frames: what is
/// drawn, states held for a while, runs saved and restored, frames refused. Prints a line of each method with bytes
/// resident and in use at the start, in the middle and at the end, each the least of a hundredth of the frames or of
/// 400. `leak`: bytes that are kept each frame for good, to see them found. False, and a sentence on stderr, for a
/// method that grew by more than kGrowth.
bool run_memory(std::int64_t frames, std::size_t leak);

}  // namespace pucker::soak
