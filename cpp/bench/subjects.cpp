#include "subjects.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "pucker/mesh/subdivision.h"

namespace pucker::bench {

namespace {

using std::numbers::pi;

/// A ball under the middle of the sheet, which rises through it.
std::shared_ptr<const drape::Body> rising_ball(std::size_t frames) {
  constexpr int round = 96;
  constexpr int rings = 47;
  Array3 ball(round * rings + 2, 3);
  for (int ring = 0; ring < rings; ++ring)
    for (int k = 0; k < round; ++k) {
      const double up = pi * (ring + 1) / (rings + 1);
      const double along = 2 * pi * k / round;
      ball.row(ring * round + k) << std::sin(up) * std::cos(along), std::sin(up) * std::sin(along), std::cos(up);
    }
  const int top = round * rings;
  ball.row(top) << 0, 0, 1;
  ball.row(top + 1) << 0, 0, -1;
  Index3 faces(2 * round * rings, 3);
  Eigen::Index next = 0;
  for (int k = 0; k < round; ++k) {
    const int after = (k + 1) % round;
    faces.row(next++) << top, k, after;
    faces.row(next++) << top + 1, (rings - 1) * round + after, (rings - 1) * round + k;
    for (int ring = 0; ring + 1 < rings; ++ring) {
      faces.row(next++) << ring * round + k, (ring + 1) * round + k, (ring + 1) * round + after;
      faces.row(next++) << ring * round + k, (ring + 1) * round + after, ring * round + after;
    }
  }
  const auto at = [&](double height) {
    return Array3((0.3 * ball).rowwise() + Eigen::RowVector3d(0, 0, height - 0.32));
  };
  std::vector<double> positions;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const Array3 placed = at(0.005 * double(frame));
    positions.insert(positions.end(), placed.data(), placed.data() + placed.size());
  }
  return std::make_shared<const drape::Body>(faces, std::move(positions), at(0));
}

}  // namespace

waves::WaveField waves_over(const Scene& scene) {
  waves::Params params;
  params.unit = waves::WavelengthUnit::clip;
  params.wavelength = 0.2;
  return {scene.mesh, scene.frames.front(), params};
}

byexample::ByExample by_example_over(const Scene& scene) {
  constexpr std::size_t count = 8;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.002);
  const LoopSubdivision loop(scene.mesh, kSheetLevels);
  std::vector<Array3> poses;
  std::vector<Array3> details;
  for (std::size_t k = 0; k < count; ++k) {
    // Poses must differ everywhere, also where the sheet stays as it is.
    Array3 pose = scene.frames[k * scene.frames.size() / (2 * count)];
    pose.col(0) *= 1 + 0.02 * double(k);
    poses.push_back(std::move(pose));
    details.emplace_back(Array3::NullaryExpr(loop.fine()->vertex_count(), 3, [&] { return normal(random); }));
  }
  byexample::Synthesis synthesis(scene.mesh, kSheetLevels, scene.frames.front(), std::move(poses), std::move(details));
  return {std::move(synthesis), {}};
}

drape::Drape draped_over(const Scene& scene) {
  drape::Params params;
  params.levels = kSheetLevels;
  return {scene.mesh, scene.frames.front(), params, {}, {}, rising_ball(scene.frames.size())};
}

std::int64_t triangles_of(const Method& run) {
  const Subdivision* const own = run.state().detail().own_mesh();
  return own != nullptr ? own->faces.rows() : run.mesh()->triangle_count();
}

}  // namespace pucker::bench
