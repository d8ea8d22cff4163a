#include "scenes.h"

#include <cmath>
#include <numbers>

#include "pucker/io/load.h"

namespace pucker::bench {

namespace {

/// Triangles of a square of `cells` × `cells` quads, (2·cells², 3), over (cells + 1)² vertices in rows.
Index3 sheet_faces(std::int32_t cells) {
  Index3 faces(2 * cells * cells, 3);
  const std::int32_t row = cells + 1;
  Eigen::Index next = 0;
  for (std::int32_t y = 0; y < cells; ++y)
    for (std::int32_t x = 0; x < cells; ++x) {
      const std::int32_t corner = y * row + x;
      faces.row(next++) << corner, corner + 1, corner + row + 1;
      faces.row(next++) << corner, corner + row + 1, corner + row;
    }
  return faces;
}

}  // namespace

Scene sheet(std::int32_t cells, std::int32_t tiles, int frames, int period) {
  using std::numbers::pi;
  Scene scene;
  const std::int32_t quads = cells * tiles;
  const Eigen::Index row = quads + 1;
  scene.name = "sheet of " + std::to_string(2 * quads * quads);
  scene.mesh = std::make_shared<Mesh>(sheet_faces(quads), row * row);
  scene.params.min_width = 0.01;
  for (int frame = 0; frame < frames; ++frame) {
    const double squeeze = 0.5 - 0.5 * std::cos(2 * pi * frame / period);
    Array3& positions = scene.frames.emplace_back(row * row, 3);
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
      const Eigen::Index line = v / row;
      const double x = double(v % row) / cells - 0.5;
      const double y = double(line) / cells - 0.5;
      // The squeeze is stronger at some places along the fold, so that paths begin and end inside the sheet.
      const double pull = std::tanh(std::sin(2 * pi * x) / (0.2 * pi));
      positions.row(v) << x - 0.04 * squeeze * (1 + 0.3 * std::sin(2 * pi * y)) * pull, y,
          0.1 * squeeze * std::cos(2 * pi * x);
    }
  }
  return scene;
}

Scene with_ridges(Scene scene) {
  const std::optional<double> width = scene.params.min_width;
  scene.params = Params::ridges();
  scene.params.min_width = width;
  return scene;
}

const std::vector<Character>& characters() {
  static const std::vector<Character> all = {
      {"female_dress.fbx", "HumanArmature|Female_Walk", {"Dress"}},
      {"female_dress.fbx", "HumanArmature|Female_Run", {"Dress"}},
      {"kyonshi_lower.md3", "115:123", {"l_lower", "l_dress"}},
      {"kimono_male.gltf", "Walk", {"Clothes", "Band"}},
      {"mage.glb", "Sit_Floor_Down", {"Mage_Body", "Mage_Arm*"}},
  };
  return all;
}

std::vector<Character> all_characters() {
  std::vector<Character> all = characters();
  for (const char* clip : {"Run", "SitDown"}) all.push_back({"kimono_male.gltf", clip, {"Clothes", "Band"}});
  return all;
}

Scene load_scene(const std::string& folder, const Character& character, int loops, std::optional<Setting> setting) {
  const io::Clip clip =
      io::load(folder + "/" + character.file, {.clip = character.clip, .parts = character.parts, .loops = loops});
  Scene scene;
  scene.name = std::string(character.file) + " " + character.clip;
  scene.mesh = clip.mesh();
  scene.size = clip.height();
  if (setting) {
    scene.params = Params::ridges();
    scene.params.threshold = setting->threshold;
    scene.params.relative_width = setting->width;
  }
  scene.params = scene.params.for_height(scene.size);
  scene.cloth = {.rest = clip.rest(), .shared = clip.shared_vertices()};
  for (std::int64_t k = 0; k < clip.frame_count(); ++k) scene.frames.emplace_back(clip.positions(k));
  return scene;
}

}  // namespace pucker::bench
