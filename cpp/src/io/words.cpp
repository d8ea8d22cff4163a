#include "words.h"

#include <cctype>

namespace pucker::io {

std::vector<std::string> words_of(std::string_view name) {
  if (const std::size_t bar = name.rfind('|'); bar != std::string_view::npos) name.remove_prefix(bar + 1);
  std::vector<std::string> words;
  bool within = false;
  bool was_lower = false;
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    const bool is_letter = std::isalpha(code) != 0;
    const bool is_upper = std::isupper(code) != 0;
    if (is_letter && (!within || (is_upper && was_lower))) words.emplace_back();
    if (is_letter) words.back().push_back(char(std::tolower(code)));
    within = is_letter;
    was_lower = is_letter && !is_upper;
  }
  return words;
}

}  // namespace pucker::io
