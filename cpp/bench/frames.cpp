// Times whole frames of the dynamic method, stage by stage, and prints every sample as JSON.
//
// Scenes are a sheet made in code at several finenesses and characters from files. Heap allocations are counted by
// standing in for malloc, which the standard library's operator new and all libraries call.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "pucker/dynamic/wrinkler.h"
#include "pucker/io/load.h"
#include "sheet.h"

extern "C" void* __libc_malloc(std::size_t size);  // NOLINT: glibc's name

namespace {
std::atomic<std::int64_t> allocations = 0;
}  // namespace

extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

namespace pucker::bench {
namespace {

using nlohmann::json;

/// Frames of a mesh in motion.
struct Scene {
  std::string name;
  std::shared_ptr<const Mesh> mesh;
  Params params;
  std::vector<Array3> frames;
  double size = 1;  ///< height of the character or side of the sheet
  double rate = 30;
};

/// A unit square of cells × cells quads that folds along its middle and is squeezed there, to 0.6 of its length, and
/// opens again; `period` frames a time.
Scene sheet(std::int32_t cells, int count, int period) {
  Scene scene;
  scene.name = "sheet of " + std::to_string(2 * cells * cells);
  const Eigen::Index row = cells + 1;
  scene.mesh = std::make_shared<Mesh>(sheet_faces(cells), row * row);
  scene.params.min_width = 0.01;
  for (int frame = 0; frame < count; ++frame) {
    const double squeeze = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * frame / period);
    Array3& positions = scene.frames.emplace_back(row * row, 3);
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
      const Eigen::Index line = v / row;
      const double x = double(v % row) / cells - 0.5;
      const double y = double(line) / cells - 0.5;
      // The squeeze is stronger at one end, so that paths begin and end inside the sheet.
      const double moved = x - 0.04 * squeeze * (1 + 0.3 * std::sin(6 * y)) * std::tanh(x / 0.1);
      positions.row(v) << moved, y, 0.2 * squeeze * std::cos(std::numbers::pi * x);
    }
  }
  return scene;
}

Scene character(const std::string& folder, const char* file, const char* clip, std::vector<std::string> parts,
                double threshold, double width) {
  const io::Clip loaded = io::load(folder + "/" + file, {.clip = clip, .parts = std::move(parts), .loops = 20});
  Scene scene;
  scene.name = std::string(file) + " " + clip;
  scene.mesh = loaded.mesh();
  scene.params.threshold = threshold;
  scene.size = loaded.height();
  scene.params.min_width = width * scene.size;
  for (std::int64_t k = 0; k < loaded.frame_count(); ++k) scene.frames.emplace_back(loaded.positions(k));
  return scene;
}

/// Bytes the heap holds, mapped blocks included.
std::int64_t held_bytes() {
  const auto info = mallinfo2();
  return std::int64_t(info.uordblks + info.hblkhd);
}

json run(const Scene& scene) {
  const std::int64_t bytes_before = held_bytes();
  Wrinkler wrinkler(scene.mesh, scene.params);
  json out;
  out["name"] = scene.name;
  out["triangles"] = scene.mesh->triangle_count();
  out["threshold"] = scene.params.threshold;
  out["min_width"] = scene.params.min_width / scene.size;
  json& stages = out["seconds"];
  for (std::size_t s = 0; s < kStageCount; ++s) stages[std::string(stage_name(Stage(s)))] = json::array();
  json& alive = out["wrinkles"] = json::array();
  json& points = out["path_points"] = json::array();
  json& counts = out["allocations"] = json::array();
  json& born = out["new_wrinkles"] = json::array();
  std::int64_t youngest = -1;
  for (std::size_t frame = 0; frame < scene.frames.size(); ++frame) {
    const std::int64_t before = allocations;
    const State& state = wrinkler.advance(scene.frames[frame], double(frame) / scene.rate);
    const std::int64_t after = allocations;
    for (std::size_t s = 0; s < kStageCount; ++s) stages[std::string(stage_name(Stage(s)))].push_back(state.seconds[s]);
    std::int64_t living = 0;
    std::int64_t newest = youngest;
    for (const Wrinkle& wrinkle : state.wrinkles) {
      living += wrinkle.alive;
      newest = std::max(newest, wrinkle.id);
    }
    born.push_back(newest - youngest);
    youngest = newest;
    alive.push_back(living);
    points.push_back(state.packed.points.size());
    counts.push_back(after - before);
  }
  out["bytes_held"] = held_bytes() - bytes_before;
  out["saved_bytes"] = wrinkler.save().size();
  return out;
}

}  // namespace
}  // namespace pucker::bench

namespace {

nlohmann::json run_all(const std::string& data) {
  using namespace pucker::bench;
  nlohmann::json out = nlohmann::json::array();
  out.push_back(run(sheet(18, 240, 60)));
  out.push_back(run(sheet(60, 240, 60)));
  out.push_back(run(sheet(71, 240, 60)));
  out.push_back(run(sheet(200, 60, 30)));
  out.push_back(run(sheet(707, 16, 30)));
  for (const double threshold : {1.15, 1.25})
    for (const double width : {0.01, 0.005}) {
      out.push_back(run(character(data, "kimono_male.gltf", "Walk", {"Clothes", "Band"}, threshold, width)));
      out.push_back(run(character(data, "female_dress.fbx", "HumanArmature|Female_Walk", {"Dress"}, threshold, width)));
      out.push_back(run(character(data, "female_dress.fbx", "HumanArmature|Female_Run", {"Dress"}, threshold, width)));
      out.push_back(run(character(data, "mage.glb", "Sit_Floor_Down", {"Mage_Body", "Mage_Arm*"}, threshold, width)));
      out.push_back(run(character(data, "kyonshi_lower.md3", "115:123", {"l_lower", "l_dress"}, threshold, width)));
    }
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: pucker_frames DATA_FOLDER\n");
    return 2;
  }
  try {
    std::printf("%s\n", run_all(arguments[1]).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pucker_frames: %s\n", error.what());
    return 2;
  }
}
