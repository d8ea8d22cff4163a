#include "scene_names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "gltf.h"
#include "pucker/errors.h"

namespace pucker::io {
namespace {

// The names of a file's nodes, in its order.
class Names {
 public:
  explicit Names(const std::vector<std::string>& names) : taken_(names.begin(), names.end()) {}

  /// A name for the next node that has this one, which is the node's own if it is the first; otherwise one that no node
  /// has.
  std::string next(const std::string& name) {
    int& number = numbers_[name];
    if (++number == 1) return name;
    for (;; ++number) {
      std::string numbered = message(name, " (", number, ")");
      if (taken_.insert(numbered).second) return numbered;
    }
  }

  /// A text as long as `name` that is no node's name: its last characters are counted up. None if all are taken.
  std::optional<std::string> of_length(const std::string& name) {
    constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
    constexpr int most = 100000;
    for (int number = 0; number < most; ++number) {
      std::string other = name;
      int rest = number;
      for (std::size_t at = other.size(); at-- > 0 && (rest > 0 || at + 1 == other.size()); rest /= int(digits.size()))
        other[at] = digits[std::size_t(rest) % digits.size()];
      if (rest == 0 && taken_.insert(other).second) return other;
    }
    return std::nullopt;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> numbers_;
};

// --- glTF ---

NumberedNames numbered_gltf(std::string_view content, const std::string& format) {
  Json tree = gltf_tree(content, format);
  std::vector<std::string> stored;
  for (const Json& node : items(tree, "nodes"))
    stored.push_back(member(node, "name").is_string() ? node["name"].get<std::string>() : std::string());
  Names names(stored);
  bool changed = false;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    if (stored[k].empty()) continue;
    const std::string own = names.next(stored[k]);
    changed = changed || own != stored[k];
    tree["nodes"][k]["name"] = own;
  }
  if (!changed) return {};
  return {.content = with_gltf_tree(content, format, tree), .meant = {}};
}

// --- FBX ---

// A name of a model in the bytes of an FBX file, without the class that stands before or after it.
struct Place {
  std::size_t first = 0;
  std::size_t length = 0;
};

// Of a binary file: Model, L and an identifier of eight bytes, S, the length of four bytes, the name, two bytes, Model.
std::optional<Place> binary_name(std::string_view text, std::size_t at) {
  constexpr std::size_t identifier = 9;
  constexpr std::string_view ending("\0\1Model", 7);
  std::uint32_t length = 0;
  const std::size_t head = at + identifier;
  if (head + 1 + sizeof(length) > text.size() || text[at] != 'L' || text[head] != 'S') return std::nullopt;
  std::memcpy(&length, text.data() + head + 1, sizeof(length));
  const std::size_t first = head + 1 + sizeof(length);
  if (length > text.size() - first || !text.substr(first, length).ends_with(ending)) return std::nullopt;
  return Place{first, length - ending.size()};
}

// Of a file of text: Model: an identifier, "Model::NAME".
std::optional<Place> written_name(std::string_view text, std::size_t at) {
  constexpr std::string_view beginning = "\"Model::";
  const std::size_t quote = text.find_first_not_of(" \t-0123456789,", at);
  if (quote == std::string_view::npos || !text.substr(quote).starts_with(beginning)) return std::nullopt;
  const std::size_t first = quote + beginning.size();
  const std::size_t end = text.find_first_of("\"\r\n", first);
  if (end == std::string_view::npos) return std::nullopt;
  return Place{first, end - first};
}

std::vector<Place> names_of_models(std::string_view text) {
  const bool binary = text.starts_with("Kaydara FBX Binary");
  const std::string_view pattern = binary ? "\x05Model" : "Model:";
  std::vector<Place> places;
  for (std::size_t at = text.find(pattern); at != std::string_view::npos; at = text.find(pattern, at + 1)) {
    const std::size_t after = at + pattern.size();
    if (const std::optional<Place> place = binary ? binary_name(text, after) : written_name(text, after))
      places.push_back(*place);
  }
  return places;
}

// Records say where they end: what stands for a name has its length.
NumberedNames numbered_fbx(std::string_view content) {
  NumberedNames result{.content = std::string(content), .meant = {}};
  const std::vector<Place> places = names_of_models(content);
  std::vector<std::string> stored;
  stored.reserve(places.size());
  for (const Place& place : places) stored.emplace_back(content.substr(place.first, place.length));
  Names names(stored);
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (stored[k].empty()) continue;
    const std::string own = names.next(stored[k]);
    if (own == stored[k]) continue;
    const std::optional<std::string> sign = names.of_length(stored[k]);
    if (!sign) continue;
    std::ranges::copy(*sign, result.content.begin() + std::ptrdiff_t(places[k].first));
    result.meant.emplace(*sign, own);
  }
  if (result.meant.empty()) result.content.clear();
  return result;
}

}  // namespace

NumberedNames number_names(std::string_view content, const std::string& format) {
  if (format == "gltf" || format == "glb") return numbered_gltf(content, format);
  if (format == "fbx") return numbered_fbx(content);
  return {};
}

}  // namespace pucker::io
