/// One episode of the soak: one run of one method on one cloth.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "soak/cloths.h"

namespace pucker::soak {

/// What an episode has gone through.
struct Tally {
  std::int64_t frames = 0;
  std::int64_t refused_runs = 0;  ///< parameters, or a cloth, that the method does not take
  std::int64_t refused_frames = 0;
  std::int64_t restored = 0;
  std::int64_t threaded = 0;  ///< frames of a crowd
  std::int64_t wrinkles = 0;  ///< summed over frames: the soak is worth nothing where nothing wrinkles

  void add(const Tally& other);
};

/// Runs episode `number`; what it does depends on the number and the cloths alone. Throws Broken, or whatever the core
/// throws that it may not. `frame` is set to each frame as it begins.
Tally run_episode(const std::vector<Source>& cloths, std::uint64_t number, std::atomic<std::int64_t>& frame);

}  // namespace pucker::soak
