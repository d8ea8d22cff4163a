#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pucker/crowd.h"
#include "pucker/drape/drape.h"
#include "pucker/threads.h"
#include "shapes.h"

namespace pucker::drape {
namespace {

constexpr std::int32_t kAcross = 16;
constexpr std::int32_t kAlong = 12;

/// A sheet, squeezed along x more and more, and bent by a wave that runs along it.
Array3 squeezed(int frame) {
  Array3 out((kAcross + 1) * (kAlong + 1), 3);
  for (std::int32_t y = 0; y <= kAlong; ++y)
    for (std::int32_t x = 0; x <= kAcross; ++x)
      out.row(y * (kAcross + 1) + x) << (1 - 0.03 * frame) * x / 10.0, y / 10.0,
          0.03 * std::sin(0.9 * x + 0.3 * y + 0.4 * frame);
  return out;
}

/// A ball under the sheet, which rises through it.
std::shared_ptr<const Body> ball(int frames) {
  constexpr int round = 12;
  constexpr int high = 7;
  Array3 sphere(round * (high - 1) + 2, 3);
  for (int ring = 1; ring < high; ++ring)
    for (int k = 0; k < round; ++k) {
      const double up = 3.14159265358979 * ring / high;
      const double along = 2 * 3.14159265358979 * k / round;
      sphere.row((ring - 1) * round + k) << std::sin(up) * std::cos(along), std::sin(up) * std::sin(along),
          std::cos(up);
    }
  sphere.row(sphere.rows() - 2) << 0, 0, 1;
  sphere.row(sphere.rows() - 1) << 0, 0, -1;
  Index3 faces(2 * round * (high - 1), 3);
  Eigen::Index next = 0;
  for (int k = 0; k < round; ++k) {
    const int after = (k + 1) % round;
    faces.row(next++) << int(sphere.rows()) - 2, k, after;
    faces.row(next++) << int(sphere.rows()) - 1, (high - 2) * round + after, (high - 2) * round + k;
    for (int ring = 0; ring + 2 < high; ++ring) {
      faces.row(next++) << ring * round + k, (ring + 1) * round + k, (ring + 1) * round + after;
      faces.row(next++) << ring * round + k, (ring + 1) * round + after, ring * round + after;
    }
  }
  std::vector<double> positions;
  const auto at = [&](double height) {
    return Array3((0.3 * sphere).rowwise() + Eigen::RowVector3d(0.8, 0.6, height - 0.35));
  };
  for (int frame = 0; frame < frames; ++frame) {
    const Array3 placed = at(0.04 * frame);
    positions.insert(positions.end(), placed.data(), placed.data() + placed.size());
  }
  return std::make_shared<const Body>(faces, std::move(positions), at(0));
}

Drape start(int frames) {
  Params params;
  params.levels = 2;
  params.iterations = 12;
  params.thickness = 0;
  const auto mesh =
      std::make_shared<const Mesh>(shapes::grid(kAcross, kAlong), Eigen::Index((kAcross + 1) * (kAlong + 1)));
  return Drape(mesh, squeezed(0), params, {0, 1, 2}, {}, ball(frames));
}

/// All that a run gave, frame by frame.
std::vector<std::string> saved(std::size_t count) {
  constexpr int frames = 5;
  set_threads(count);
  Drape run = start(frames);
  std::vector<std::string> out;
  for (int frame = 0; frame < frames; ++frame) {
    run.advance(squeezed(frame), frame / 30.0);
    out.push_back(run.save());
  }
  set_threads(1);
  return out;
}

TEST(DrapeThreads, give_the_same_bits_however_many_there_are) {
  const std::vector<std::string> alone = saved(1);
  for (const std::size_t count : {2U, 3U, 8U}) EXPECT_EQ(saved(count), alone) << count << " threads";
}

TEST(DrapeThreads, give_the_same_bits_in_a_crowd) {
  set_threads(2);
  std::vector<Drape> runs;
  runs.reserve(3);
  for (int k = 0; k < 3; ++k) runs.push_back(start(2));
  const std::string other = [] {
    Drape run = start(2);
    for (int frame = 0; frame < 2; ++frame) run.advance(squeezed(frame), frame / 30.0);
    return run.save();
  }();
  Crowd crowd(3);
  for (int frame = 0; frame < 2; ++frame) {
    const Array3 positions = squeezed(frame);
    std::vector<CrowdStep> steps;
    steps.reserve(runs.size());
    for (Drape& run : runs) steps.push_back({&run, {positions.data(), positions.rows(), 3}, frame / 30.0});
    crowd.advance(steps);
  }
  for (const Drape& run : runs) EXPECT_EQ(run.save(), other);
  set_threads(1);
}

TEST(DrapeThreads, have_something_to_do_in_contact) {
  Drape run = start(5);
  std::int64_t on_body = 0;
  for (int frame = 0; frame < 5; ++frame) {
    const DrapeState& state = run.advance(squeezed(frame), frame / 30.0);
    for (const std::uint8_t each : state.on_body) on_body += each;
  }
  EXPECT_GT(on_body, 0);
}

}  // namespace
}  // namespace pucker::drape
