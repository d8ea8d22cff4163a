#include "scene_skin.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "files.h"

namespace pucker::io {

SceneSkin::SceneSkin(const SceneFile& scene, std::span<PlacedMesh> placements, Character& character)
    : scene_(scene), influences_(std::size_t(character.vertices)) {
  std::unordered_map<std::string, std::int32_t> joint_numbers;
  character.influences.resize(influences_.size());
  for (PlacedMesh& placement : placements) read(placement, character, joint_numbers);
  placements_.assign(placements.begin(), placements.end());
  for (std::size_t vertex = 0; vertex < influences_.size(); ++vertex) {
    double sum = 0.0;
    for (const BoundInfluence& influence : influences_[vertex]) sum += influence.weight;
    if (!influences_[vertex].empty() && !(sum > 0.0 && std::isfinite(sum)))
      fail(scene_.path(), "the skin weights of stored vertex ", vertex, " sum to ", sum);
    for (BoundInfluence& influence : influences_[vertex]) influence.weight /= sum;
    for (Influence& influence : character.influences[vertex]) influence.weight /= sum;
  }
  skeleton_ = nodes_of_skeleton();
}

// Joints, the nodes of what has no skin, and all above them.
std::vector<std::int32_t> SceneSkin::nodes_of_skeleton() const {
  std::vector<bool> kept(scene_.nodes().size(), false);
  for (const Binding& binding : bindings_) kept[std::size_t(binding.node)] = true;
  for (const PlacedMesh& placement : placements_)
    for (std::int64_t v = 0; v < placement.mesh->mNumVertices; ++v)
      if (influences_[std::size_t(placement.first_vertex + v)].empty()) kept[std::size_t(placement.node)] = true;
  std::vector<std::int32_t> nodes;
  for (std::size_t k = kept.size(); k-- > 0;) {
    if (!kept[k]) continue;
    if (const std::int32_t parent = scene_.nodes()[k].parent; parent != kNone) kept[std::size_t(parent)] = true;
  }
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (kept[k]) nodes.push_back(std::int32_t(k));
  return nodes;
}

void SceneSkin::read(PlacedMesh& placement, Character& character,
                     std::unordered_map<std::string, std::int32_t>& joint_numbers) {
  placement.first_binding = bindings_.size();
  for (const aiBone* bone : std::span(placement.mesh->mBones, placement.mesh->mNumBones)) {
    const std::string name = scene_.name_of(bone->mName);
    const auto [known, is_new] = joint_numbers.try_emplace(name, std::int32_t(character.joints.size()));
    const std::int32_t joint = known->second;
    if (is_new) character.joints.push_back(name);
    const std::int32_t binding = std::int32_t(bindings_.size());
    bindings_.push_back({scene_.node_named(name), to_affine(bone->mOffsetMatrix)});
    for (const aiVertexWeight& weight : std::span(bone->mWeights, bone->mNumWeights)) {
      if (weight.mVertexId >= placement.mesh->mNumVertices)
        fail(scene_.path(), "joint '", name, "' moves vertex ", weight.mVertexId, " of ", placement.mesh->mNumVertices);
      if (weight.mWeight == 0.0F) continue;
      const std::size_t vertex = std::size_t(placement.first_vertex) + weight.mVertexId;
      influences_[vertex].push_back({binding, double(weight.mWeight)});
      character.influences[vertex].push_back({joint, double(weight.mWeight)});
    }
  }
  placement.last_binding = bindings_.size();
}

Array3 SceneSkin::bind_pose(const Array3& shape) const {
  const BoundPose pose = bound_pose();
  Array3 positions(std::int64_t(influences_.size()), 3);
  for (std::size_t k = 0; k < placements_.size(); ++k) {
    const PlacedMesh& placement = placements_[k];
    for (std::int64_t v = 0; v < placement.mesh->mNumVertices; ++v) {
      const std::int64_t vertex = placement.first_vertex + v;
      const bool skinned = !influences_[std::size_t(vertex)].empty();
      const Affine& space = skinned ? pose.skins[k] : pose.nodes[std::size_t(placement.node)];
      positions.row(vertex) = space * Vector3(shape.row(vertex));
    }
  }
  return positions;
}

Rig SceneSkin::rig() const {
  const BoundPose pose = bound_pose();
  Rig rig;
  rig.influences.resize(influences_.size());
  std::vector<std::int32_t> number(scene_.nodes().size(), kNone);
  for (std::size_t k = 0; k < skeleton_.size(); ++k) {
    const Node& node = scene_.nodes()[std::size_t(skeleton_[k])];
    number[std::size_t(skeleton_[k])] = std::int32_t(k);
    rig.skeleton.push_back(node.name);
    rig.parents.push_back(node.parent == kNone ? kNone : number[std::size_t(node.parent)]);
  }
  for (std::size_t k = 0; k < placements_.size(); ++k)
    for (const Binding& binding : bindings_of(placements_[k])) {
      rig.joints.push_back(scene_.nodes()[std::size_t(binding.node)].name);
      rig.nodes.push_back(number[std::size_t(binding.node)]);
      rig.inverse_binds.push_back(binding.offset * pose.skins[k].inverse());
    }
  for (const PlacedMesh& placement : placements_) {
    const std::int32_t joint = std::int32_t(rig.joints.size());
    rig.joints.push_back(scene_.nodes()[std::size_t(placement.node)].name);
    rig.nodes.push_back(number[std::size_t(placement.node)]);
    rig.inverse_binds.push_back(pose.nodes[std::size_t(placement.node)].inverse());
    for (std::int64_t v = 0; v < placement.mesh->mNumVertices; ++v) {
      const std::size_t vertex = std::size_t(placement.first_vertex + v);
      for (const BoundInfluence& influence : influences_[vertex])
        rig.influences[vertex].push_back({influence.binding, influence.weight});
      if (influences_[vertex].empty()) rig.influences[vertex].push_back({joint, 1.0});
    }
  }
  return rig;
}

std::vector<Affine> SceneSkin::rig_joints(std::span<const Affine> locals) const {
  const std::vector<Affine> globals = scene_.globals_of(locals);
  std::vector<Affine> joints;
  for (const Binding& binding : bindings_) joints.push_back(globals[std::size_t(binding.node)]);
  for (const PlacedMesh& placement : placements_) joints.push_back(globals[std::size_t(placement.node)]);
  return joints;
}

std::vector<Affine> SceneSkin::rig_skeleton(std::span<const Affine> locals) const {
  const std::vector<Affine> globals = scene_.globals_of(locals);
  std::vector<Affine> nodes;
  for (const std::int32_t node : skeleton_) nodes.push_back(globals[std::size_t(node)]);
  return nodes;
}

// Bind transforms say where joints are to one another. One joint must be taken to be where the stored pose has it: the
// topmost one, which has the scale of the nodes above it. Skins that share a joint are placed by it.
SceneSkin::BoundPose SceneSkin::bound_pose() const {
  const std::vector<Affine> locals = scene_.stored_locals();
  const std::vector<Affine> stored = scene_.globals_of(locals);
  std::vector<std::optional<Affine>> joints(scene_.nodes().size());
  std::vector<std::vector<std::size_t>> bound_to(scene_.nodes().size());  // placements, by joint
  for (std::size_t k = 0; k < placements_.size(); ++k)
    for (const Binding& binding : bindings_of(placements_[k])) bound_to[std::size_t(binding.node)].push_back(k);

  BoundPose pose{.nodes = locals, .skins = std::vector<Affine>(placements_.size(), Affine::Identity())};
  std::vector<bool> placed(placements_.size(), false);
  for (const std::int32_t topmost : joints_from_the_top()) {
    if (joints[std::size_t(topmost)]) continue;
    joints[std::size_t(topmost)] = stored[std::size_t(topmost)];
    std::vector<std::int32_t> found{topmost};
    while (!found.empty()) {
      const std::int32_t joint = found.back();
      found.pop_back();
      for (const std::size_t k : bound_to[std::size_t(joint)]) {
        if (placed[k]) continue;
        placed[k] = true;
        const std::span<const Binding> bindings = bindings_of(placements_[k]);
        const auto shared = std::ranges::find(bindings, joint, &Binding::node);
        pose.skins[k] = *joints[std::size_t(joint)] * shared->offset;
        for (const Binding& binding : bindings) {
          std::optional<Affine>& place = joints[std::size_t(binding.node)];
          if (place) continue;
          place = pose.skins[k] * binding.offset.inverse();
          found.push_back(binding.node);
        }
      }
    }
  }
  for (std::size_t k = 0; k < scene_.nodes().size(); ++k) {
    if (joints[k])
      pose.nodes[k] = *joints[k];
    else if (scene_.nodes()[k].parent != kNone)
      pose.nodes[k] = pose.nodes[std::size_t(scene_.nodes()[k].parent)] * locals[k];
  }
  return pose;
}

// The joints that move a vertex, those with the fewest nodes above them first.
std::vector<std::int32_t> SceneSkin::joints_from_the_top() const {
  std::vector<bool> moves(scene_.nodes().size(), false);
  for (const auto& influences : influences_)
    for (const BoundInfluence& influence : influences)
      moves[std::size_t(bindings_[std::size_t(influence.binding)].node)] = true;
  std::vector<std::int32_t> depth(scene_.nodes().size(), 0);
  std::vector<std::int32_t> joints;
  for (std::size_t k = 0; k < scene_.nodes().size(); ++k) {
    if (scene_.nodes()[k].parent != kNone) depth[k] = depth[std::size_t(scene_.nodes()[k].parent)] + 1;
    if (moves[k]) joints.push_back(std::int32_t(k));
  }
  std::ranges::stable_sort(joints, {}, [&](std::int32_t joint) { return depth[std::size_t(joint)]; });
  return joints;
}

std::span<const SceneSkin::Binding> SceneSkin::bindings_of(const PlacedMesh& placement) const {
  return std::span(bindings_).subspan(placement.first_binding, placement.last_binding - placement.first_binding);
}

void SceneSkin::skin(std::span<const Affine> locals, const Array3& shape, Eigen::Ref<Array3> positions) const {
  const std::vector<Affine> globals = scene_.globals_of(locals);
  const std::vector<Affine> bound = bound_at(globals);
  for (const PlacedMesh& placement : placements_) {
    for (std::int64_t v = 0; v < placement.mesh->mNumVertices; ++v) {
      const std::int64_t vertex = placement.first_vertex + v;
      const Vector3 stored = shape.row(vertex);
      const auto& influences = influences_[std::size_t(vertex)];
      Vector3 posed = Vector3::Zero();
      for (const BoundInfluence& influence : influences)
        posed += influence.weight * (bound[std::size_t(influence.binding)] * stored);
      if (influences.empty()) posed = globals[std::size_t(placement.node)] * stored;
      positions.row(vertex) = posed;
    }
  }
}

// What takes cross products of edges along is the cofactor matrix of a vertex's blended transform, the inverse
// transpose up to its determinant, whose sign follows the triangles where they are mirrored.
Array3 SceneSkin::stored_normals(const Array3& normals) const {
  Array3 result = Array3::Zero(normals.rows(), 3);
  const std::vector<Affine> globals = scene_.globals_of(scene_.stored_locals());
  const std::vector<Affine> bound = bound_at(globals);
  for (const PlacedMesh& placement : placements_) {
    for (std::int64_t v = 0; v < placement.mesh->mNumVertices; ++v) {
      const std::int64_t vertex = placement.first_vertex + v;
      const auto& influences = influences_[std::size_t(vertex)];
      Eigen::Matrix3d linear = Eigen::Matrix3d::Zero();
      for (const BoundInfluence& influence : influences)
        linear += influence.weight * bound[std::size_t(influence.binding)].linear();
      if (influences.empty()) linear = globals[std::size_t(placement.node)].linear();
      Eigen::Matrix3d cofactors;
      cofactors << linear.col(1).cross(linear.col(2)), linear.col(2).cross(linear.col(0)),
          linear.col(0).cross(linear.col(1));
      const Vector3 normal = cofactors * Vector3(normals.row(vertex));
      // Exporters write what is no number where a triangle has no area.
      const double length = normal.norm();
      if (length > 0.0 && std::isfinite(length)) result.row(vertex) = normal / length;
    }
  }
  return result;
}

// From the space of a placement's mesh to the world, by binding.
std::vector<Affine> SceneSkin::bound_at(std::span<const Affine> globals) const {
  std::vector<Affine> bound;
  for (const Binding& binding : bindings_) bound.push_back(globals[std::size_t(binding.node)] * binding.offset);
  return bound;
}

}  // namespace pucker::io
