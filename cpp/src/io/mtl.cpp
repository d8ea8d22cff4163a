#include "mtl.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <unordered_map>

#include "opacity.h"

namespace pucker::io {
namespace {

constexpr std::string_view kSpace = " \t\r";

// The first word of a line, which is taken off it.
std::string_view take_word(std::string_view& line) {
  line = trimmed(line, kSpace);
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line = trimmed(line.substr(word.size()), kSpace);
  return word;
}

std::optional<double> take_share(std::string_view& line) {
  const std::string_view word = take_word(line);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!(value >= 0.0 && value <= 1.0)) return std::nullopt;
  return value;
}

// The file name that a map ends with; options, which begin with a dash, stand before it.
std::string file_of(std::string_view line) {
  if (line.starts_with('-')) line = line.substr(line.find_last_of(kSpace) + 1);
  return std::string(line);
}

// One material as its library describes it.
struct Described {
  Material* material = nullptr;  ///< null for one that no face has
  std::optional<double> opacity = std::nullopt;
  std::string opacity_picture;

  void finish(const ReadNamed& read) const {
    if (material == nullptr) return;
    if (opacity) {
      // A material may be described twice.
      material->color.back() = 1.0;
      material->alpha.mode = AlphaMode::opaque;
    }
    take_opacity(*material, opacity.value_or(1.0), opacity_picture);
    if (!material->texture_name.empty()) material->texture = read(material->texture_name);
  }
};

void read_line(std::string_view line, Described& current) {
  const std::string_view keyword = take_word(line);
  if (keyword == "Kd") {
    const auto red = take_share(line);
    const auto green = take_share(line);
    const auto blue = take_share(line);
    if (red && green && blue) current.material->color = {*red, *green, *blue, current.material->color.back()};
  } else if (keyword == "d" || keyword == "Tr") {
    if (const auto share = take_share(line)) current.opacity = keyword == "d" ? *share : 1.0 - *share;
  } else if (keyword == "map_Kd") {
    current.material->texture_name = file_of(line);
  } else if (keyword == "map_d") {
    current.opacity_picture = file_of(line);
  }
}

}  // namespace

void read_libraries(const std::vector<std::string>& libraries, const ReadNamed& read_any, const Limits& limits,
                    std::vector<Material>& materials) {
  // Many materials may name one large file.
  std::int64_t left = limits.memory;
  const ReadNamed read = [&](const std::string& name) -> Bytes {
    if (left <= 0) return {};
    Bytes bytes = read_any(name);
    left -= std::int64_t(bytes.size());
    return bytes;
  };
  std::unordered_map<std::string, Material*> by_name;
  for (Material& material : materials) by_name.try_emplace(material.name, &material);
  for (const std::string& library : std::set(libraries.begin(), libraries.end())) {
    const Bytes bytes = read(library);
    std::string_view text = text_of(bytes);
    Described current;
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      std::string_view rest = line;
      if (take_word(rest) == "newmtl") {
        current.finish(read);
        const auto found = by_name.find(std::string(rest));
        current = {.material = found == by_name.end() ? nullptr : found->second, .opacity_picture = {}};
      } else if (current.material != nullptr) {
        read_line(line, current);
      }
    }
    current.finish(read);
  }
}

}  // namespace pucker::io
