/// How the meshes of a scene follow its joints.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "scene_file.h"

namespace pucker::io {

/// A mesh where a node places it.
struct PlacedMesh {
  const aiMesh* mesh = nullptr;
  std::int32_t node = 0;
  std::int64_t first_vertex = 0;
  std::size_t first_binding = 0;  ///< its joints are the bindings from here …
  std::size_t last_binding = 0;   ///< … to before here
};

/// The skins of all placements. Lives no longer than its scene.
class SceneSkin {
 public:
  /// Reads the skins, and sets the bindings of the placements and the joints and influences of the character. Throws
  /// Error for weights that do not sum to a number above 0 and for vertices that there are not.
  SceneSkin(const SceneFile& scene, std::span<PlacedMesh> placements, Character& character);

  /// Whether nothing has a skin.
  bool empty() const { return bindings_.empty(); }
  /// The nodes that move a vertex and all above them, parents first.
  std::span<const std::int32_t> skeleton() const { return skeleton_; }
  /// Positions of all vertices in the pose the skins were bound in, given those in the spaces of their meshes.
  Array3 bind_pose(const Array3& shape) const;
  /// The joints are the bindings, then the nodes of the placements, for what of them has no skin.
  Rig rig() const;
  /// The joints of the rig in the world, given each node's transform relative to its parent.
  std::vector<Affine> rig_joints(std::span<const Affine> locals) const;
  /// The nodes of the rig's skeleton in the world, likewise.
  std::vector<Affine> rig_skeleton(std::span<const Affine> locals) const;
  /// Positions of all vertices, given each node's transform relative to its parent.
  void skin(std::span<const Affine> locals, const Array3& shape, Eigen::Ref<Array3> positions) const;
  /// Unit normals (N, 3) in the stored pose, given those in the spaces of their meshes; zero where those have no
  /// length.
  Array3 stored_normals(const Array3& normals) const;

 private:
  // Takes a vertex from its mesh's space to a joint's.
  struct Binding {
    std::int32_t node = 0;
    Affine offset = Affine::Identity();
  };

  struct BoundInfluence {
    std::int32_t binding = 0;
    double weight = 0.0;
  };

  // The pose a skin was bound in.
  struct BoundPose {
    std::vector<Affine> nodes;  // in the world
    std::vector<Affine> skins;  // from the space of a placement's mesh to the world, where it has joints
  };

  void read(PlacedMesh& placement, Character& character, std::unordered_map<std::string, std::int32_t>& joint_numbers);
  std::span<const Binding> bindings_of(const PlacedMesh& placement) const;
  std::vector<std::int32_t> joints_from_the_top() const;
  BoundPose bound_pose() const;
  std::vector<Affine> bound_at(std::span<const Affine> globals) const;
  std::vector<std::int32_t> nodes_of_skeleton() const;

  const SceneFile& scene_;
  std::vector<PlacedMesh> placements_;
  std::vector<Binding> bindings_;
  std::vector<std::vector<BoundInfluence>> influences_;  // a vertex without influences moves with its node
  std::vector<std::int32_t> skeleton_;                   // nodes, parents first
};

}  // namespace pucker::io
