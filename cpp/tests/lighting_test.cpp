#include "pucker/draw/lighting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "motion.h"
#include "pucker/draw/picture.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::draw {
namespace {

/// A sheet with a camera before it.
struct Lit {
  testing::RestShape sheet = testing::irregular_sheet(6, 0.3, 2);
  Surface surface{{.mesh = sheet.mesh, .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 0, .weld = {}}};
  Camera camera = fit(sheet.positions, {20.0, 10.0}, 1.0);

  Lit() { surface.set_positions(sheet.positions); }
  ShadowView shadow(const Vector3& direction, const Vector3& moved = Vector3::Zero()) {
    Array3 positions = sheet.positions;
    positions.rowwise() += moved.transpose();
    surface.set_positions(positions);
    Surface* const surfaces[] = {&surface};
    return shadow_view(surfaces, camera, 1.0, direction);
  }
};

TEST(DrawLighting, TheViewOfTheLightHoldsWhatTheCameraSees) {
  Lit lit;
  for (const Vector3& direction : {Vector3(0.0, 0.0, 1.0), Vector3(1.0, 2.0, 0.3), Vector3(0.0, -1.0, 0.0)}) {
    const ShadowView view = lit.shadow(direction);
    const Eigen::MatrixXd seen = lit.surface.positions().rowwise().homogeneous() * view.matrix.transpose();
    EXPECT_LT(seen.leftCols<3>().cwiseAbs().maxCoeff(), 1.0);
    // Nearer to the light is less deep.
    const Eigen::Vector4d towards = view.matrix * Eigen::Vector4d(direction.x(), direction.y(), direction.z(), 0.0);
    EXPECT_LT(towards.z(), 0.0);
    EXPECT_NEAR(towards.head<2>().norm(), 0.0, 1e-12);
  }
}

TEST(DrawLighting, TheViewOfTheLightGoesByWholeTexels) {
  Lit lit;
  const Vector3 direction(0.3, 0.5, 0.8);
  const ShadowView still = lit.shadow(direction);
  for (const double share : {0.2, 0.7, 1.3}) {
    const ShadowView moved = lit.shadow(direction, Vector3(share * still.texel, 0.0, 0.0));
    ASSERT_EQ(moved.texel, still.texel);
    const Eigen::Vector4d away = (moved.matrix - still.matrix).col(3) * 0.5 * kShadowSize;
    EXPECT_NEAR(away.x(), std::round(away.x()), 1e-6);
    EXPECT_NEAR(away.y(), std::round(away.y()), 1e-6);
  }
}

TEST(DrawLighting, OnlyWhatAStyleAsksForIsDrawnBeforeThePicture) {
  Lit lit;
  Surface* const surfaces[] = {&lit.surface};
  const auto passes = [&](const Style& style) {
    std::vector<Pass> out;
    for (const Step& step : picture(surfaces, lit.camera, style, {90, 60}).steps) out.push_back(step.pass);
    return out;
  };
  const Style all = ClipStyle(lit.surface, 1.0).of(Style(), lit.camera);
  EXPECT_EQ(passes(Style()), (std::vector<Pass>{Pass::plain}));
  EXPECT_EQ(passes(all), (std::vector<Pass>{Pass::shadow, Pass::depth, Pass::occlusion, Pass::occlusion, Pass::plain}));
  EXPECT_EQ(passes(without(all, "occlusion")), (std::vector<Pass>{Pass::shadow, Pass::plain}));
  EXPECT_EQ(passes(without(all, "shadows")),
            (std::vector<Pass>{Pass::depth, Pass::occlusion, Pass::occlusion, Pass::plain}));
  const Picture drawn = picture(surfaces, lit.camera, all, {91, 60});
  EXPECT_EQ(drawn.map_sizes[0], (Size{kShadowSize, kShadowSize}));
  EXPECT_EQ(drawn.map_sizes[1], (Size{31, 20}));
  EXPECT_THROW(without(all, "sun"), InvalidArgument);
}

TEST(DrawLighting, WhatAStyleSaysIsKept) {
  Lit lit;
  Style style;
  style.light = Light{.key_direction = {0.0, 1.0, 0.0}};
  style.shadows = false;
  style.exposure = 2.0;
  const Style kept = ClipStyle(lit.surface, 0.5).of(style, lit.camera);
  EXPECT_EQ(kept.light->key_direction, style.light->key_direction);
  EXPECT_EQ(kept.shadows, false);
  EXPECT_EQ(kept.occlusion, true);
  EXPECT_EQ(kept.exposure, 2.0);
}

}  // namespace
}  // namespace pucker::draw
