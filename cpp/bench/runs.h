/// The measurements that are made without Python.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pucker::bench {

/// Calls of malloc since the program began.
std::int64_t allocation_count();

/// Whole frames of the characters in `folder`, over the theses' grid of thresholds and widths.
nlohmann::json run_frames(const std::string& folder);
/// Whole frames of sheets: one that becomes finer, and one that becomes larger.
nlohmann::json run_scale();
/// Frames of a million triangles by dynamic wrinkles, by example and draped, on one thread and on two.
nlohmann::json run_shared_scale();
/// One frame of 100 000 and of a million triangles by each method on many threads: block by block on one, then
/// simulated.
nlohmann::json run_cores();
/// Solving and moving single paths, and banded systems with their solutions.
nlohmann::json run_persistence(const std::string& folder);
/// Many characters, by one thread and by one a core.
nlohmann::json run_crowd(const std::string& folder);
/// The stages of the wave field on sheets of 100 to a million vertices, its solutions, and the allocations of frames.
nlohmann::json run_waves();
/// Allocations of each frame of a run of the wave field.
nlohmann::json run_wave_allocations();
/// Fixed inputs through every stage of every method, to have their instructions counted.
nlohmann::json run_fixed(const std::string& folder);

}  // namespace pucker::bench
