/// Files that appear under their name only when they are complete.
#pragma once

#include <filesystem>
#include <functional>

namespace pucker::viewer {

/// Calls `write` with a temporary path beside `path`, which then takes its place. Throws Error, and leaves nothing
/// behind, if `write` returns false or the folder does not take the file.
void write_complete(const std::filesystem::path& path, const std::function<bool(const std::filesystem::path&)>& write);

}  // namespace pucker::viewer
