/// Names by which a library that tells the nodes of a file apart by their names can do so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "pucker/io/limits.h"

namespace pucker::io {

/// What a file says with a name of its own for each node. Files need not give them one: glTF tells nodes apart by
/// numbers, FBX by identifiers.
struct NumberedNames {
  /// The file's bytes; none if no two nodes have one name, or its format is another.
  std::vector<std::uint8_t> bytes;
  /// "Bone (2)" by the name that stands for it in the bytes, where that is another.
  std::unordered_map<std::string, std::string> meant;
};

/// Of nodes of one name the first keeps it, the others are numbered in the file's order: "Bone (2)", "Bone (3)". Throws
/// Error if the file cannot be read.
NumberedNames number_names(const std::filesystem::path& path, const std::string& format, const Limits& limits);

}  // namespace pucker::io
