#include "scene_clip.h"

#include <cmath>
#include <limits>

#include "files.h"
#include "formats.h"

namespace pucker::io {
namespace {

Eigen::Quaterniond to_quaternion(const aiQuaternion& q) {
  return Eigen::Quaterniond(double(q.w), double(q.x), double(q.y), double(q.z)).normalized();
}

std::optional<Vector3> vector_at(std::span<const aiVectorKey> keys, double ticks) {
  if (keys.empty()) return std::nullopt;
  const KeySpan at = key_span(keys, ticks);
  const Vector3 before = to_vector(keys[at.before].mValue);
  return before + at.share * (to_vector(keys[at.after].mValue) - before);
}

std::optional<Eigen::Quaterniond> rotation_at(std::span<const aiQuatKey> keys, double ticks) {
  if (keys.empty()) return std::nullopt;
  const KeySpan at = key_span(keys, ticks);
  return to_quaternion(keys[at.before].mValue).slerp(at.share, to_quaternion(keys[at.after].mValue));
}

// The node's transform at a time; what the channel leaves out stays as the node has it.
Affine channel_at(const aiNodeAnim& channel, const Affine& local, double ticks) {
  const auto translation = vector_at(std::span(channel.mPositionKeys, channel.mNumPositionKeys), ticks);
  const auto rotation = rotation_at(std::span(channel.mRotationKeys, channel.mNumRotationKeys), ticks);
  const auto scaling = vector_at(std::span(channel.mScalingKeys, channel.mNumScalingKeys), ticks);
  Eigen::Matrix3d own_rotation = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d own_scaling = Eigen::Matrix3d::Identity();
  if (!rotation || !scaling) local.computeRotationScaling(&own_rotation, &own_scaling);
  Affine result = Affine::Identity();
  result.translation() = translation.value_or(local.translation());
  result.linear() = rotation ? rotation->toRotationMatrix() : own_rotation;
  result.linear() *= scaling ? Eigen::Matrix3d(scaling->asDiagonal()) : own_scaling;
  return result;
}

double seconds_per_tick(const aiAnimation& animation) {
  // Files that do not say how long a tick is mean seconds in all formats read here.
  return animation.mTicksPerSecond > 0.0 ? 1.0 / animation.mTicksPerSecond : 1.0;
}

// Ticks of the earliest key, where the clip begins. A single key, such as assimp adds for what a channel leaves out,
// moves nothing and says nothing of when.
double first_tick(const aiAnimation& animation) {
  double first = std::numeric_limits<double>::infinity();
  const auto take = [&](const auto* keys, std::size_t count) {
    if (count > 1) first = std::min(first, keys[0].mTime);
  };
  for (const aiNodeAnim* channel : std::span(animation.mChannels, animation.mNumChannels)) {
    take(channel->mPositionKeys, channel->mNumPositionKeys);
    take(channel->mRotationKeys, channel->mNumRotationKeys);
    take(channel->mScalingKeys, channel->mNumScalingKeys);
  }
  for (const aiMeshMorphAnim* channel : std::span(animation.mMorphMeshChannels, animation.mNumMorphMeshChannels))
    take(channel->mKeys, channel->mNumKeys);
  return std::isfinite(first) ? first : animation.mDuration;
}

}  // namespace

std::vector<ClipInfo> clips_of(const SceneFile& scene) {
  std::vector<ClipInfo> result;
  for (const aiAnimation* animation : std::span(scene.parsed().mAnimations, scene.parsed().mNumAnimations))
    result.push_back(
        {utf8(text(animation->mName)), (animation->mDuration - first_tick(*animation)) * seconds_per_tick(*animation)});
  tell_apart(result);
  return result;
}

SceneClip::SceneClip(const SceneFile& scene, const std::optional<std::string>& name, const std::vector<bool>& matters)
    : scene_(scene) {
  const std::vector<ClipInfo> infos = clips_of(scene);
  const std::size_t index = choose_clip(scene.path(), infos, name);
  info_ = infos[index];
  animation_ = scene.parsed().mAnimations[index];
  tick_ = seconds_per_tick(*animation_);
  first_ = first_tick(*animation_);
  if (animation_->mNumMeshChannels > 0)
    fail(scene.path(), "clip '", info_.name, "' replaces meshes, which is not supported");
  channels_.resize(scene.nodes().size(), nullptr);
  for (const aiNodeAnim* channel : std::span(animation_->mChannels, animation_->mNumChannels)) {
    if (is_unused_pivot(channel->mNodeName, matters)) continue;
    const aiNodeAnim*& slot = channels_[std::size_t(scene.node_named(scene.name_of(channel->mNodeName)))];
    if (slot != nullptr)
      fail(scene.path(), "clip '", info_.name, "' moves node '", scene.name_of(channel->mNodeName), "' twice");
    slot = channel;
  }
}

// Assimp gives each pivot and offset of an FBX node that a clip moves a channel of its own, which names a node that is
// not there, as pivots are folded into the nodes. Rigs move their controls beside the joints: those move nothing here.
bool SceneClip::is_unused_pivot(const aiString& name, const std::vector<bool>& matters) const {
  const std::string full = text(name);
  const std::size_t end = full.rfind("_$AssimpFbx$_");
  if (end == std::string::npos || !scene_.nodes_named(full).empty()) return false;
  const std::string moved = scene_.name_of(aiString(full.substr(0, end)));
  const std::vector<std::int32_t> nodes = scene_.nodes_named(moved);
  if (std::ranges::any_of(nodes, [&](std::int32_t node) { return matters[std::size_t(node)]; }))
    fail(scene_.path(), "clip '", info_.name, "' moves the node '", moved,
         "', which has a pivot or an offset and moves what is drawn; such motion is not read, exports with baked "
         "animation have none");
  return !nodes.empty();
}

std::vector<Affine> SceneClip::locals_at(double time) const {
  std::vector<Affine> locals = scene_.stored_locals();
  for (std::size_t k = 0; k < locals.size(); ++k)
    if (channels_[k] != nullptr) locals[k] = channel_at(*channels_[k], locals[k], ticks(time));
  return locals;
}

}  // namespace pucker::io
