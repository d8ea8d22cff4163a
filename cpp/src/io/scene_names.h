/// Names by which a library that tells the nodes of a file apart by their names can do so.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace pucker::io {

/// What a file says with a name of its own for each node. Files need not give them one: glTF tells nodes apart by
/// numbers, FBX by identifiers.
struct NumberedNames {
  /// Of the file; empty if no two nodes have one name, or its format is another.
  std::string content;
  /// "Bone (2)" by the name that stands for it in the content, where that is another.
  std::unordered_map<std::string, std::string> meant;
};

/// Of nodes of one name the first keeps it, the others are numbered in the file's order: "Bone (2)", "Bone (3)".
NumberedNames number_names(std::string_view content, const std::string& format);

}  // namespace pucker::io
