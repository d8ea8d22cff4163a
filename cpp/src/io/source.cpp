#include "pucker/io/source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "files.h"
#include "formats.h"
#include "pucker/nearest.h"

namespace pucker::io {
namespace {

void check_indices(const std::vector<std::int32_t>& indices, std::int64_t faces, std::size_t limit, const char* what) {
  require(std::int64_t(indices.size()) == faces, what, " must have one entry a triangle (", faces, "), got ",
          indices.size());
  for (const std::int32_t index : indices)
    require(index >= 0 && index < std::int32_t(limit), what, " must be in [0, ", limit, "), got ", index);
}

// Blender writes a clip's name as "armature|action".
std::string_view action_of(std::string_view name) { return name.substr(name.rfind('|') + 1); }

bool is_scene(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  constexpr std::array<std::string_view, 6> known{"gltf", "glb", "vrm", "vrma", "fbx", "dae"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

// What of a point cache is not known is reported where it is read.
void check_motion(const std::filesystem::path& path, const std::filesystem::path& motion) {
  if (lower_extension(path) == "obj") return;
  if (!is_scene(path))
    fail(path, "only gltf, glb, vrm, fbx, dae and obj can be moved by another file, not '", lower_extension(path), "'");
  if (!is_scene(motion))
    fail(motion, "cannot move ", path.string(), ": its format must be gltf, glb, vrm, vrma, fbx or dae, not '",
         lower_extension(motion), "'");
}

void check_contents(const std::filesystem::path& path, const OpenOptions& options) {
  for (const auto& [file, content] : options.contents) {
    require((file == path || file == options.motion) && is_scene(file),
            "contents must be of a gltf, glb, vrm, vrma, fbx or dae file that is opened, got those of ", file.string());
    check_size(file, content.size(), options.limits);
  }
}

}  // namespace

std::unique_ptr<Source> open_source(const std::filesystem::path& path, const OpenOptions& options) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail(path, "no such file or folder");
  const std::string extension = lower_extension(path);
  if (options.motion) check_motion(path, *options.motion);
  check_contents(path, options);
  if (std::filesystem::is_directory(status) || extension == "zip") return open_obj_sequence(path, options);
  if (options.motion && extension == "obj") return open_point_cache(path, options);
  if (is_scene(path)) return open_scene(path, options);
  if (extension == "md3") return open_md3(path, options);
  if (extension == "mdd" || extension == "pc2") {
    std::filesystem::path obj = path;
    OpenOptions with_cache = options;
    with_cache.motion = path;
    return open_point_cache(obj.replace_extension(".obj"), with_cache);
  }
  if (extension == "obj")
    fail(path, "one OBJ file has no animation; load the folder or .zip with the sequence of them, or its point cache");
  if (extension.starts_with("usd") || extension == "abc" || extension == "npz")
    fail(path, "format '", extension, "' is read by the Python package only");
  fail(path, "unknown format '", extension,
       "'; known are gltf, glb, vrm, fbx, dae, md3, mdd and pc2 beside an obj, usd, usda, usdc, usdz, abc, npz, a "
       "folder "
       "or .zip of OBJ files, and vrma, which moves a vrm");
}

void tell_apart(std::vector<ClipInfo>& clips) {
  std::map<std::string, int> uses;
  for (const ClipInfo& clip : clips) ++uses[clip.name];
  std::map<std::string, int> numbers;
  for (ClipInfo& clip : clips) {
    if (uses[clip.name] == 1) continue;
    const std::string name = clip.name.empty() ? "unnamed" : clip.name;
    do clip.name = message(name, " (", ++numbers[name], ")");
    while (uses.contains(clip.name));
  }
}

std::size_t choose_clip(const std::filesystem::path& path, const std::vector<ClipInfo>& clips,
                        const std::optional<std::string>& name) {
  if (clips.empty())
    fail(path,
         "has no animation; another file's can move it (motion=, --motion), and a clip of one pose can be made from "
         "arrays");
  const auto names = [&] { return join(clips, [](const ClipInfo& clip) { return clip.name; }); };
  if (!name) {
    require(clips.size() == 1, "the file has ", clips.size(), " clips, choose one of: ", names());
    return 0;
  }
  const auto is_named = [&](const ClipInfo& clip) { return clip.name == *name; };
  const auto is_action = [&](const ClipInfo& clip) { return action_of(clip.name) == *name; };
  const bool whole = std::ranges::any_of(clips, is_named);
  const auto chosen = [&](const ClipInfo& clip) { return whole ? is_named(clip) : is_action(clip); };
  const auto found = std::ranges::find_if(clips, chosen);
  std::vector<std::string> known;
  known.reserve(2 * clips.size());
  for (const ClipInfo& clip : clips) known.push_back(clip.name);
  for (const ClipInfo& clip : clips) known.emplace_back(action_of(clip.name));
  const auto has_part = [&](const ClipInfo& clip) { return lower(clip.name).find(lower(*name)) != std::string::npos; };
  const char* const in_part = std::ranges::any_of(clips, has_part)
                                  ? "; a clip is named by its whole name, or by all that follows its last '|'"
                                  : "";
  require(found != clips.end(), "no clip is named '", *name, "'", did_you_mean(*name, known), "; there are: ", names(),
          in_part);
  require(std::ranges::count_if(clips, chosen) == 1, "several clips are named '", *name, "'; there are: ", names());
  return std::size_t(found - clips.begin());
}

void make_utf8(Character& character) {
  for (Piece& piece : character.pieces) piece = {utf8(std::move(piece.node)), utf8(std::move(piece.mesh))};
  for (Material& material : character.materials) {
    material.name = utf8(std::move(material.name));
    material.texture_name = utf8(std::move(material.texture_name));
  }
  for (std::string& joint : character.joints) joint = utf8(std::move(joint));
}

void check_character(const Character& character) {
  const std::int64_t faces = character.faces.rows();
  for (std::int64_t face = 0; face < faces; ++face)
    for (const std::int32_t vertex : character.faces.row(face))
      require(vertex >= 0 && vertex < character.vertices, "faces must name vertices in [0, ", character.vertices,
              "), got ", vertex, " in face ", face);
  check_indices(character.face_pieces, faces, character.pieces.size(), "face_pieces");
  check_indices(character.face_materials, faces, character.materials.size(), "face_materials");
  require(character.uv.rows() == 0 || character.uv.rows() == character.vertices, "uv must have one row a vertex (",
          character.vertices, "), got ", character.uv.rows());
  require(character.normals.rows() == 0 || character.normals.rows() == character.vertices,
          "normals must have one row a vertex (", character.vertices, "), got ", character.normals.rows());
  if (character.joints.empty()) return;
  require(std::int64_t(character.influences.size()) == character.vertices, "influences must have one entry a vertex (",
          character.vertices, "), got ", character.influences.size());
  for (const std::vector<Influence>& vertex : character.influences)
    for (const Influence& influence : vertex) {
      require(influence.joint >= 0 && influence.joint < std::int32_t(character.joints.size()),
              "joints of influences must be in [0, ", character.joints.size(), "), got ", influence.joint);
      require(std::isfinite(influence.weight) && influence.weight >= 0.0,
              "weights of influences must be finite and >= 0, got ", influence.weight);
    }
}

}  // namespace pucker::io
