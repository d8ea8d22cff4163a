/// What a misspelt name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pucker {

/// The known name that takes fewest insertions, deletions, changes and swaps of neighbouring letters to become `name`,
/// or that ends so behind a '.', ':' or '|', the first of equals, in " (did you mean 'x'?)" to stand behind the name in
/// a message. Upper and lower case are one. Empty if even that takes more than a third of the name's letters, and for
/// the name itself.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace pucker
