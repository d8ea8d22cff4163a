/// What every file format is read into, before a clip and the garment are chosen; and how animations that were read
/// elsewhere are given to the core.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/io/clip.h"
#include "pucker/io/limits.h"

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

/// The fixed part of a character: everything but its animation.
struct Character {
  Index3 faces;                              ///< (m, 3) stored vertices
  std::vector<std::int32_t> face_pieces;     ///< (m,)
  std::vector<std::int32_t> face_materials;  ///< (m,)
  std::vector<Piece> pieces;
  std::vector<Material> materials;
  UvArray uv;                                      ///< (N, 2), or (0, 2) if nothing has texture coordinates
  Array3 normals = Array3(0, 3);                   ///< (N, 3) in the pose Source::rest, zero where the file has none
  std::vector<std::string> joints;                 ///< distinct names
  std::vector<std::vector<Influence>> influences;  ///< (N,), weights of a vertex sum to 1; empty without joints
  std::int64_t vertices = 0;                       ///< N
};

/// How the stored vertices follow joints: see Skin.
struct Rig {
  std::vector<std::string> joints;
  std::vector<Eigen::Affine3d> inverse_binds;      ///< (J,) from the bind pose to each joint
  std::vector<std::vector<Influence>> influences;  ///< (N,) of `joints`, weights of a vertex sum to 1
  std::vector<std::int32_t> nodes;                 ///< (J,) the node of the skeleton that each joint is
  std::vector<std::string> skeleton;               ///< (K,) names of the nodes: see Skeleton
  std::vector<std::int32_t> parents;               ///< (K,)
};

/// One clip of a character, ready to be sampled.
class Animation {
 public:
  virtual ~Animation() = default;
  virtual std::string name() const = 0;
  /// Seconds.
  virtual double duration() const = 0;
  /// Positions of all stored vertices at a time in [0, duration].
  virtual void pose(double time, Eigen::Ref<Array3> positions) const = 0;
  /// The joints of the source's rig in the world at a time, (J,); none without a rig.
  virtual std::vector<Eigen::Affine3d> joints(double /*time*/) const { return {}; }
  /// The nodes of the rig's skeleton in the world at a time, (K,); none without a rig.
  virtual std::vector<Eigen::Affine3d> skeleton(double /*time*/) const { return {}; }
  /// Whether more than the rig moves a stored vertex: morph targets.
  virtual bool leaves_rig(std::int32_t /*vertex*/) const { return false; }
};

/// An open file.
class Source {
 public:
  explicit Source(std::filesystem::path path) : path_(std::move(path)) {}
  virtual ~Source() = default;

  const std::filesystem::path& path() const { return path_; }
  virtual std::string format() const = 0;
  virtual const Character& character() const = 0;
  /// Clips with their durations; `fps` is the rate of frames that have none of their own.
  virtual std::vector<ClipInfo> clips(double fps) const = 0;
  /// Positions of all stored vertices in the pose the file stores beside its clips.
  virtual Array3 rest() const = 0;
  /// Positions of all stored vertices in the pose the skin was bound in, in the space and at the scale of the frames:
  /// the skin's topmost joint is where the stored pose has it, the others follow it as their bind transforms say, and
  /// what has no skin follows its nodes. None without a skin.
  virtual std::optional<Array3> bind_pose() const { return std::nullopt; }
  /// None without a skin.
  virtual std::optional<Rig> rig() const { return std::nullopt; }
  /// What is taken off the names of nodes to find those of the file that moves this one (see OpenOptions::motion); none
  /// where they agree as they are.
  virtual std::optional<NamePrefixes> prefixes() const { return std::nullopt; }
  /// The motion lives no longer than the source. `clip`: see LoadOptions.
  virtual std::unique_ptr<Animation> animation(const std::optional<std::string>& clip, double fps) const = 0;

 private:
  std::filesystem::path path_;
};

struct OpenOptions {
  /// The file that moves the one given: of an OBJ file the MDD or PC2 point cache (a cache that is given itself moves
  /// the OBJ file of the same name beside it); of a glTF, FBX or Collada file another of these, whose clips move what
  /// of the skeletons both have, by names that may begin otherwise (Source::prefixes). Its clips take the place of the
  /// file's own.
  std::optional<std::filesystem::path> motion = std::nullopt;
  /// Whether a file may name others that do not lie in its own folder or below: pictures, buffers, shaders. Otherwise a
  /// model from a stranger could bring any file of this machine into what is made of it.
  bool anywhere = false;
  Limits limits = {};
  /// By a path that is opened, `path` or `motion`, of a glTF, FBX or Collada file: what is read in place of the bytes
  /// on disk, of the same format or, for glTF, a GLB. All else is as of the file: its name in errors, and the folder in
  /// which its pictures are looked for. The bytes are read until the file is open.
  std::map<std::filesystem::path, std::string_view> contents = {};
};

/// Opens a file of any format the core reads. Names that are not UTF-8 are taken as Latin-1. Throws Error;
/// InvalidArgument for contents of a path that is not opened, or of another format than said.
std::unique_ptr<Source> open_source(const std::filesystem::path& path, const OpenOptions& options = {});

/// Frames first … last under a name, so many per second.
struct NamedRange {
  std::string name;
  std::size_t first = 0;
  std::size_t last = 0;
  double rate = 1.0;
};

/// A character that is stored frame by frame.
struct FrameAnimation {
  std::string format;
  Character character;
  std::vector<Array3> frames;        ///< at least one
  std::optional<Array3> rest;        ///< the pose beside the frames; without one, the first frame
  std::vector<double> times;         ///< seconds of each frame, strictly increasing; empty: evenly spaced frames
  std::optional<double> rate;        ///< evenly spaced frames per second; none: as many as are asked for
  double frames_per_interval = 1.0;  ///< of the rate that is asked for, in the interval between two stored frames
  std::vector<NamedRange> ranges;    ///< clips listed before "all"
};

/// A source with the clip "all" and every "FIRST:LAST" and "FIRST:LAST@RATE" (see LoadOptions). `path` names the source
/// in clips and errors. Throws InvalidArgument unless the arrays fit each other.
std::unique_ptr<Source> open_frames(const std::filesystem::path& path, FrameAnimation animation);

/// A character whose pose at any time is computed by functions.
struct PosedAnimation {
  /// A clip, and the positions of all stored vertices at a time in [0, duration].
  struct Clip {
    ClipInfo info;
    std::function<Array3(double)> pose;
  };

  std::string format;
  Character character;
  Array3 rest;
  std::optional<Array3> bind_pose;  ///< see Source::bind_pose
  std::vector<Clip> clips;
};

/// Throws as open_frames does; a pose of the wrong shape is refused when it is asked for.
std::unique_ptr<Source> open_poses(const std::filesystem::path& path, PosedAnimation animation);

}  // namespace pucker::io
