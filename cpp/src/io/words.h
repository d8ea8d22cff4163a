/// The words of names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pucker::io {

/// The words of the name of a clip or a node in lower case, after the last '|': "Armature|Idle_SwordLeft" has idle,
/// sword and left.
std::vector<std::string> words_of(std::string_view name);

}  // namespace pucker::io
