#include "humanoid.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gltf.h"
#include "pucker/errors.h"
#include "pucker/types.h"

namespace pucker::io {
namespace {

// A file with a motion's extension is a motion, whatever else it has.
constexpr std::array<const char*, 3> kExtensions{"VRMC_vrm_animation", "VRM", "VRMC_vrm"};

// Each node's place in the hierarchy of the scene that is shown, kNone outside it.
std::vector<std::int32_t> places_of(const Json& tree, std::int32_t& count) {
  const Json& nodes = items(tree, "nodes");
  const Json& scenes = items(tree, "scenes");
  std::vector<std::int32_t> places(nodes.size(), kNone);
  if (scenes.empty()) return places;
  const std::size_t shown = number_below(member(tree, "scene"), scenes.size());
  std::vector<std::size_t> open;
  const auto put = [&](const Json& list) {
    for (auto each = list.rbegin(); each != list.rend(); ++each)
      if (const std::size_t node = number_below(*each, nodes.size()); node < nodes.size()) open.push_back(node);
  };
  put(items(scenes[shown < scenes.size() ? shown : 0], "nodes"));
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (places[node] != kNone) continue;
    places[node] = count++;
    put(items(nodes[node], "children"));
  }
  return places;
}

// The thumb's bones have other names in VRM 0.
std::string name_in_vrm_1(std::string bone) {
  constexpr std::string_view thumb = "Thumb";
  const std::size_t at = bone.find(thumb);
  if (at == std::string::npos) return bone;
  const std::string side = bone.substr(0, at + thumb.size());
  const std::string part = bone.substr(at + thumb.size());
  if (part == "Proximal") return side + "Metacarpal";
  if (part == "Intermediate") return side + "Proximal";
  return bone;
}

// Names and nodes as the extension lists them; none if it is no list of bones.
std::optional<std::vector<std::pair<std::string, Json>>> listed_bones(const Json& bones, bool is_vrm_0) {
  std::vector<std::pair<std::string, Json>> listed;
  if (is_vrm_0) {
    if (!bones.is_array()) return std::nullopt;
    for (const Json& each : bones) {
      const Json& name = member(each, "bone");
      if (!name.is_string()) return std::nullopt;
      // Some exporters list the bones that a character lacks.
      if (const Json& node = member(each, "node"); node != -1)
        listed.emplace_back(name_in_vrm_1(name.get<std::string>()), node);
    }
    return listed;
  }
  if (!bones.is_object()) return std::nullopt;
  for (const auto& each : bones.items()) listed.emplace_back(each.key(), member(each.value(), "node"));
  return listed;
}

}  // namespace

Humanoid read_humanoid(std::string_view content, const std::string& format) {
  Humanoid humanoid;
  if (format != "gltf" && format != "glb") return humanoid;
  Json tree = gltf_tree(content, format, {"extensions"});
  const auto extension = std::find_if(kExtensions.begin(), kExtensions.end(), [&](const char* name) {
    return member(member(tree, "extensions"), name).is_object();
  });
  if (extension == kExtensions.end()) return humanoid;
  humanoid.extension = *extension;
  tree = gltf_tree(content, format, {"extensions", "nodes", "scene", "scenes"});
  const std::vector<std::int32_t> places = places_of(tree, humanoid.nodes);
  const bool is_vrm_0 = humanoid.extension == "VRM";
  const auto listed =
      listed_bones(member(member(member(member(tree, "extensions"), *extension), "humanoid"), "humanBones"), is_vrm_0);
  const std::string where = humanoid.extension + ".humanoid.humanBones";
  if (!listed) {
    humanoid.fault = where + (is_vrm_0 ? " must be a list of bones and nodes" : " must be an object of bones");
    return humanoid;
  }
  std::map<std::int32_t, std::string> bones_by_place;
  for (const auto& [bone, node] : *listed) {
    const std::size_t number = number_below(node, places.size());
    if (number == places.size() || places[number] == kNone) {
      humanoid.fault = message(where, ": the node of '", bone, "' must be one of the scene's ", humanoid.nodes,
                               ", got ", node.dump(-1, ' ', true, Json::error_handler_t::replace));
      return humanoid;
    }
    const auto [other, is_new] = bones_by_place.emplace(places[number], bone);
    if (!is_new || !humanoid.bones.emplace(bone, places[number]).second) {
      humanoid.fault = message(where, ": each bone must have a node of its own, but node ", number, " is '", bone,
                               "' and ", is_new ? "not the only one" : "'" + other->second + "'");
      return humanoid;
    }
  }
  return humanoid;
}

std::vector<std::string> missing_bones(const Humanoid& humanoid) {
  constexpr std::array<const char*, 15> required{"hips",          "spine",         "head",          "leftUpperLeg",
                                                 "leftLowerLeg",  "leftFoot",      "rightUpperLeg", "rightLowerLeg",
                                                 "rightFoot",     "leftUpperArm",  "leftLowerArm",  "leftHand",
                                                 "rightUpperArm", "rightLowerArm", "rightHand"};
  std::vector<std::string> missing;
  for (const char* bone : required)
    if (!humanoid.bones.contains(bone)) missing.emplace_back(bone);
  return missing;
}

}  // namespace pucker::io
