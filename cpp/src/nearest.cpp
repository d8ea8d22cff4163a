#include "pucker/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace pucker {

namespace {

// Longer ones come of damaged files, and take time squared.
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kLettersAnError = 3;

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

/// Optimal string alignment, which counts a swap of neighbours as one error.
std::size_t errors_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const bool same = lower(a[i - 1]) == lower(b[k - 1]);
      row[k] = std::min({last[k] + 1, row[k - 1] + 1, last[k - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) && lower(a[i - 2]) == lower(b[k - 1]);
      if (swapped) row[k] = std::min(row[k], before[k - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  if (name.size() > kLongestName) return "";
  std::size_t least = std::max<std::size_t>(name.size() / kLettersAnError, 1) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& other : known) {
    if (other == name) return "";
    if (other.size() > kLongestName) continue;
    // Of shape.profile, joint:Chest and Armature|Walk the end alone says it too.
    const std::string_view end = std::string_view(other).substr(other.find_last_of(".:|") + 1);
    const std::size_t errors = std::min(errors_between(name, other), errors_between(name, end));
    // A name of two letters that shares neither is no guess.
    if (errors >= least || errors >= std::max(name.size(), other.size())) continue;
    least = errors;
    nearest = &other;
  }
  return nearest == nullptr ? "" : " (did you mean '" + *nearest + "'?)";
}

}  // namespace pucker
