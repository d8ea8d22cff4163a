#include "gltf.h"

#include <algorithm>
#include <cstring>

namespace pucker::io {
namespace {

constexpr std::size_t kGlbHeader = 12;
constexpr std::size_t kChunkHeader = 8;

// The JSON of a file: all of a .gltf, the first chunk of a .glb.
std::string_view text_of_tree(std::string_view content, const std::string& format) {
  if (format != "glb") return content;
  if (content.size() < kGlbHeader + kChunkHeader) return {};
  std::uint32_t length = 0;
  std::memcpy(&length, content.data() + kGlbHeader, sizeof(length));
  return content.substr(kGlbHeader + kChunkHeader, length);
}

}  // namespace

const Json& member(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

const Json& items(const Json& object, const char* name) {
  static const Json none = Json::array();
  const Json& found = member(object, name);
  return found.is_array() ? found : none;
}

std::size_t number_below(const Json& value, std::size_t count) {
  if (!value.is_number_integer() || value < 0) return count;
  return std::size_t(std::min(value.get<std::uint64_t>(), std::uint64_t(count)));
}

double amount(const Json& value) { return value.is_number() ? std::max(value.get<double>(), 0.0) : 0.0; }

Json gltf_tree(std::string_view content, const std::string& format, const std::vector<std::string_view>& names) {
  const std::string_view text = text_of_tree(content, format);
  const auto keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
    return depth != 1 || event != Json::parse_event_t::key || names.empty() ||
           std::ranges::find(names, parsed.get_ref<const std::string&>()) != names.end();
  };
  Json tree = Json::parse(text.begin(), text.end(), keep, false);
  return tree.is_object() ? tree : Json();
}

bool leave_out_zeros(Json& tree) {
  const std::size_t count = items(tree, "accessors").size();
  const auto is_zero = [&](const Json& number) {
    const std::size_t k = number_below(number, count);
    if (k == count) return false;
    const Json& accessor = tree["accessors"][k];
    return accessor.is_object() && !accessor.contains("bufferView") && !accessor.contains("sparse");
  };
  bool found = false;
  for (std::size_t m = 0; m < items(tree, "meshes").size(); ++m)
    for (std::size_t p = 0; p < items(tree["meshes"][m], "primitives").size(); ++p)
      for (std::size_t t = 0; t < items(tree["meshes"][m]["primitives"][p], "targets").size(); ++t) {
        Json& target = tree["meshes"][m]["primitives"][p]["targets"][t];
        for (const auto* name : {"POSITION", "NORMAL", "TANGENT"}) {
          if (!is_zero(member(target, name))) continue;
          target.erase(name);
          found = true;
        }
      }
  return found;
}

std::string with_gltf_tree(std::string_view content, const std::string& format, const Json& tree) {
  std::string text = tree.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (format != "glb") return text;
  constexpr std::size_t header = kGlbHeader + kChunkHeader;
  if (content.size() < header) return std::string(content);
  constexpr std::size_t alignment = 4;
  text.append((alignment - text.size() % alignment) % alignment, ' ');
  std::string result(content.substr(0, header));
  result.append(text).append(content.substr(header + text_of_tree(content, format).size()));
  const auto put = [&](std::size_t at, std::size_t value) {
    const auto number = std::uint32_t(value);
    std::memcpy(result.data() + at, &number, sizeof(number));
  };
  put(kGlbHeader - sizeof(std::uint32_t), result.size());
  put(kGlbHeader, text.size());
  return result;
}

}  // namespace pucker::io
