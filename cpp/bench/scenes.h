/// What the benchmarks run on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pucker/dynamic/wrinkler.h"

namespace pucker::bench {

/// Frames of a mesh in motion, 30 a second.
struct Scene {
  std::string name;
  std::shared_ptr<const Mesh> mesh;
  Params params;
  Cloth cloth;  ///< of a character: its rest pose and where it is sewn to the body, as a user's run has them
  std::vector<Array3> frames;
  double size = 1;  ///< height of the character or side of a tile

  double time(std::size_t frame) const { return double(frame) / 30; }
};

/// `tiles` × `tiles` unit squares of `cells` × `cells` quads each. Every column of tiles folds along its middle and is
/// squeezed there, to 0.6 of its length, and opens again, `period` frames a time.
Scene sheet(std::int32_t cells, std::int32_t tiles, int frames, int period);

/// The scene with the parameters of ridges.
Scene with_ridges(Scene scene);

/// A clip of the example data.
struct Character {
  const char* file;
  const char* clip;
  std::vector<std::string> parts;
};
const std::vector<Character>& characters();
/// And further clips of the kimono.
std::vector<Character> all_characters();

/// Ridges of the theses' scenes.
struct Setting {
  double threshold;
  double width;  ///< smallest, as a share of the character's height
};

/// The character run through its clip `loops` times, with the parameters that ship if there is no setting.
Scene load_scene(const std::string& folder, const Character& character, int loops, std::optional<Setting> setting);

}  // namespace pucker::bench
