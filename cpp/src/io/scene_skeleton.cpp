#include "scene_skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>

#include "files.h"

namespace pucker::io {
namespace {

// How far an offset may be from the model's own, relative to it, to be the length of the same bone; feet that hang on
// the root go farther.
constexpr double kSameBone = 0.5;
// Keys that differ by less, relative to their length, hold a node where it is: exporters round them.
constexpr double kHeld = 1e-3;
constexpr double kSameDirection = std::numbers::pi / 4;
// Where several bones hang on a joint, all of them are turned by more only if the joint is.
constexpr double kSameFork = std::numbers::pi / 6;
// Of two skeletons of the same proportions, half of the bones differ by less, relative to their length. The few that
// differ by more are then moved by the clip, not other bones.
constexpr double kSameLength = 1e-2;

// How much a transform lengthens, negative where it mirrors.
double scale_of(const Affine& transform) { return std::cbrt(transform.linear().determinant()); }

Affine global_or_world(std::span<const Affine> globals, std::int32_t node) {
  return node == kNone ? Affine::Identity() : globals[std::size_t(node)];
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The nodes that move, and those above them.
template <class Moves>
std::vector<bool> moving_or_above(std::span<const Node> nodes, const Moves& moves) {
  std::vector<bool> found(nodes.size(), false);
  for (std::size_t k = nodes.size(); k-- > 0;) {
    found[k] = found[k] || moves(k);
    if (found[k] && nodes[k].parent != kNone) found[std::size_t(nodes[k].parent)] = true;
  }
  return found;
}

// The node that a node is or is below, of those that hang on the topmost one.
std::int32_t tree_of(std::span<const Node> nodes, std::int32_t node) {
  while (nodes[std::size_t(node)].parent > 0) node = nodes[std::size_t(node)].parent;
  return node;
}

bool holds_offset(const aiNodeAnim* channel) {
  if (channel == nullptr) return true;
  const std::span keys(channel->mPositionKeys, channel->mNumPositionKeys);
  return std::ranges::all_of(keys, [&](const aiVectorKey& key) {
    const Vector3 first = to_vector(keys.front().mValue);
    return (to_vector(key.mValue) - first).norm() <= kHeld * first.norm();
  });
}

}  // namespace

SharedSkeleton::SharedSkeleton(const SceneFile& model, const SceneClip& clip, const SharedNames& names)
    : model_(model), clip_(clip), names_(names) {
  find_shared();
  check_share();
  measure_scale();
}

// Nodes that carry a mesh and that the clip does not move are where the model has them: a clip's file may come with
// another character.
std::int32_t SharedSkeleton::source_of(std::int32_t node) const {
  const SceneFile& scene = clip_.scene();
  const Node& own = model_.nodes()[std::size_t(node)];
  const std::int32_t source = names_.source_of(node);
  if (source == kNone) return kNone;
  const bool carries = !own.meshes.empty() || !scene.nodes()[std::size_t(source)].meshes.empty();
  return carries && clip_.channel(source) == nullptr ? kNone : source;
}

void SharedSkeleton::find_shared() {
  const std::vector<Affine> globals = model_.globals_of(model_.stored_locals());
  const std::vector<Affine> source_globals = clip_.scene().globals_of(clip_.scene().stored_locals());
  std::vector<std::int32_t> sources(model_.nodes().size());
  std::vector<std::int32_t> nodes_of(clip_.scene().nodes().size(), kNone);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    sources[k] = source_of(std::int32_t(k));
    if (sources[k] != kNone) nodes_of[std::size_t(sources[k])] = std::int32_t(k);
  }
  // A node above what the clip moves is not its namesake above nothing of it: the file may have another skeleton. So
  // may what hangs elsewhere, on nothing that the clip moves.
  const std::vector<bool> moves =
      moving_or_above(clip_.scene().nodes(), [&](std::size_t k) { return clip_.channel(std::int32_t(k)) != nullptr; });
  const std::vector<bool> is_moved = moving_or_above(
      model_.nodes(), [&](std::size_t k) { return sources[k] != kNone && clip_.channel(sources[k]) != nullptr; });
  const auto part = [&](std::size_t k) {
    nodes_of[std::size_t(sources[k])] = kNone;
    sources[k] = kNone;
  };
  for (std::size_t k = 0; k < sources.size(); ++k)
    if (sources[k] != kNone && is_moved[k] && !moves[std::size_t(sources[k])]) part(k);
  const auto above = [](std::span<const Node> nodes, std::int32_t node, const auto& is_shared) {
    do node = nodes[std::size_t(node)].parent;
    while (node != kNone && !is_shared(node));
    return node;
  };
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (sources[k] == kNone) continue;
    const std::int32_t node = std::int32_t(k);
    const std::int32_t node_above =
        above(model_.nodes(), node, [&](std::int32_t other) { return sources[std::size_t(other)] != kNone; });
    const std::int32_t source_above = above(clip_.scene().nodes(), sources[k],
                                            [&](std::int32_t other) { return nodes_of[std::size_t(other)] != kNone; });
    if (source_above != (node_above == kNone ? kNone : sources[std::size_t(node_above)])) {
      if (!moves[std::size_t(tree_of(clip_.scene().nodes(), sources[k]))]) {
        part(k);
        continue;
      }
      const auto name = [&](const SceneFile& scene, std::int32_t at) {
        return at == kNone ? std::string("nothing") : "'" + scene.nodes()[std::size_t(at)].name + "'";
      };
      fail(clip_.scene().path(), "is of another skeleton than ", model_.path().string(), ": '", model_.nodes()[k].name,
           "' hangs on ", name(clip_.scene(), source_above), ", there on ", name(model_, node_above));
    }
    const Affine space = global_or_world(globals, node_above);
    const Affine source_space = global_or_world(source_globals, source_above);
    const Affine parent = global_or_world(globals, model_.nodes()[k].parent);
    const Affine own = space.inverse() * globals[k];
    const Affine source_own = source_space.inverse() * source_globals[std::size_t(sources[k])];
    Shared shared{.node = node,
                  .source = sources[k],
                  .source_above = source_above,
                  .to_parent = parent.inverse() * space,
                  .above_scale = scale_of(space),
                  .source_scale = scale_of(source_space),
                  .offset = scale_of(space) * own.translation()};
    // What is scaled to nothing, as hidden things are, says nothing of its size.
    if (const double ratio = scale_of(own) / scale_of(source_own); std::isfinite(ratio) && ratio != 0.0)
      shared.own_scale = ratio;
    shared.is_bone = source_above != kNone && holds_offset(clip_.channel(sources[k])) && shared.offset.norm() > 0.0;
    shared_.push_back(std::move(shared));
  }
}

// A few names, as hips and head, are those of most skeletons. Of the same one, either may have joints that the other
// leaves out, fingers or hair.
void SharedSkeleton::check_share() const {
  const std::span<const Node> sources = clip_.scene().nodes();
  std::vector<bool> is_moved(sources.size());
  for (std::size_t k = 0; k < sources.size(); ++k) is_moved[k] = clip_.channel(std::int32_t(k)) != nullptr;
  const auto moved = std::ranges::count(is_moved, true);
  const auto bare = std::ranges::count_if(model_.nodes(), [](const Node& node) { return node.meshes.empty(); });
  const auto found = std::ranges::count_if(shared_, [&](const Shared& s) { return is_moved[std::size_t(s.source)]; });
  if (found > 0 && 2 * found >= std::min(moved, bare)) return;
  for (const Shared& shared : shared_) is_moved[std::size_t(shared.source)] = false;
  std::vector<std::string> missing;
  for (std::size_t k = 0; k < sources.size(); ++k)
    if (is_moved[k]) missing.push_back(sources[k].name);
  constexpr std::size_t few = 6;
  std::vector<std::string> own;
  for (const Node& node : model_.nodes())
    if (node.meshes.empty()) own.push_back(node.name);
  fail(clip_.scene().path(), "is of another skeleton than ", model_.path().string(), ": of ", moved,
       " nodes that clip '", clip_.info().name, "' moves, ", found,
       " are there, not: ", join(missing, std::identity(), few),
       own.empty() ? "" : "; there are: ", join(own, std::identity(), few));
}

// Where the clip has a node at rest, in its world.
Vector3 SharedSkeleton::source_offset(const Shared& shared, std::span<const Affine> source_globals) const {
  const Affine space = global_or_world(source_globals, shared.source_above);
  return shared.source_scale * (space.inverse() * source_globals[std::size_t(shared.source)].translation());
}

void SharedSkeleton::measure_scale() {
  const std::vector<Affine> source_globals = clip_.scene().globals_of(clip_.locals_at(0.0));
  std::vector<double> ratios;
  std::size_t astray = 0;
  const Shared* example = nullptr;
  // By the joint that they hang on, how many bones there are that go on, and how many of them point elsewhere. Where a
  // limb ends, as at eyes, proportions alone turn them far.
  std::map<std::int32_t, std::array<std::size_t, 2>> forks;
  std::set<std::int32_t> go_on;
  for (const Shared& shared : shared_) go_on.insert(shared.source_above);
  for (const Shared& shared : shared_) {
    const Vector3 offset = source_offset(shared, source_globals);
    if (!shared.is_bone || !(offset.norm() > 0.0)) continue;
    ratios.push_back(shared.offset.norm() / offset.norm());
    const double angle = std::atan2(shared.offset.cross(offset).norm(), shared.offset.dot(offset));
    if (go_on.contains(shared.source)) {
      std::array<std::size_t, 2>& fork = forks[shared.source_above];
      ++fork[0];
      if (angle > kSameFork) ++fork[1];
    }
    if (angle <= kSameDirection) continue;
    ++astray;
    if (example == nullptr) example = &shared;
  }
  if (2 * astray > ratios.size())
    fail(clip_.scene().path(), "is of another skeleton than ", model_.path().string(), ": of ", ratios.size(),
         " bones ", astray, " point elsewhere, as '", model_.nodes()[std::size_t(example->node)].name, "'");
  // Bones of a chain may run along the same axis of joints that are turned otherwise about it: forks tell.
  for (const auto& [node, fork] : forks)
    if (fork[0] > 1 && fork[1] == fork[0])
      fail(clip_.scene().path(), "is of another skeleton than ", model_.path().string(), ": '",
           clip_.scene().nodes()[std::size_t(node)].name, "' is turned otherwise, as all of its ", fork[0],
           " bones point elsewhere");
  if (ratios.empty()) return;
  scale_ = median(ratios);
  for (double& ratio : ratios) ratio = std::abs(ratio / scale_ - 1.0);
  const bool is_alike = median(ratios) <= kSameLength;
  for (Shared& shared : shared_) {
    const Vector3 offset = scale_ * source_offset(shared, source_globals);
    shared.is_bone = !is_alike && shared.is_bone && (offset - shared.offset).norm() <= kSameBone * shared.offset.norm();
  }
}

std::vector<Affine> SharedSkeleton::locals_at(double time) const {
  const std::vector<Affine> source_globals = clip_.scene().globals_of(clip_.locals_at(time));
  std::vector<Affine> locals = model_.stored_locals();
  for (const Shared& shared : shared_) {
    const Affine own =
        global_or_world(source_globals, shared.source_above).inverse() * source_globals[std::size_t(shared.source)];
    Affine moved = Affine::Identity();
    moved.linear() = shared.own_scale * own.linear();
    moved.translation() = shared.is_bone ? shared.offset : Vector3(scale_ * shared.source_scale * own.translation());
    moved.translation() /= shared.above_scale;
    locals[std::size_t(shared.node)] = shared.to_parent * moved;
  }
  return locals;
}

}  // namespace pucker::io
