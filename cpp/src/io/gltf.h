/// The tree of a glTF or GLB file, read with care: what is not there or of another kind is an empty value.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pucker::io {

using Json = nlohmann::json;

/// The value of an object's member; null where there is none.
const Json& member(const Json& object, const char* name);
/// The values of an object's list; none where there is no list.
const Json& items(const Json& object, const char* name);
/// A whole number below `count`; `count` for anything else.
std::size_t number_below(const Json& value, std::size_t count);
/// A number, at least 0; 0 for anything else.
double amount(const Json& value);

/// Of a file's content, the tree's members at its top that are named, all of them without names. Null if it cannot be
/// parsed, which assimp then tells of.
Json gltf_tree(std::string_view content, const std::string& format, const std::vector<std::string_view>& names = {});

/// Leaves out of the tree's morph targets what moves nothing: attributes whose numbers are all 0 as the file has none
/// of them, which libraries take for damage. Whether there were any.
bool leave_out_zeros(Json& tree);

/// A file's content with another tree.
std::string with_gltf_tree(std::string_view content, const std::string& format, const Json& tree);

}  // namespace pucker::io
