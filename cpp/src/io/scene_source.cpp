// glTF, GLB, FBX and Collada through assimp. Assimp parses; nodes, clips and skins are evaluated here in double
// precision.
#include <assimp/GltfMaterial.h>
#include <assimp/material.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "files.h"
#include "formats.h"
#include "opacity.h"
#include "scene_humanoid.h"
#include "scene_skeleton.h"
#include "scene_skin.h"

namespace pucker::io {
namespace {

// The weight of one morph target at a time; named as assimp names its keys.
struct WeightKey {
  double mTime = 0.0;  // ticks
  double mValue = 0.0;
};

// How a clip moves the morph targets of one placement, by target; what has no keys keeps the weight it has without a
// clip.
struct MorphTracks {
  const PlacedMesh* placement = nullptr;
  std::vector<std::vector<WeightKey>> targets;
};

std::optional<double> weight_at(std::span<const WeightKey> keys, double ticks) {
  if (keys.empty()) return std::nullopt;
  const KeySpan at = key_span(keys, ticks);
  return keys[at.before].mValue + at.share * (keys[at.after].mValue - keys[at.before].mValue);
}

std::span<const aiAnimMesh* const> targets_of(const aiMesh& mesh) { return {mesh.mAnimMeshes, mesh.mNumAnimMeshes}; }

// Vectors of a mesh, positions or normals, with its morph targets at the given weights: (n, 3).
template <class Base, class Target>
Array3 morphed(const aiMesh& mesh, Base base, Target target, std::span<const double> weights) {
  Array3 result(mesh.mNumVertices, 3);
  for (std::int64_t v = 0; v < result.rows(); ++v) result.row(v) = to_vector((mesh.*base)[v]);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const aiVector3D* moved = mesh.mAnimMeshes[k]->*target;
    if (weights[k] == 0.0 || moved == nullptr) continue;  // a target may leave out positions, or normals
    for (std::int64_t v = 0; v < result.rows(); ++v)
      result.row(v) += weights[k] * (to_vector(moved[v]) - to_vector((mesh.*base)[v])).transpose();
  }
  return result;
}

// Puts a placement's mesh, with its morph targets at the given weights, among all stored vertices.
void put_shape(const PlacedMesh& placement, std::span<const double> weights, Array3& shape) {
  shape.middleRows(placement.first_vertex, placement.mesh->mNumVertices) =
      morphed(*placement.mesh, &aiMesh::mVertices, &aiAnimMesh::mVertices, weights);
}

// Programs write colours beyond 1, by rounding or for what glows: cloth gives back no more light than it gets. One that
// is no number counts as not given.
void take_colour(std::array<double, 4> colour, Material& material) {
  if (!std::ranges::all_of(colour, [](double share) { return std::isfinite(share); })) return;
  for (double& share : colour) share = std::clamp(share, 0.0, 1.0);
  material.color = colour;
}

class SceneSource : public Source {
 public:
  SceneSource(const std::filesystem::path& path, const OpenOptions& options)
      : Source(path), anywhere_(options.anywhere), limits_(options.limits), scene_(path, options) {
    if (scene_.parsed().mNumMeshes == 0)
      fail(path, scene_.humanoid().is_motion()
                     ? "is a VRM Animation, which has no mesh; it moves a character in VRM (motion=, --motion)"
                     : "has no mesh; its clips can move a character of the same skeleton (motion=, --motion)");
    if (options.motion) take_motion(options);
    place_meshes();
    read_shape();
    skin_.emplace(scene_, placements_, character_);
    read_materials();
    read_faces();
    read_normals();
    make_utf8(character_);
  }

  std::string format() const override { return scene_.format(); }
  const Character& character() const override { return character_; }
  std::vector<ClipInfo> clips(double fps) const override;
  Array3 rest() const override;
  std::optional<Array3> bind_pose() const override;
  std::optional<Rig> rig() const override;
  std::optional<NamePrefixes> prefixes() const override { return names_ ? names_->prefixes() : std::nullopt; }
  std::unique_ptr<Animation> animation(const std::optional<std::string>& clip, double fps) const override;

  const SceneFile& scene() const { return scene_; }
  const SceneSkin& skin() const { return *skin_; }
  const std::optional<SharedNames>& names() const { return names_; }
  /// Whether the clips are another file's and move the bones of a human, whatever their names.
  bool is_moved_by_bones() const { return motion_ != nullptr && !names_; }
  /// Of each node of the file whose clips move this one, whether it moves a vertex.
  std::vector<bool> moving_nodes() const;
  /// Stored vertices in the spaces of their meshes, with morph targets at the weights they have without a clip.
  const Array3& shape() const { return shape_; }
  /// How a channel of a clip moves the morph targets of a node's meshes.
  std::vector<MorphTracks> morph_tracks(const SceneClip& clip, const aiMeshMorphAnim& channel) const;
  /// `shape` with what the tracks move where they have it at a time.
  void morph(const MorphTracks& tracks, double ticks, Array3& shape) const;

 private:
  const SceneFile& moved_by() const { return motion_ ? *motion_ : scene_; }
  void take_motion(const OpenOptions& options);
  void place_meshes();
  void read_shape();
  std::optional<std::int32_t> node_with_targets(const std::string& name) const;
  std::vector<double> own_weights(const aiMesh& mesh) const;
  void read_materials();
  Material read_material(const aiMaterial& material) const;
  void read_texture_of(const aiMaterial& source, Material& material) const;
  void read_alpha_of(const aiMaterial& source, Material& material) const;
  void read_faces();
  void read_normals();

  bool anywhere_;
  Limits limits_;
  SceneFile scene_;
  std::unique_ptr<const SceneFile> motion_;  // the file whose clips move this one, if they are not its own
  std::optional<SharedNames> names_;         // of both, unless it moves the bones of a human
  std::vector<PlacedMesh> placements_;
  Array3 shape_;
  std::optional<SceneSkin> skin_;
  std::vector<std::int32_t> material_slots_;  // file's material → character's, kNone if no triangle uses it
  Character character_;
};

class SceneAnimation : public Animation {
 public:
  SceneAnimation(const SceneSource& source, const SceneFile& moved_by, const std::optional<std::string>& clip)
      : source_(source), clip_(moved_by, clip, source.moving_nodes()) {
    if (source.is_moved_by_bones()) {
      humanoid_.emplace(source.scene(), clip_);
      return;  // the nodes of expressions are no meshes
    }
    if (source.names()) skeleton_.emplace(source.scene(), clip_, *source.names());
    for (const aiMeshMorphAnim* channel : clip_.morphs())
      for (MorphTracks& tracks : source.morph_tracks(clip_, *channel)) morphs_.push_back(std::move(tracks));
  }

  std::string name() const override { return clip_.info().name; }
  double duration() const override { return clip_.info().duration; }

  void pose(double time, Eigen::Ref<Array3> positions) const override {
    if (morphs_.empty()) return source_.skin().skin(locals_at(time), source_.shape(), positions);
    Array3 shape = source_.shape();
    for (const MorphTracks& tracks : morphs_) source_.morph(tracks, clip_.ticks(time), shape);
    source_.skin().skin(locals_at(time), shape, positions);
  }

  std::vector<Affine> joints(double time) const override { return source_.skin().rig_joints(locals_at(time)); }
  std::vector<Affine> skeleton(double time) const override { return source_.skin().rig_skeleton(locals_at(time)); }

  bool leaves_rig(std::int32_t vertex) const override {
    return std::ranges::any_of(morphs_, [&](const MorphTracks& tracks) {
      const std::int64_t row = vertex - tracks.placement->first_vertex;
      const aiMesh& mesh = *tracks.placement->mesh;
      if (row < 0 || row >= mesh.mNumVertices) return false;
      return std::ranges::any_of(targets_of(mesh), [&](const aiAnimMesh* target) {
        return target->mVertices != nullptr && target->mVertices[row] != mesh.mVertices[row];
      });
    });
  }

 private:
  std::vector<Affine> locals_at(double time) const {
    if (humanoid_) return humanoid_->locals_at(time);
    return skeleton_ ? skeleton_->locals_at(time) : clip_.locals_at(time);
  }

  const SceneSource& source_;
  SceneClip clip_;
  std::optional<SharedSkeleton> skeleton_;  // if the clip is another file's …
  std::optional<HumanoidMotion> humanoid_;  // … or, in place of it, a VRM Animation
  std::vector<MorphTracks> morphs_;
};

// A VRM Animation under the ending of a GLB may also be a clip of the same skeleton.
void SceneSource::take_motion(const OpenOptions& options) {
  motion_ = std::make_unique<SceneFile>(*options.motion, options);
  const bool is_bare = lower_extension(*options.motion) != "vrma" && scene_.humanoid().extension.empty();
  if (motion_->humanoid().is_motion() && !is_bare)
    check_humanoids(scene_, *motion_);
  else
    names_.emplace(scene_, *motion_);
}

std::vector<bool> SceneSource::moving_nodes() const {
  const std::span<const Node> nodes = moved_by().nodes();
  if (is_moved_by_bones()) return std::vector<bool>(nodes.size(), true);
  std::vector<bool> moving(nodes.size(), false);
  for (const std::int32_t own : skin_->skeleton()) {
    std::int32_t node = names_ ? names_->source_of(own) : own;
    for (; node != kNone && !moving[std::size_t(node)]; node = nodes[std::size_t(node)].parent)
      moving[std::size_t(node)] = true;
  }
  return moving;
}

void SceneSource::place_meshes() {
  for (std::size_t k = 0; k < scene_.nodes().size(); ++k)
    for (const unsigned mesh : scene_.nodes()[k].meshes) {
      placements_.push_back({scene_.parsed().mMeshes[mesh], std::int32_t(k), character_.vertices});
      character_.vertices += placements_.back().mesh->mNumVertices;
    }
}

void SceneSource::read_shape() {
  shape_.resize(character_.vertices, 3);
  for (const PlacedMesh& placement : placements_) put_shape(placement, own_weights(*placement.mesh), shape_);
}

// The weights of a mesh's morph targets without a clip. Only glTF's come through assimp: of FBX and Collada it says 1
// where they say nothing or 0.
std::vector<double> SceneSource::own_weights(const aiMesh& mesh) const {
  std::vector<double> weights;
  const bool known = scene_.format() == "gltf" || scene_.format() == "glb";
  for (const aiAnimMesh* target : targets_of(mesh)) weights.push_back(known ? double(target->mWeight) : 0.0);
  return weights;
}

// The node of that name whose meshes have morph targets, which a joint may share its name with; none if there are
// several.
std::optional<std::int32_t> SceneSource::node_with_targets(const std::string& name) const {
  std::optional<std::int32_t> found;
  for (const PlacedMesh& placement : placements_) {
    if (scene_.nodes()[std::size_t(placement.node)].name != name || targets_of(*placement.mesh).empty()) continue;
    if (found && *found != placement.node) return std::nullopt;
    found = placement.node;
  }
  return found;
}

std::vector<MorphTracks> SceneSource::morph_tracks(const SceneClip& moved_by, const aiMeshMorphAnim& channel) const {
  const std::string& clip = moved_by.info().name;
  const std::string& format = moved_by.scene().format();
  // Assimp gives each curve of a Collada file to the target of its place in the file, whatever target it names.
  if (format == "dae") fail(path(), "clip '", clip, "' moves morph targets, which are read of glTF and FBX only");
  // In FBX files it names the mesh by its node, "*" and a number.
  const std::string name = text(channel.mName);
  const std::string node = moved_by.scene().name_of(aiString(format == "fbx" ? name.substr(0, name.rfind('*')) : name));
  const bool own = &moved_by.scene() == &scene_;
  std::vector<MorphTracks> result;
  const std::optional<std::int32_t> with_targets = node_with_targets(node);
  if (!own && !with_targets && !scene_.only_node_named(node)) return result;
  const std::int32_t moved = with_targets ? *with_targets : scene_.node_named(node);
  for (const PlacedMesh& placement : placements_) {
    const std::span<const aiAnimMesh* const> targets = targets_of(*placement.mesh);
    if (placement.node != moved || targets.empty()) continue;
    // Assimp counts channels in the clip, but shapes in the mesh, where a channel with shapes on its way has several.
    for (std::size_t k = 1; format == "fbx" && k < targets.size(); ++k)
      if (targets[k]->mName == targets[k - 1]->mName)
        fail(path(), "clip '", clip, "' moves the morph target '", text(targets[k]->mName), "' of node '", node,
             "', which has shapes in between, which are not supported");
    MorphTracks tracks{.placement = &placement, .targets = std::vector<std::vector<WeightKey>>(targets.size())};
    for (const aiMeshMorphKey& key : std::span(channel.mKeys, channel.mNumKeys))
      for (unsigned k = 0; k < key.mNumValuesAndWeights; ++k) {
        if (key.mValues[k] >= targets.size())
          fail(path(), "clip '", clip, "' moves morph target ", key.mValues[k], " of node '", node, "', which has ",
               targets.size());
        std::vector<WeightKey>& keys = tracks.targets[key.mValues[k]];
        // Where a mesh has several lists of targets, each counts from 0.
        if (!keys.empty() && keys.back().mTime == key.mTime)
          fail(path(), "clip '", clip, "' moves morph target ", key.mValues[k], " of node '", node, "' twice");
        keys.push_back({key.mTime, key.mWeights[k]});
      }
    result.push_back(std::move(tracks));
  }
  if (own && result.empty()) fail(path(), "clip '", clip, "' moves morph targets of node '", node, "', which has none");
  return result;
}

void SceneSource::morph(const MorphTracks& tracks, double ticks, Array3& shape) const {
  std::vector<double> weights = own_weights(*tracks.placement->mesh);
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = weight_at(tracks.targets[k], ticks).value_or(weights[k]);
  put_shape(*tracks.placement, weights, shape);
}

void SceneSource::read_materials() {
  material_slots_.assign(scene_.parsed().mNumMaterials, kNone);
  std::size_t bytes = 0;
  for (const PlacedMesh& placement : placements_) {
    if (placement.mesh->mMaterialIndex >= scene_.parsed().mNumMaterials)
      fail(path(), "mesh '", text(placement.mesh->mName), "' has material ", placement.mesh->mMaterialIndex, " of ",
           scene_.parsed().mNumMaterials);
    std::int32_t& slot = material_slots_[placement.mesh->mMaterialIndex];
    if (slot != kNone) continue;
    slot = std::int32_t(character_.materials.size());
    character_.materials.push_back(read_material(*scene_.parsed().mMaterials[placement.mesh->mMaterialIndex]));
    bytes += character_.materials.back().texture.size();
    if (bytes > std::size_t(limits_.memory))
      fail(path(), "the pictures of its materials take more than ", bytes, " bytes; ", limit_of_memory(limits_));
  }
}

Material SceneSource::read_material(const aiMaterial& source) const {
  Material material;
  aiString name;
  if (source.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS) material.name = text(name);
  aiColor4D color;
  if (source.Get(AI_MATKEY_BASE_COLOR, color) == aiReturn_SUCCESS ||
      source.Get(AI_MATKEY_COLOR_DIFFUSE, color) == aiReturn_SUCCESS)
    take_colour({double(color.r), double(color.g), double(color.b), double(color.a)}, material);
  read_texture_of(source, material);
  read_alpha_of(source, material);
  return material;
}

void SceneSource::read_alpha_of(const aiMaterial& source, Material& material) const {
  aiString mode;
  if (source.Get(AI_MATKEY_GLTF_ALPHAMODE, mode) == aiReturn_SUCCESS) {
    if (text(mode) == "MASK") material.alpha.mode = AlphaMode::mask;
    if (text(mode) == "BLEND") material.alpha.mode = AlphaMode::blend;
    float cutoff = 0.0F;
    if (source.Get(AI_MATKEY_GLTF_ALPHACUTOFF, cutoff) == aiReturn_SUCCESS && std::isfinite(cutoff) && cutoff >= 0.0F)
      material.alpha.cutoff = double(cutoff);
    return;
  }
  float opacity = 1.0F;
  if (source.Get(AI_MATKEY_OPACITY, opacity) != aiReturn_SUCCESS) opacity = 1.0F;
  aiString picture;
  if (source.GetTexture(aiTextureType_OPACITY, 0, &picture) != aiReturn_SUCCESS) picture.Clear();
  take_opacity(material, double(opacity), text(picture));
}

void SceneSource::read_texture_of(const aiMaterial& source, Material& material) const {
  aiString name;
  if (source.GetTexture(aiTextureType_BASE_COLOR, 0, &name) != aiReturn_SUCCESS &&
      source.GetTexture(aiTextureType_DIFFUSE, 0, &name) != aiReturn_SUCCESS)
    return;
  material.texture_name = text(name);
  const aiTexture* embedded = scene_.parsed().GetEmbeddedTexture(name.C_Str());
  if (embedded == nullptr) {
    material.texture = read_texture(path(), material.texture_name, anywhere_, limits_);
    return;
  }
  if (embedded->mHeight != 0)
    fail(path(), "texture '", material.texture_name, "' is embedded as raw texels, not as a picture");
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(embedded->pcData);
  material.texture.assign(bytes, bytes + embedded->mWidth);
}

void SceneSource::read_faces() {
  if (character_.vertices > std::numeric_limits<std::int32_t>::max())
    fail(path(), "has ", character_.vertices, " vertices, more than a 32-bit number can count");
  std::vector<std::int32_t> corners;
  const bool has_uv = std::ranges::any_of(placements_, [](const PlacedMesh& p) { return p.mesh->HasTextureCoords(0); });
  character_.uv = UvArray::Zero(has_uv ? character_.vertices : 0, 2);
  for (const PlacedMesh& placement : placements_) {
    const aiMesh& mesh = *placement.mesh;
    const std::int32_t piece = std::int32_t(character_.pieces.size());
    character_.pieces.push_back({scene_.nodes()[std::size_t(placement.node)].name, scene_.name_of(mesh.mName)});
    for (const aiFace& face : std::span(mesh.mFaces, mesh.mNumFaces)) {
      for (unsigned k = 2; k < face.mNumIndices; ++k) {
        for (const unsigned corner : {face.mIndices[0], face.mIndices[k - 1], face.mIndices[k]}) {
          if (corner >= mesh.mNumVertices)
            fail(path(), "a face of mesh '", text(mesh.mName), "' names vertex ", corner, " of ", mesh.mNumVertices);
          corners.push_back(std::int32_t(placement.first_vertex) + std::int32_t(corner));
        }
        character_.face_pieces.push_back(piece);
        character_.face_materials.push_back(material_slots_[mesh.mMaterialIndex]);
      }
    }
    if (!mesh.HasTextureCoords(0)) continue;
    for (std::int64_t v = 0; v < mesh.mNumVertices; ++v)
      character_.uv.row(placement.first_vertex + v) << double(mesh.mTextureCoords[0][v].x),
          double(mesh.mTextureCoords[0][v].y);
  }
  character_.faces = Eigen::Map<const Index3>(corners.data(), std::int64_t(corners.size()) / 3, 3);
}

std::vector<ClipInfo> SceneSource::clips(double) const { return clips_of(moved_by()); }

Array3 SceneSource::rest() const {
  Array3 positions(character_.vertices, 3);
  skin_->skin(scene_.stored_locals(), shape_, positions);
  return positions;
}

std::optional<Array3> SceneSource::bind_pose() const {
  if (skin_->empty()) return std::nullopt;
  return skin_->bind_pose(shape_);
}

std::optional<Rig> SceneSource::rig() const {
  if (skin_->empty()) return std::nullopt;
  return skin_->rig();
}

std::unique_ptr<Animation> SceneSource::animation(const std::optional<std::string>& clip, double) const {
  return std::make_unique<SceneAnimation>(*this, moved_by(), clip);
}

void SceneSource::read_normals() {
  if (!std::ranges::any_of(placements_, [](const PlacedMesh& p) { return p.mesh->HasNormals(); })) return;
  Array3 normals = Array3::Zero(character_.vertices, 3);
  for (const PlacedMesh& placement : placements_) {
    const aiMesh& mesh = *placement.mesh;
    if (mesh.HasNormals())
      normals.middleRows(placement.first_vertex, mesh.mNumVertices) =
          morphed(mesh, &aiMesh::mNormals, &aiAnimMesh::mNormals, own_weights(mesh));
  }
  character_.normals = skin_->stored_normals(normals);
}

}  // namespace

std::unique_ptr<Source> open_scene(const std::filesystem::path& path, const OpenOptions& options) {
  return std::make_unique<SceneSource>(path, options);
}

}  // namespace pucker::io
