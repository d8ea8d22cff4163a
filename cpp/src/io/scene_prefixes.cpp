#include "scene_prefixes.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include "files.h"

namespace pucker::io {
namespace {

constexpr std::string_view kSeparators = ":|/_-. ";

// The nodes that are the only ones of their name.
std::vector<std::int32_t> lone_nodes(const SceneFile& scene) {
  std::vector<std::int32_t> nodes;
  for (std::size_t k = 0; k < scene.nodes().size(); ++k)
    if (scene.only_node_named(scene.nodes()[k].name) == std::int32_t(k)) nodes.push_back(std::int32_t(k));
  return nodes;
}

// Which nodes any of the file's clips moves.
std::vector<bool> moved_nodes(const SceneFile& scene) {
  std::vector<bool> is_moved(scene.nodes().size());
  const aiScene& parsed = scene.parsed();
  for (const aiAnimation* clip : std::span(parsed.mAnimations, parsed.mNumAnimations))
    for (const aiNodeAnim* channel : std::span(clip->mChannels, clip->mNumChannels))
      if (const auto node = scene.only_node_named(scene.name_of(channel->mNodeName)))
        is_moved[std::size_t(*node)] = true;
  return is_moved;
}

// Which nodes are joints of a skin; all where there is no skin.
std::vector<bool> joints_of(const SceneFile& scene) {
  std::vector<bool> is_joint(scene.nodes().size());
  const aiScene& parsed = scene.parsed();
  for (const aiMesh* mesh : std::span(parsed.mMeshes, parsed.mNumMeshes))
    for (const aiBone* bone : std::span(mesh->mBones, mesh->mNumBones))
      if (const auto node = scene.only_node_named(scene.name_of(bone->mName))) is_joint[std::size_t(*node)] = true;
  if (std::ranges::none_of(is_joint, std::identity())) is_joint.assign(is_joint.size(), true);
  return is_joint;
}

std::string_view without(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// What at least so many of the names begin with, up to a separator, and nothing: of what the same names begin with, the
// longest.
std::vector<std::string> beginnings(const SceneFile& scene, std::span<const std::int32_t> nodes, std::int64_t least) {
  std::map<std::string, std::int64_t> counts;
  for (const std::int32_t node : nodes) {
    const std::string& name = scene.nodes()[std::size_t(node)].name;
    for (std::size_t k = name.find_first_of(kSeparators); k < name.size() - 1;
         k = name.find_first_of(kSeparators, k + 1))
      ++counts[name.substr(0, k + 1)];
  }
  std::vector<std::string> result{""};
  for (auto each = counts.begin(); each != counts.end(); ++each) {
    const auto next = std::next(each);
    const bool goes_on = next != counts.end() && next->first.starts_with(each->first) && next->second == each->second;
    if (each->second >= least && !goes_on) result.push_back(each->first);
  }
  return result;
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) != 0 || c >= 128; });
}

// The nodes by what their names are without the prefix, kNone for what several are.
std::unordered_map<std::string_view, std::int32_t> by_rest(const SceneFile& scene, std::span<const std::int32_t> nodes,
                                                           std::string_view prefix) {
  std::unordered_map<std::string_view, std::int32_t> result;
  for (const std::int32_t node : nodes) {
    const auto [entry, is_new] = result.emplace(without(scene.nodes()[std::size_t(node)].name, prefix), node);
    if (!is_new) entry->second = kNone;
  }
  return result;
}

}  // namespace

SharedNames::SharedNames(const SceneFile& model, const SceneFile& motion) {
  const std::vector<std::int32_t> own = lone_nodes(model);
  const std::vector<std::int32_t> others = lone_nodes(motion);
  const std::vector<bool> is_moved = moved_nodes(motion);
  const auto sources_without = [&](std::string_view prefix, std::string_view other) {
    std::vector<std::int32_t> sources(model.nodes().size(), kNone);
    const auto found = by_rest(motion, others, other);
    for (const auto& [rest, node] : by_rest(model, own, prefix))
      if (const auto source = found.find(rest); node != kNone && source != found.end())
        // Numbers alone are no name: the 3rd bone here is not the 3rd joint there.
        if ((prefix.empty() && other.empty()) || has_letter(rest)) sources[std::size_t(node)] = source->second;
    return sources;
  };
  const auto moved_of = [&](std::span<const std::int32_t> sources) {
    return std::ranges::count_if(sources, [&](std::int32_t k) { return k != kNone && is_moved[std::size_t(k)]; });
  };
  const std::vector<bool> is_joint = joints_of(model);
  const auto moved_joints = [&](std::span<const std::int32_t> sources) {
    std::int64_t count = 0;
    for (std::size_t k = 0; k < sources.size(); ++k)
      if (is_joint[k] && sources[k] != kNone && is_moved[std::size_t(sources[k])]) ++count;
    return count;
  };

  sources_ = sources_without("", "");
  const auto moved = std::ranges::count(is_moved, true);
  const auto bare = std::ranges::count_if(model.nodes(), [](const Node& node) { return node.meshes.empty(); });
  // As many as are asked of one skeleton.
  const std::int64_t least = std::max<std::int64_t>(1, (std::min(moved, bare) + 1) / 2);
  if (moved_of(sources_) >= least) return;
  std::int64_t most = 0;
  std::optional<NamePrefixes> as_good;
  const std::vector<std::string> motion_beginnings = beginnings(motion, others, least);
  for (const std::string& prefix : beginnings(model, own, least))
    for (const std::string& other : motion_beginnings) {
      std::vector<std::int32_t> sources = sources_without(prefix, other);
      const std::int64_t count = moved_joints(sources);
      if (count == 0 || count < most || moved_of(sources) < least || sources == sources_) continue;
      as_good = count == most ? std::optional(NamePrefixes{prefix, other}) : std::nullopt;
      if (count == most) continue;
      most = count;
      sources_ = std::move(sources);
      prefixes_ = {prefix, other};
    }
  if (as_good)
    fail(motion.path(), "may move ", model.path().string(), " in two ways: its nodes are named alike without '",
         prefixes_->own, "' there and '", prefixes_->motion, "' here, and without '", as_good->own, "' there and '",
         as_good->motion, "' here");
}

}  // namespace pucker::io
