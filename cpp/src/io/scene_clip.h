/// What the clips of a scene do to its nodes.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "scene_file.h"

namespace pucker::io {

/// The two keys round a time and the share of the second one; times outside the keys take the nearest key.
struct KeySpan {
  std::size_t before = 0;
  std::size_t after = 0;
  double share = 0.0;
};

template <class Key>
KeySpan key_span(std::span<const Key> keys, double ticks) {
  const auto after = std::ranges::upper_bound(keys, ticks, {}, &Key::mTime);
  if (after == keys.begin()) return {};
  const std::size_t index = std::size_t(after - keys.begin());
  if (index == keys.size()) return {index - 1, index - 1, 0.0};
  const double start = keys[index - 1].mTime;
  return {index - 1, index, (ticks - start) / (keys[index].mTime - start)};
}

/// The clips of a scene, those of one name told apart.
std::vector<ClipInfo> clips_of(const SceneFile& scene);

/// Lives no longer than its scene.
class SceneClip {
 public:
  /// The clip that is chosen as choose_clip does. `matters` says of each node of the scene whether its motion is used.
  /// Throws Error if the clip replaces meshes, moves a node twice, or moves one that matters about a pivot.
  SceneClip(const SceneFile& scene, const std::optional<std::string>& name, const std::vector<bool>& matters);

  const SceneFile& scene() const { return scene_; }
  const ClipInfo& info() const { return info_; }
  std::span<const aiMeshMorphAnim* const> morphs() const {
    return {animation_->mMorphMeshChannels, animation_->mNumMorphMeshChannels};
  }
  /// The channel that moves a node; none if the node stays as it is stored.
  const aiNodeAnim* channel(std::int32_t node) const { return channels_[std::size_t(node)]; }
  /// The clip's own time at a time in [0, info().duration] seconds.
  double ticks(double time) const { return first_ + time / tick_; }
  /// The nodes at a time in seconds, each relative to its parent.
  std::vector<Affine> locals_at(double time) const;

 private:
  bool is_unused_pivot(const aiString& name, const std::vector<bool>& matters) const;

  const SceneFile& scene_;
  ClipInfo info_;
  const aiAnimation* animation_ = nullptr;
  double tick_ = 1.0;                        // seconds
  double first_ = 0.0;                       // ticks
  std::vector<const aiNodeAnim*> channels_;  // by node
};

}  // namespace pucker::io
