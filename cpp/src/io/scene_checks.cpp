#include "scene_checks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "files.h"
#include "gltf.h"
#include "node_graph.h"

namespace pucker::io {
namespace {

// --- glTF ---

// Vertices of each mesh, as its primitives claim them.
std::vector<double> vertices_of_meshes(const Json& tree) {
  std::vector<double> result;
  const Json& accessors = items(tree, "accessors");
  for (const Json& mesh : items(tree, "meshes")) {
    double& vertices = result.emplace_back(0.0);
    for (const Json& primitive : items(mesh, "primitives")) {
      const std::size_t accessor = number_below(member(member(primitive, "attributes"), "POSITION"), accessors.size());
      if (accessor < accessors.size()) vertices += amount(member(accessors[accessor], "count"));
    }
  }
  return result;
}

// Component type of indices of four bytes.
constexpr int kUnsignedInt = 5125;

// Assimp 5.2 loses indices of four bytes that Draco packs, and says then that a mesh has none.
void check_draco(const std::filesystem::path& path, const Json& tree) {
  const Json& accessors = items(tree, "accessors");
  std::size_t number = 0;
  for (const Json& mesh : items(tree, "meshes")) {
    for (const Json& primitive : items(mesh, "primitives")) {
      const std::size_t indices = number_below(member(primitive, "indices"), accessors.size());
      if (indices < accessors.size() && member(accessors[indices], "componentType") == kUnsignedInt &&
          member(member(primitive, "extensions"), "KHR_draco_mesh_compression").is_object())
        fail(path, "mesh ", number,
             " is packed by Draco with indices of four bytes, which are not read; write the file without compression");
    }
    ++number;
  }
}

// Throws Error for data that is packed in a way that assimp does not unpack, and would read as something else.
void check_packing(const std::filesystem::path& path, const Json& tree) {
  for (const Json& extension : items(tree, "extensionsRequired"))
    for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_mesh_quantization"})
      if (extension == name)
        fail(path, "its meshes are packed by ", name, ", which is not read; gltfpack -noq -kn -km -i ",
             path.filename().string(),
             " -o unpacked.glb writes them plainly, gltf-transform dequantize what is quantized only");
  check_draco(path, tree);
}

// Assimp 5.2 crashes where a skin leaves its matrices out, as it may if all of them are the identity.
void check_skins(const std::filesystem::path& path, const Json& tree) {
  std::size_t number = 0;
  for (const Json& skin : items(tree, "skins")) {
    if (member(skin, "inverseBindMatrices").is_null())
      fail(path, "skin ", number,
           " has no inverseBindMatrices, without which skins are not read; Blender's export writes them");
    ++number;
  }
}

void check_gltf(const std::filesystem::path& path, std::string_view content, const std::string& format,
                const Limits& limits) {
  const Json tree =
      gltf_tree(content, format, {"nodes", "scenes", "meshes", "accessors", "skins", "extensionsRequired"});
  check_packing(path, tree);
  check_skins(path, tree);
  const std::vector<double> vertices = vertices_of_meshes(tree);
  const Json& nodes = items(tree, "nodes");
  NodeGraph graph;
  for (const Json& node : nodes) {
    const std::size_t mesh = number_below(member(node, "mesh"), vertices.size());
    graph.add(mesh < vertices.size() ? vertices[mesh] : 0.0);
  }
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (const Json& child : items(nodes[k], "children"))
      if (const std::size_t below = number_below(child, nodes.size()); below < nodes.size()) graph.add_child(k, below);
  std::vector<std::size_t> roots;
  for (const Json& scene : items(tree, "scenes"))
    for (const Json& root : items(scene, "nodes"))
      if (const std::size_t node = number_below(root, nodes.size()); node < nodes.size()) roots.push_back(node);
  graph.check(path, roots, limits);
}

// --- Collada ---

// Where a comment, or a section of characters, ends that begins here; here if none does. Within it a < begins nothing.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kinds{{{"<!--", "-->"}, {"<![CDATA[", "]]>"}}};
  for (const auto& [begin, end] : kinds) {
    if (!text.substr(at).starts_with(begin)) continue;
    const std::size_t last = text.find(end, at + begin.size());
    return last == std::string_view::npos ? text.size() : last + end.size();
  }
  return at;
}

// Each tag of XML in turn: its name without a prefix or the slash of a closing one, and all of it up to the bracket.
template <class Take>
void for_each_tag(std::string_view text, const Take& take) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    if (const std::size_t end = behind_comment(text, at); end != at) {
      at = end - 1;
      continue;
    }
    const std::size_t first = at + (text.substr(at).starts_with("</") ? 2 : 1);
    const std::string_view tag = text.substr(first, text.find_first_of(" \t\r\n/>", first) - first);
    const std::size_t end = std::min(text.find('>', at), text.size());
    take(at, tag.substr(tag.find(':') + 1), text.substr(at, end - at));  // all of it without a colon
  }
}

// Assimp takes memory without end where one of Collada's lists of whole numbers holds something else.
void check_collada_lists(const std::filesystem::path& path, std::string_view text) {
  for_each_tag(text, [&](std::size_t at, std::string_view name, std::string_view tag) {
    if (name != "p" && name != "v" && name != "vcount") return;
    if (tag.ends_with('/') || tag.starts_with("</")) return;
    const std::size_t end = text.find_first_not_of("-0123456789 \t\r\n", std::min(at + tag.size() + 1, text.size()));
    if (end == std::string_view::npos || text[end] != '<')
      fail(path, "is truncated or damaged: the <", name, "> at byte ", at, " holds more than whole numbers");
  });
}

std::string_view attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const std::size_t equals = tag.find_first_not_of(" \t\r\n", at + name.size());
    if (equals == std::string_view::npos || tag[equals] != '=') continue;
    const std::size_t quote = tag.find_first_of("\"'", equals);
    if (quote == std::string_view::npos) return {};
    const std::size_t end = tag.find(tag[quote], quote + 1);
    return end == std::string_view::npos ? std::string_view() : tag.substr(quote + 1, end - quote - 1);
  }
  return {};
}

void check_collada_nodes(const std::filesystem::path& path, std::string_view text, const Limits& limits) {
  NodeGraph graph;
  std::unordered_map<std::string_view, std::size_t> by_id;
  std::vector<std::pair<std::size_t, std::string_view>> instances;
  std::vector<std::size_t> open;
  std::vector<std::size_t> roots;
  for_each_tag(text, [&](std::size_t, std::string_view name, std::string_view tag) {
    if (name == "node" && tag.starts_with("</")) {
      if (!open.empty()) open.pop_back();
    } else if (name == "node") {
      const std::size_t node = graph.add();
      if (open.empty()) roots.push_back(node);
      if (!open.empty()) graph.add_child(open.back(), node);
      by_id.emplace(attribute(tag, "id"), node);
      if (!tag.ends_with('/')) open.push_back(node);
    } else if (name == "instance_node" && !open.empty()) {
      instances.emplace_back(open.back(), attribute(tag, "url"));
    }
  });
  for (const auto& [node, url] : instances)
    if (const auto found = by_id.find(url.substr(url.starts_with('#') ? 1 : 0)); found != by_id.end())
      graph.add_child(node, found->second);
  graph.check(path, roots, limits);
}

// --- FBX ---

// A number of eight bytes that an L goes before; none if the text does not go on so.
bool take_number(std::string_view& text, std::int64_t& value) {
  if (text.size() <= sizeof(value) || text.front() != 'L') return false;
  std::memcpy(&value, text.data() + 1, sizeof(value));
  text.remove_prefix(1 + sizeof(value));
  return true;
}

// The same in an FBX file of text, after blanks and a comma.
bool take_written_number(std::string_view& text, std::int64_t& value) {
  text.remove_prefix(std::min(text.find_first_not_of(", \t"), text.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(std::size_t(end - text.data()));
  return error == std::errc();
}

template <class Take>
void for_each_place(std::string_view text, std::string_view pattern, const Take& take) {
  for (std::size_t at = text.find(pattern); at != std::string_view::npos; at = text.find(pattern, at + 1))
    take(text.substr(at + pattern.size()));
}

// Models may hang on several others. Records stand in the file as they are; only arrays are packed.
void check_fbx_nodes(const std::filesystem::path& path, std::string_view text, const Limits& limits) {
  using namespace std::literals;
  const bool binary = text.starts_with("Kaydara FBX Binary");
  const auto take = binary ? take_number : take_written_number;
  NodeGraph graph;
  std::unordered_map<std::int64_t, std::size_t> by_id{{0, graph.add()}};
  for_each_place(text, binary ? "\x05Model"sv : "Model:"sv, [&](std::string_view rest) {
    if (std::int64_t id = 0; take(rest, id) && !by_id.contains(id)) by_id.emplace(id, graph.add());
  });
  for_each_place(text, binary ? "\x01\x43S\x02\0\0\0OO"sv : "C: \"OO\""sv, [&](std::string_view rest) {
    std::int64_t child = 0;
    std::int64_t parent = 0;
    if (!take(rest, child) || !take(rest, parent)) return;
    const auto below = by_id.find(child);
    const auto above = by_id.find(parent);
    if (below != by_id.end() && above != by_id.end()) graph.add_child(above->second, below->second);
  });
  graph.check(path, {0}, limits);
}

}  // namespace

void check_scene(const std::filesystem::path& path, std::string_view content, const std::string& format,
                 const Limits& limits) {
  if (format == "gltf" || format == "glb") return check_gltf(path, content, format, limits);
  if (format == "fbx") return check_fbx_nodes(path, content, limits);
  check_collada_lists(path, content);
  check_collada_nodes(path, content, limits);
}

}  // namespace pucker::io
