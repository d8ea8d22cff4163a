/// What a scene's file claims, held against the limits before assimp takes memory for it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pucker/io/limits.h"

namespace pucker::io {

/// Throws Error for a file's content where the lists of a Collada file hold what assimp takes memory without end for,
/// or where nodes that hold one another expand to more than the limit of memory allows, of a glTF also its vertices.
/// `format` is the ending in lower case.
void check_scene(const std::filesystem::path& path, std::string_view content, const std::string& format,
                 const Limits& limits);

}  // namespace pucker::io
