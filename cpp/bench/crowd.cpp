#include "pucker/crowd.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "pucker/dynamic/wrinkler.h"
#include "runs.h"
#include "scenes.h"

namespace pucker::bench {

namespace {

using nlohmann::json;

/// Characters of one scene, each at another place of its clip.
json run(const Scene& scene, std::size_t characters, std::size_t threads, std::size_t frames) {
  Crowd crowd(threads);
  std::vector<Wrinkler> wrinklers;
  wrinklers.reserve(characters);
  for (std::size_t c = 0; c < characters; ++c) wrinklers.emplace_back(scene.mesh, scene.params);
  std::vector<double> walls;
  std::vector<double> each;
  std::vector<CrowdStep> steps;
  // A clip's length to get going, which is not measured.
  const std::size_t clip = std::min<std::size_t>(scene.frames.size(), 24);
  for (std::size_t frame = 0; frame < clip + frames; ++frame) {
    steps.clear();
    for (std::size_t c = 0; c < characters; ++c) {
      const Array3& positions = scene.frames[(frame + 7 * c) % scene.frames.size()];
      steps.push_back({&wrinklers[c], {positions.data(), positions.rows(), 3}, scene.time(frame)});
    }
    const auto begin = std::chrono::steady_clock::now();
    crowd.advance(steps);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    if (frame < clip) continue;
    walls.push_back(wall.count());
    for (const Wrinkler& wrinkler : wrinklers) {
      const auto& seconds = wrinkler.state().seconds;
      each.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
    }
  }
  return {{"characters", characters}, {"threads", crowd.thread_count()}, {"walls", walls}, {"each", each}};
}

}  // namespace

json run_crowd(const std::string& folder) {
  const Scene scene = load_scene(folder, characters()[1], 20, Setting{1.25, 0.01});
  json out;
  out["scene"] = scene.name;
  out["triangles"] = scene.mesh->triangle_count();
  for (const std::size_t characters : {1u, 10u, 100u, 1000u}) {
    const std::size_t frames = characters < 1000 ? 240 : 48;
    // In turn, so that what else the machine does falls on both alike.
    for (int round = 0; round < 3; ++round)
      for (const std::size_t threads : {1u, 0u}) out["runs"].push_back(run(scene, characters, threads, frames));
  }
  return out;
}

}  // namespace pucker::bench
