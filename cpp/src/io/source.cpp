#include "source.h"

#include <algorithm>

#include "files.h"

namespace pucker::io {

std::unique_ptr<Source> open_source(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail(path, "no such file or folder");
  const std::string extension = lower_extension(path);
  if (std::filesystem::is_directory(status) || extension == "zip") return open_obj_sequence(path);
  if (extension == "gltf" || extension == "glb" || extension == "fbx" || extension == "dae") return open_scene(path);
  if (extension == "md3") return open_md3(path);
  if (extension == "obj")
    fail(path, "one OBJ file has no animation; load the folder or .zip with the sequence of them");
  fail(path, "unknown format '", extension, "'; known are gltf, glb, fbx, dae, md3, and a folder or .zip of OBJ files");
}

std::size_t choose_clip(const std::vector<ClipInfo>& clips, const std::optional<std::string>& name) {
  const auto names = [&] { return join(clips, [](const ClipInfo& clip) { return clip.name; }); };
  if (!name) {
    require(clips.size() == 1, "the file has ", clips.size(), " clips, choose one of: ", names());
    return 0;
  }
  const auto named = [&](const ClipInfo& clip) { return clip.name == *name; };
  const auto found = std::ranges::find_if(clips, named);
  require(found != clips.end(), "no clip is named '", *name, "'; there are: ", names());
  require(std::ranges::count_if(clips, named) == 1, "several clips are named '", *name, "'; there are: ", names());
  return std::size_t(found - clips.begin());
}

}  // namespace pucker::io
