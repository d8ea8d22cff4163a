/// Animated characters from files: glTF, GLB, FBX, Collada, MD3, sequences of OBJ files, and MDD and PC2 point caches
/// over an OBJ file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pucker/io/clip.h"
#include "pucker/io/limits.h"

namespace pucker::io {

class Source;

struct LoadOptions {
  /// The clip's name, or what of it follows a "|", before which Blender writes the armature, if no other clip is named
  /// so. May be left out if the file has one clip only. Files of frames (MD3, OBJ sequences, point caches) have the
  /// clip "all" and every range "FIRST:LAST" of frames, both included, optionally "FIRST:LAST@RATE" with a rate in
  /// frames per second. Without a rate an MD3 runs at 15 frames per second, an MDD by its own times, an OBJ sequence at
  /// `fps`, and a PC2 at as many samples per frame as it says, `fps` frames per second.
  std::optional<std::string> clip = std::nullopt;
  /// The garment: names of materials, nodes or meshes (surfaces of an MD3, objects and groups of an OBJ), or
  /// "joint:NAME" for the triangles that the joint governs: those whose three vertices' skin weights, summed, are
  /// largest for it; "joint:NAME/" for those of the joint and of all below it; or "triangles:12-40+55" for triangles by
  /// their numbers in the file. A name may end in `*`, which stands for any ending. What follows a "-" is left out:
  /// "-joint:Head/" of the parts before and behind it, or of the whole character where no others are named. Empty: the
  /// whole character.
  std::vector<std::string> parts = {};
  double fps = 30.0;  ///< frames per second of the result
  int loops = 1;      ///< how often the clip is run through
  int smooth = 0;     ///< levels of `smoothed`
  Limits limits = {};
  /// Keeps so many of the first frames only, at least 1: the bits are those of Clip::beginning of the whole clip. All
  /// frames are looked at, as what is welded and what is sewn to the body follow from all of them, but only these
  /// take memory, unless the clip is smoothed, lies flat in its first frame, or has very many vertices in one place.
  std::optional<std::int64_t> beginning = std::nullopt;
};

/// Loads one clip of a character.
///
/// Frame k is at k / fps seconds, up to loops · duration; a clip of zero length gives one frame. Between the keys of a
/// node, whatever interpolation the file asks for, positions and scales are interpolated linearly and rotations
/// spherically; between the frames of an MD3 or an OBJ sequence, positions linearly. Skins are linear blend skins with
/// any number of joints a vertex; a mesh without skin moves with its node. Coordinates keep the file's unit of length,
/// with the scales of its nodes applied, and are turned so that y is up: glTF is so already, FBX and Collada say which
/// axis is up, an MD3 (x forward, z up) and a VRM 0 are turned to face +z, others are not. Garment and body are welded
/// each by itself (pucker::weld) over the pose stored in the file and all frames. Colours are taken as linear, as glTF
/// defines them and the common exporters of FBX and Collada write them.
///
/// An OBJ sequence is a folder, or a .zip, whose OBJ files sorted by name (numbers by value) are the frames. In a .zip
/// it is the one folder that holds several; an OBJ file alone in its folder, such as a rest shape, is no frame. All
/// frames must have the same faces.
///
/// Of an MD3 player's lower.md3, upper.md3 and head.md3, each brings those beside it along, joined by their tags; frame
/// k of the one that is named shows frame k of the others, or their last. A .skin file beside an MD3 names its
/// pictures.
///
/// A point cache moves the `v` lines of the OBJ file of its name beside it, whose own shape is the pose at rest. For
/// what one file moves of another, see OpenOptions::motion.
///
/// Throws Error if the file is missing, damaged, of an unknown format, without animation, or uses what is not
/// supported (morph targets of a Collada file); InvalidArgument for an unknown clip or part, listing those there are,
/// if a clip must be chosen, for fps or loops that are not positive, and for levels that `smoothed` refuses. What a
/// file claims is held against its size and the limits.
Clip load(const std::filesystem::path& path, const LoadOptions& options = {});
/// The same of an open file.
Clip load(const Source& source, const LoadOptions& options = {});

/// A node, mesh, material or joint, and how many triangles belong to it. A joint's are those it governs.
struct PartInfo {
  std::string name;
  std::int64_t triangles = 0;
};

/// What can be asked of a file.
struct FileInfo {
  std::string format;           ///< "gltf", "glb", "fbx", "dae", "md3", "obj", "mdd", "pc2" …
  std::vector<ClipInfo> clips;  ///< durations of frames without a rate of their own are those at 30 frames per second
  std::vector<PartInfo> materials;
  std::vector<PartInfo> nodes;  ///< those that carry triangles; surfaces of an MD3, objects and groups of an OBJ
  std::vector<PartInfo> meshes;
  std::vector<PartInfo> joints;
  std::int64_t stored_vertices = 0;
  std::int64_t triangles = 0;
  std::optional<NamePrefixes> prefixes = std::nullopt;  ///< see Source::prefixes
};

/// Looks into a file without choosing a clip. Throws Error as `load` does, but not for a file without animation.
FileInfo inspect(const std::filesystem::path& path);
/// The same of an open file.
FileInfo inspect(const Source& source);

/// Which triangles of an open file LoadOptions::parts means, one flag each. Throws InvalidArgument as `load` does.
std::vector<bool> select(const Source& source, const std::vector<std::string>& parts);

/// Which part of a kind ("materials", "nodes", "meshes" or "joints") each triangle is of: its number among FileInfo's,
/// kNone for one without a name or joint, (m,). Throws InvalidArgument for another kind.
std::vector<std::int32_t> part_numbers(const Source& source, std::string_view kind);

}  // namespace pucker::io
