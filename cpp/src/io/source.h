/// What every file format is read into, before a clip and the garment are chosen.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pucker/io/clip.h"

namespace pucker::io {

/// Triangles that share a node and a mesh.
struct Piece {
  std::string node;
  std::string mesh;  ///< empty where the format has no such name
};

/// The share of a joint in the motion of a vertex.
struct Influence {
  std::int32_t joint = 0;  ///< index into Character::joints
  double weight = 0.0;
};

/// The fixed part of a character: everything but its motion.
struct Character {
  Index3 faces;                              ///< (m, 3) stored vertices
  std::vector<std::int32_t> face_pieces;     ///< (m,)
  std::vector<std::int32_t> face_materials;  ///< (m,)
  std::vector<Piece> pieces;
  std::vector<Material> materials;
  UvArray uv;                                      ///< (N, 2), or (0, 2) if nothing has texture coordinates
  std::vector<std::string> joints;                 ///< distinct names
  std::vector<std::vector<Influence>> influences;  ///< (N,), weights of a vertex sum to 1; empty without joints
  std::int64_t vertices = 0;                       ///< N
};

/// One clip of a character, ready to be sampled.
class Motion {
 public:
  virtual ~Motion() = default;
  virtual std::string name() const = 0;
  /// Seconds.
  virtual double duration() const = 0;
  /// Positions of all stored vertices at a time in [0, duration].
  virtual void pose(double time, Eigen::Ref<Array3> positions) const = 0;
};

/// An open file.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::string format() const = 0;
  virtual const Character& character() const = 0;
  /// Clips with their durations; `fps` is the rate of frames that have none of their own.
  virtual std::vector<ClipInfo> clips(double fps) const = 0;
  /// Positions of all stored vertices in the pose the file stores beside its clips.
  virtual Array3 rest() const = 0;
  /// The motion lives no longer than the source. `clip`: see LoadOptions.
  virtual std::unique_ptr<Motion> motion(const std::optional<std::string>& clip, double fps) const = 0;
};

/// Opens a file of any known format. Throws Error.
std::unique_ptr<Source> open_source(const std::filesystem::path& path);

std::unique_ptr<Source> open_scene(const std::filesystem::path& path);
std::unique_ptr<Source> open_md3(const std::filesystem::path& path);
std::unique_ptr<Source> open_obj_sequence(const std::filesystem::path& path);

/// The clip's index among `clips`: the one named, or the only one. Throws InvalidArgument that lists them.
std::size_t choose_clip(const std::vector<ClipInfo>& clips, const std::optional<std::string>& name);

}  // namespace pucker::io
