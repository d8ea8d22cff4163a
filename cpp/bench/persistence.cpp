#include "pucker/dynamic/persistence.h"

#include <chrono>
#include <random>

#include "runs.h"
#include "scenes.h"

namespace pucker::bench {

namespace {

using nlohmann::json;

class Timer {
 public:
  /// Seconds since it was made or asked last.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Solves and moves each living wrinkle of each frame on its own, as the run does with all of them.
json run(const Scene& scene) {
  Wrinkler wrinkler(scene.mesh, scene.params);
  Persistence persistence(scene.mesh, scene.params);
  const double edge_length = mean_edge_length(*scene.mesh, scene.frames.front());
  std::vector<std::size_t> points;
  std::vector<double> solves;
  std::vector<double> moves;
  std::vector<double> t;
  std::shared_ptr<const WrinklerState> before;
  for (std::size_t frame = 0; frame < scene.frames.size(); ++frame) {
    const WrinklerState& now = wrinkler.advance(scene.frames[frame], scene.time(frame));
    if (before) {
      const CompressionField field{*scene.mesh, now.positions, now.frames, now.stretch, now.compression};
      const Motion motion{before->positions, before->frames, field, now.motion, edge_length, now.time - before->time};
      for (Wrinkle wrinkle : before->wrinkles) {
        if (!wrinkle.alive) continue;
        points.push_back(wrinkle.size());
        Timer timer;
        persistence.solve(motion, wrinkle, t);
        solves.push_back(timer.lap());
        persistence.move(motion, wrinkle);
        moves.push_back(timer.lap());
      }
    }
    before = wrinkler.share_state();
  }
  return {{"name", scene.name},
          {"triangles", scene.mesh->triangle_count()},
          {"points", points},
          {"solve", solves},
          {"move", moves}};
}

/// Banded systems like those of paths: a unit matrix and squares of differences between points up to two apart.
json systems() {
  constexpr int rounds = 2000;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  json out = json::array();
  for (const int points : {4, 8, 16, 32, 64, 256}) {
    const std::size_t n = std::size_t(points);
    std::vector<double> bands(3 * n, 0.0);
    std::vector<double> right_side(n);
    for (std::size_t i = 0; i < n; ++i) {
      bands[3 * i] += 1;
      right_side[i] = normal(random);
      if (i + 2 >= n) continue;
      const std::array<double, 3> by = {normal(random), normal(random), normal(random)};
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = j; k < 3; ++k) bands[3 * (i + j) + (k - j)] += by[j] * by[k];
    }
    std::vector<double> seconds;
    std::vector<double> used;
    std::vector<double> solution;
    for (int round = 0; round < rounds; ++round) {
      used = bands;
      solution = right_side;
      Timer timer;
      solve_banded(2, used, solution);
      seconds.push_back(timer.lap());
    }
    out.push_back(
        {{"points", n}, {"bands", bands}, {"right_side", right_side}, {"solution", solution}, {"seconds", seconds}});
  }
  return out;
}

}  // namespace

json run_persistence(const std::string& folder) {
  json out;
  for (const double width : {0.01, 0.005})
    for (const std::size_t c : {std::size_t(1), std::size_t(3)})
      out["clips"].push_back(run(load_scene(folder, characters()[c], 5, Setting{1.15, width})));
  out["systems"] = systems();
  return out;
}

}  // namespace pucker::bench
