#include "pucker/scene/brush.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pucker/errors.h"
#include "pucker/waves/painting.h"

namespace pucker::scene {
namespace {

/// A square from -1 to 1 across z, in the second frame seen edge-on from the front; with a body, in front of its left.
io::ClipData square(bool body) {
  io::ClipData data;
  data.times = {0.0, 1.0};
  data.garment = {.faces = (Index3(2, 3) << 0, 1, 2, 0, 2, 3).finished(),
                  .uv = UvArray(0, 2),
                  .materials = {0, 0},
                  .weld = {0, 1, 2, 3}};
  data.body = {.faces = Index3(0, 3), .uv = UvArray(0, 2), .materials = {}, .weld = {}};
  data.vertices = 4;
  data.positions = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, -1, 0, 1, 1, 0, 1, 1, 0, -1, -1, 0, -1};
  if (body) {
    data.body = {
        .faces = (Index3(1, 3) << 0, 1, 2).finished(), .uv = UvArray(0, 2), .materials = {0}, .weld = {0, 1, 2}};
    for (int frame = 0; frame < 2; ++frame)
      for (const double x : {-1.0, -1.0, 0.5, 0.0, 0.0, 0.5, -1.0, 1.0, 0.5}) data.body_positions.push_back(x);
  }
  data.materials.resize(1);
  return data;
}

struct Painted {
  explicit Painted(bool body = false) : clip(square(body)) {}

  io::Clip clip;
  draw::Camera camera{.eye = {0, 0, 4}, .target = {0, 0, 0}, .field_of_view = 40.0, .near = 1.0, .far = 8.0};
  waves::Painting painting{clip.mesh(), clip.positions(0)};

  Sight sight(std::int64_t frame = 0) const { return {clip, frame, camera, {100, 100}}; }
  /// The vectors (4, 3) after a drag of the mouse.
  Array3 after(const Pixels& to, const Pixels& way, std::int64_t frame = 0) {
    drag(painting, {.erase = false, .radius = 2.0, .strength = 0.5}, sight(frame), to, way);
    return painting.vectors();
  }
};

TEST(SceneBrush, PaintsAlongTheWayOfTheMouse) {
  // Pixels count downwards, y upwards; wrinkles across a direction and its opposite are the same.
  for (const Pixels& way : {Pixels{8, 0}, Pixels{0, 8}, Pixels{5, -3}}) {
    Painted painted;
    const Vector3 along = Vector3(way[0], -way[1], 0).normalized();
    const Array3 vectors = painted.after({50, 50}, way);
    for (const auto& vector : vectors.rowwise()) {
      ASSERT_GT(vector.norm(), 0.01);
      EXPECT_NEAR(std::abs(vector.dot(along)), vector.norm(), 1e-12);
    }
  }
}

TEST(SceneBrush, TheRadiusIsAShareOfTheCharactersHeight) {
  Painted painted;
  ASSERT_EQ(painted.clip.height(), 2.0);
  // The corners are sqrt(2) from the middle, half a pixel beside which the mouse is.
  drag(painted.painting, {.radius = 0.69}, painted.sight(), {50, 50}, {4, 0});
  EXPECT_TRUE(painted.painting.vectors().isZero(0));
  drag(painted.painting, {.radius = 0.72}, painted.sight(), {50, 50}, {4, 0});
  EXPECT_FALSE(painted.painting.vectors().isZero(0));
}

TEST(SceneBrush, ErasesWhatItPainted) {
  Painted painted;
  const double before = painted.after({50, 50}, {8, 0}).norm();
  drag(painted.painting, {.erase = true, .radius = 100.0, .strength = 1.0}, painted.sight(), {50, 50}, {8, 0});
  EXPECT_LT(painted.painting.vectors().norm(), 1e-3 * before);
}

TEST(SceneBrush, BesideTheClothAndBehindTheBodyNothingIsPainted) {
  Painted painted(true);
  EXPECT_TRUE(cloth_at(painted.sight(), {60, 50}));
  EXPECT_FALSE(cloth_at(painted.sight(), {1, 1}));
  EXPECT_FALSE(cloth_at(painted.sight(), {35, 50}));
  EXPECT_TRUE(painted.after({1, 1}, {8, 0}).isZero(0));
  EXPECT_TRUE(painted.after({35, 50}, {8, 0}).isZero(0));
}

TEST(SceneBrush, TheWayIsCarriedIntoTheRestPose) {
  Painted painted;
  // From above, the cloth of the second frame lies flat: up in the picture is away from the camera, y of the rest pose.
  painted.camera.eye = {0, 2, 4};
  const Array3 vectors = painted.after({50, 50}, {0, -8}, 1);
  for (const auto& vector : vectors.rowwise()) {
    ASSERT_GT(vector.norm(), 0.01);
    EXPECT_NEAR(std::abs(vector[1]), vector.norm(), 1e-12);
  }
}

TEST(SceneBrush, AFrameThatThereIsNotIsRefused) {
  Painted painted;
  EXPECT_THROW(cloth_at(painted.sight(2), {50, 50}), InvalidArgument);
  EXPECT_THROW(painted.after({50, 50}, {8, 0}, -1), InvalidArgument);
}

}  // namespace
}  // namespace pucker::scene
