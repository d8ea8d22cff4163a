/// A glTF, FBX or Collada file as assimp parses it, with its nodes.
#pragma once

#include <assimp/scene.h>
#include <assimp/Importer.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "humanoid.h"
#include "pucker/io/source.h"

namespace pucker::io {

using Affine = Eigen::Affine3d;

std::string text(const aiString& string);
Affine to_affine(const aiMatrix4x4& matrix);
Vector3 to_vector(const aiVector3D& vector);

/// A node of the hierarchy; parents come before their children.
struct Node {
  std::string name;
  std::int32_t parent = kNone;
  Affine local = Affine::Identity();  ///< relative to the parent
  std::span<const unsigned> meshes;   ///< of the file
};

/// Its nodes are turned so that y is up, and those of a VRM 0 so that it faces +z, in the file's own unit of length.
class SceneFile {
 public:
  /// `path` is OpenOptions::motion, or what it moves. Throws Error if the file cannot be read.
  SceneFile(std::filesystem::path path, const OpenOptions& options);

  const std::filesystem::path& path() const { return path_; }
  /// The file's ending in lower case; glb for vrm and vrma.
  const std::string& format() const { return format_; }
  const aiScene& parsed() const { return *parsed_; }
  /// The name of a node as users see it: that of the second node "Bone" is "Bone (2)".
  std::string name_of(const aiString& name) const;
  std::span<const Node> nodes() const { return nodes_; }
  /// The node a joint or a channel means. Throws Error if there is none, or no telling which.
  std::int32_t node_named(const std::string& name) const;
  /// The nodes a joint or a channel may mean.
  std::vector<std::int32_t> nodes_named(const std::string& name) const;
  /// The node a joint or a channel means; none instead of the error.
  std::optional<std::int32_t> only_node_named(const std::string& name) const;
  /// Which of its nodes are the bones of a human.
  const Humanoid& humanoid() const { return humanoid_; }
  /// The node of a bone; kNone if the file names none.
  std::int32_t bone(const std::string& name) const;
  /// The nodes as the file stores them, each relative to its parent.
  std::vector<Affine> stored_locals() const;
  /// The nodes in the world, given each relative to its parent.
  std::vector<Affine> globals_of(std::span<const Affine> locals) const;

 private:
  std::optional<std::string> parse(std::string_view content, const OpenOptions& options);
  bool read_numbered(std::string_view content, const OpenOptions& options);
  void read_nodes();
  bool names_differ() const;
  void add_node(const aiNode& node, std::int32_t parent);
  void keep_unit();
  void turn_up();

  std::filesystem::path path_;
  std::string format_;
  Assimp::Importer importer_;
  const aiScene* parsed_ = nullptr;
  std::unordered_map<std::string, std::string> meant_;  // by what assimp has for a name
  Humanoid humanoid_;
  bool is_turned_ = false;  // by a node above all others
  std::vector<Node> nodes_;
  std::unordered_multimap<std::string, std::int32_t> node_numbers_;
};

}  // namespace pucker::io
