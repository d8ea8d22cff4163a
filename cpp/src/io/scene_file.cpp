#include "scene_file.h"

#include <assimp/DefaultIOSystem.h>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "files.h"
#include "gltf.h"
#include "scene_checks.h"
#include "scene_names.h"

namespace pucker::io {
namespace {

// VRM and VRM Animation files are GLBs under other endings, by which this assimp does not know them, and some tools
// write a GLB under the ending of a glTF file.
std::string format_of(const std::filesystem::path& path, std::string_view content) {
  const std::string extension = lower_extension(path);
  return extension == "vrm" || extension == "vrma" || (extension == "gltf" && content.starts_with("glTF")) ? "glb"
                                                                                                           : extension;
}

// Characters of VRM 0 face -z, those of VRM 1 and of other glTF files +z.
bool faces_backwards(std::string_view content, const std::string& format) {
  if (format != "glb") return false;
  return member(member(gltf_tree(content, format, {"extensions"}), "extensions"), "VRM").is_object();
}

// A glTF whose morph targets have attributes without numbers, without these; empty for any other file.
std::string without_zeros(std::string_view content, const std::string& format) {
  if (format != "gltf" && format != "glb") return {};
  Json tree = gltf_tree(content, format, {"accessors", "meshes"});
  if (!leave_out_zeros(tree)) return {};
  tree = gltf_tree(content, format);
  leave_out_zeros(tree);
  return with_gltf_tree(content, format, tree);
}

// The files assimp may open: the model, which it knows by the name `alias` and whose content is given, and those below
// its folder.
class OwnFolder : public Assimp::DefaultIOSystem {
 public:
  OwnFolder(std::filesystem::path model, std::string alias, std::string_view content, const OpenOptions& options)
      : model_(std::move(model)),
        alias_(std::move(alias)),
        content_(content),
        anywhere_(options.anywhere),
        limits_(options.limits) {}

  bool Exists(const char* file) const override {
    return file == alias_ || (is_allowed(file) && DefaultIOSystem::Exists(file));
  }

  Assimp::IOStream* Open(const char* file, const char* mode) override {
    if (file == alias_)
      return new Assimp::MemoryIOStream(reinterpret_cast<const std::uint8_t*>(content_.data()), content_.size());
    return is_allowed(file) ? DefaultIOSystem::Open(file, mode) : nullptr;
  }

 private:
  bool is_allowed(const char* file) const {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return false;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > std::uintmax_t(limits_.memory)) return false;
    return anywhere_ || lies_beside(model_, file);
  }

  std::filesystem::path model_;
  std::string alias_;
  std::string_view content_;
  bool anywhere_;
  Limits limits_;
};

}  // namespace

std::string text(const aiString& string) { return {string.C_Str(), string.length}; }

Affine to_affine(const aiMatrix4x4& m) {
  Affine result;
  result.matrix() << double(m.a1), double(m.a2), double(m.a3), double(m.a4), double(m.b1), double(m.b2), double(m.b3),
      double(m.b4), double(m.c1), double(m.c2), double(m.c3), double(m.c4), 0.0, 0.0, 0.0, 1.0;
  return result;
}

Vector3 to_vector(const aiVector3D& v) { return {double(v.x), double(v.y), double(v.z)}; }

SceneFile::SceneFile(std::filesystem::path path, const OpenOptions& options) : path_(std::move(path)) {
  const auto rewritten = options.contents.find(path_);
  const bool is_rewritten = rewritten != options.contents.end();
  const Bytes stored = is_rewritten ? Bytes() : read_bytes(path_, options.limits);
  std::string_view content = is_rewritten ? rewritten->second : text_of(stored);
  if (content.empty()) fail(path_, "is empty");
  format_ = format_of(path_, content);
  check_scene(path_, content, format_, options.limits);
  // Pivots folded into the nodes keep the hierarchy free of helper nodes; newer assimp would also turn FBX files
  // itself.
  importer_.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  importer_.SetPropertyBool("AI_CONFIG_IMPORT_FBX_IGNORE_UP_DIRECTION", true);
  // A file without a mesh would be drawn as its skeleton.
  importer_.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  humanoid_ = read_humanoid(content, format_);
  is_turned_ = faces_backwards(content, format_);
  const std::string plain = without_zeros(content, format_);
  if (!plain.empty()) content = plain;
  // Joints of one name in one skin are refused by assimp itself.
  if (const std::optional<std::string> fault = parse(content, options)) {
    if (!fault->starts_with("Validation") || !read_numbered(content, options)) fail(path_, *fault);
  } else {
    read_nodes();
    if (!names_differ()) read_numbered(content, options);
  }
  keep_unit();
  turn_up();
}

// Reads the file with names that are told apart; false if they are so already.
bool SceneFile::read_numbered(std::string_view content, const OpenOptions& options) {
  NumberedNames names = number_names(content, format_);
  if (names.content.empty()) return false;
  meant_ = std::move(names.meant);
  if (const std::optional<std::string> fault = parse(names.content, options)) fail(path_, *fault);
  read_nodes();
  return true;
}

// What is wrong with the content; none if it is what `parsed` gives from here on.
std::optional<std::string> SceneFile::parse(std::string_view content, const OpenOptions& options) {
  const std::string alias = lower_extension(path_) == format_ ? path_.string() : path_.string() + "." + format_;
  importer_.SetIOHandler(new OwnFolder(path_, alias, content, options));  // the importer deletes it
  parsed_ = importer_.ReadFile(alias, aiProcess_ValidateDataStructure);
  if (parsed_ == nullptr) {
    std::string told = importer_.GetErrorString();
    if (const std::size_t at = told.find(alias); at != std::string::npos)
      told.replace(at, alias.size(), path_.string());
    return told;
  }
  importer_.SetIOHandler(new Assimp::DefaultIOSystem);  // the content may be gone from here on
  return std::nullopt;
}

void SceneFile::read_nodes() {
  nodes_.clear();
  node_numbers_.clear();
  if (parsed_->mRootNode == nullptr) fail(path_, "has no nodes");
  if (is_turned_) nodes_.push_back({"turned", kNone, Affine(Eigen::Scaling(-1.0, 1.0, -1.0)), {}});
  add_node(*parsed_->mRootNode, is_turned_ ? 0 : kNone);
}

// Whether each joint, and each node that a clip moves, is the only one that its name may mean.
bool SceneFile::names_differ() const {
  const auto is_one = [&](const aiString& name) { return nodes_named(name_of(name)).size() < 2; };
  const auto are_joints = [&](const aiMesh* mesh) {
    return std::ranges::all_of(std::span(mesh->mBones, mesh->mNumBones),
                               [&](const aiBone* bone) { return is_one(bone->mName); });
  };
  const auto are_moved = [&](const aiAnimation* clip) {
    return std::ranges::all_of(std::span(clip->mChannels, clip->mNumChannels),
                               [&](const aiNodeAnim* channel) { return is_one(channel->mNodeName); });
  };
  return std::ranges::all_of(std::span(parsed_->mMeshes, parsed_->mNumMeshes), are_joints) &&
         std::ranges::all_of(std::span(parsed_->mAnimations, parsed_->mNumAnimations), are_moved);
}

std::string SceneFile::name_of(const aiString& name) const {
  const auto found = meant_.find(text(name));
  return found == meant_.end() ? text(name) : found->second;
}

void SceneFile::add_node(const aiNode& node, std::int32_t parent) {
  const std::int32_t index = std::int32_t(nodes_.size());
  node_numbers_.emplace(name_of(node.mName), index);
  nodes_.push_back({name_of(node.mName), parent, to_affine(node.mTransformation), {node.mMeshes, node.mNumMeshes}});
  for (const aiNode* child : std::span(node.mChildren, node.mNumChildren)) add_node(*child, index);
}

// Assimp scales the root of a Collada file, which has no transform of its own, to metres.
void SceneFile::keep_unit() {
  if (format_ != "dae") return;
  Affine& root = nodes_.front().local;
  const double unit = root.linear().col(0).norm();
  if (!(std::isfinite(unit) && unit > 0.0 && root.linear().determinant() > 0.0))
    fail(path_, "the unit of length must be finite and > 0 metres");
  root.linear() /= unit;
}

// Assimp turns Collada files itself and glTF needs no turn; an FBX file says which axis is which.
void SceneFile::turn_up() {
  if (format_ != "fbx" || parsed_->mMetaData == nullptr) return;
  Eigen::Matrix3d turn = Eigen::Matrix3d::Zero();
  const std::array<const char*, 3> names{"Coord", "Up", "Front"};
  for (int row = 0; row < 3; ++row) {
    std::int32_t axis = row;
    std::int32_t sign = 1;
    parsed_->mMetaData->Get(std::string(names[std::size_t(row)]) + "Axis", axis);
    parsed_->mMetaData->Get(std::string(names[std::size_t(row)]) + "AxisSign", sign);
    if (axis < 0 || axis > 2 || (sign != 1 && sign != -1))
      fail(path_, names[std::size_t(row)], "Axis ", axis, " with sign ", sign, " is no axis");
    turn(row, axis) = sign;
  }
  if (std::abs(turn.determinant()) != 1.0) fail(path_, "CoordAxis, UpAxis and FrontAxis are not three different axes");
  nodes_.front().local = Affine(turn) * nodes_.front().local;
}

// Exporters may give a joint and a mesh's node the same name; the joint is then the one that carries no mesh.
std::vector<std::int32_t> SceneFile::nodes_named(const std::string& name) const {
  const auto [first, last] = node_numbers_.equal_range(name);
  std::vector<std::int32_t> found;
  std::vector<std::int32_t> bare;
  for (auto entry = first; entry != last; ++entry) {
    found.push_back(entry->second);
    if (nodes_[std::size_t(entry->second)].meshes.empty()) bare.push_back(entry->second);
  }
  return bare.size() == 1 ? bare : found;
}

std::int32_t SceneFile::node_named(const std::string& name) const {
  const std::vector<std::int32_t> found = nodes_named(name);
  if (found.empty()) fail(path_, "a joint or clip names the node '", name, "', which does not exist");
  if (found.size() > 1)
    fail(path_, "a joint or clip names the node '", name, "', which exists ", found.size(),
         " times; one of them must have another name, as libraries tell joints apart by names");
  return found.front();
}

std::optional<std::int32_t> SceneFile::only_node_named(const std::string& name) const {
  const std::vector<std::int32_t> found = nodes_named(name);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// The first nodes are not the file's: one that turns all, and the one that assimp puts above several roots.
std::int32_t SceneFile::bone(const std::string& name) const {
  const auto found = humanoid_.bones.find(name);
  const std::int32_t added = std::int32_t(nodes_.size()) - humanoid_.nodes;
  return found == humanoid_.bones.end() ? kNone : added + found->second;
}

std::vector<Affine> SceneFile::stored_locals() const {
  std::vector<Affine> locals;
  for (const Node& node : nodes_) locals.push_back(node.local);
  return locals;
}

std::vector<Affine> SceneFile::globals_of(std::span<const Affine> locals) const {
  std::vector<Affine> globals(locals.begin(), locals.end());
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (nodes_[k].parent != kNone) globals[k] = globals[std::size_t(nodes_[k].parent)] * locals[k];
  return globals;
}

}  // namespace pucker::io
