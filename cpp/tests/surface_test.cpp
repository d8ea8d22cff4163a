#include "pucker/dynamic/surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "motion.h"
#include "pucker/dynamic/profile.h"
#include "pucker/errors.h"
#include "pucker/mesh/subdivision.h"

namespace pucker {
namespace {

using testing::irregular_sheet;
using testing::params_for;
using testing::RestShape;

constexpr std::array kProfiles{Profile::quartic, Profile::sinusoidal, Profile::arcs,
                               Profile::bspline, Profile::wave,       Profile::crease};

/// A square in the plane z = 0 and one straight wrinkle along x that reaches all of it.
struct Scene {
  Mesh mesh{shapes::grid(1, 1), 4};
  Array3 positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  PackedWrinkles packed;

  Scene() {
    packed.triangles = {1, 0, 1, 0};
    packed.overlaps = {0, 2};
    for (const float x : {0.0F, 0.5F, 1.0F})
      packed.points.push_back({{x, 0.5F, 0}, 0.5F, {0, 0, 1}, 0.125F, {1, 0, 0}, x, 0.5F, 0.125F, {0, 0}});
  }

  SurfacePoints at(Profile profile, const Array3& coordinates) const {
    const std::vector<std::int32_t> first(std::size_t(coordinates.rows()), 0);
    return evaluate_surface(mesh, profile, positions, packed, first, coordinates);
  }
};

/// Points of the first triangle, (0,0), (1,0), (1,1), at x = 3/4.
Array3 across(int count) {
  Array3 out(count, 3);
  for (int i = 0; i < count; ++i) {
    const double y = 0.75 * i / std::max(count - 1, 1);
    out.row(i) << 0.25, 0.75 - y, y;
  }
  return out;
}

TEST(Surface, AStraightWrinkleHasItsProfile) {
  const Scene scene;
  for (const Profile profile : kProfiles) {
    const SurfacePoints points = scene.at(profile, across(40));
    const std::vector<double> offsets = normal_offsets(points);
    for (Eigen::Index i = 0; i < 40; ++i) {
      const double x = points.base(i, 1) - 0.5;
      const double slope = profile::derivative(profile, x, 0.5, 0.125);
      EXPECT_NEAR(offsets[std::size_t(i)], profile::value(profile, x, 0.5, 0.125), 1e-14);
      EXPECT_LT((points.normals.row(i) - Eigen::RowVector3d(0, -slope, 1).normalized()).norm(), 1e-12);
      EXPECT_EQ(points.positions(i, 2), points.displacements(i, 2));
    }
  }
}

/// A second wrinkle along x, at y.
Scene crossed(float y, float height) {
  Scene scene;
  scene.packed.triangles = {2, 0, 2, 0};
  scene.packed.overlaps = {0, 2, 3, 5};
  for (const float x : {0.0F, 0.5F, 1.0F})
    scene.packed.points.push_back({{x, y, 0}, 0.5F, {0, 0, 1}, height, {1, 0, 0}, x, 0.5F, height, {0, 0}});
  return scene;
}

TEST(Surface, WavesOverEachOtherAreSmoothAndStayBetweenTheirHeightAndDepth) {
  constexpr int count = 401;
  constexpr double step = 1e-6;
  // Three points close together, so that their difference is the slope also where the curvature jumps.
  Array3 places(3 * count, 3);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double y = 0.01 + 0.73 * i / (count - 1) + (k - 1) * step;
      places.row(3 * i + k) << 0.25, 0.75 - y, y;
    }
  for (const float y : {0.5F, 0.55F, 0.61F, 0.7F}) {
    const SurfacePoints points = crossed(y, 0.1F).at(Profile::wave, places);
    const std::vector<double> offsets = normal_offsets(points);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_LE(offsets[3 * i + 1], 0.125 + 1e-12);
      EXPECT_GE(offsets[3 * i + 1], -0.125 * 9 / 16 - 1e-12);
      const double slope = (offsets[3 * i + 2] - offsets[3 * i]) / (2 * step);
      const auto row = Eigen::Index(3 * i + 1);
      EXPECT_LT((points.normals.row(row) - Eigen::RowVector3d(0, -slope, 1).normalized()).norm(), 1e-4);
    }
  }
}

TEST(Surface, AWaveThatRisesMovesTheOthersByNoMoreThanThreeTimesItsHeight) {
  const std::vector<double> before = normal_offsets(Scene().at(Profile::wave, across(400)));
  for (const float y : {0.45F, 0.5F, 0.6F, 0.7F})
    for (const float height : {0.0F, 1e-6F, 1e-3F, 0.02F, 0.1F}) {
      const std::vector<double> after = normal_offsets(crossed(y, height).at(Profile::wave, across(400)));
      for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 3 * double(height) + 1e-14);
    }
}

TEST(Surface, AWaveThatLiesOnItselfIsItself) {
  const std::vector<double> twice = normal_offsets(crossed(0.5F, 0.125F).at(Profile::wave, across(40)));
  const std::vector<double> once = normal_offsets(Scene().at(Profile::wave, across(40)));
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(twice[i], once[i], 1e-14);
}

TEST(Surface, APathThatHasCollapsedHasNormals) {
  Scene scene;
  for (PackedPoint& point : scene.packed.points) std::ranges::copy(std::array{0.75F, 0.5F, 0.0F}, point.position);
  for (const Profile profile : kProfiles) {
    const SurfacePoints points = scene.at(profile, across(41));
    EXPECT_TRUE(points.positions.allFinite());
    EXPECT_LT((points.normals.matrix().rowwise().norm().array() - 1).abs().maxCoeff(), 1e-12);
  }
}

TEST(Surface, WithoutWrinklesIsTheMesh) {
  Scene scene;
  scene.packed = {{0, 0, 0, 0}, {}, {}};
  const SurfacePoints points = scene.at(Profile::bspline, across(5));
  EXPECT_EQ(points.positions, points.base);
  EXPECT_EQ(points.normals, points.base_normals);
  EXPECT_EQ(points.base_normals, Eigen::RowVector3d(0, 0, 1).replicate(5, 1));
}

TEST(Surface, BothTrianglesOfAnEdgeGiveItsPointsTheSamePlace) {
  const RestShape sheet = irregular_sheet(8, 0.35, 1);
  Wrinkler run(sheet.mesh, params_for(0.02));
  for (int frame = 0; frame < 15; ++frame) {
    Array3 positions = sheet.positions;
    positions.col(0) *= 1 - 0.03 * frame;
    run.advance(positions, frame / 30.0);
  }
  const Mesh& mesh = *sheet.mesh;
  const std::vector<std::int32_t> levels(std::size_t(mesh.edge_count()), 12);
  const Subdivision fine = subdivide(mesh, levels);
  const SurfacePoints home =
      evaluate_surface(mesh, Profile::bspline, run.positions(), run.state().packed, fine.triangles, fine.barycentrics);
  std::vector<std::int32_t> sources;
  for (const std::int32_t source : fine.source) sources.insert(sources.end(), 3, source);
  const SurfacePoints here =
      evaluate_surface(mesh, Profile::bspline, run.positions(), run.state().packed, sources, fine.corners);
  double highest = 0;
  for (Eigen::Index f = 0; f < fine.faces.rows(); ++f)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t v = fine.faces(f, k);
      highest = std::max(highest, home.displacements.row(v).norm());
      ASSERT_LT((home.positions.row(v) - here.positions.row(3 * f + k)).norm(), 1e-9);
      ASSERT_LT((home.normals.row(v) - here.normals.row(3 * f + k)).norm(), 1e-6);
    }
  EXPECT_GT(highest, 0.005);
}

TEST(EdgeLevels, FollowTheLengthOfEdgesThatAWrinkleReaches) {
  Scene scene;
  scene.packed.triangles = {1, 0, 0, 1};
  const auto levels = [&](double target, int limit) {
    return PathDetail(scene.mesh, scene.positions, scene.packed, Profile::bspline, 0.5).edge_levels(target, limit);
  };
  // Edges (0,1), (0,2), (0,3), (1,3), (2,3); the first triangle has (0,1), (1,3), (0,3).
  EXPECT_EQ(levels(0.3, 64), (std::vector<std::int32_t>{4, 1, 5, 4, 1}));
  EXPECT_EQ(levels(0.001, 64), (std::vector<std::int32_t>{64, 1, 64, 64, 1}));
  EXPECT_EQ(levels(10, 64), (std::vector<std::int32_t>{1, 1, 1, 1, 1}));
  EXPECT_THROW(levels(0, 64), InvalidArgument);
  EXPECT_THROW(levels(0.1, 0), InvalidArgument);
}

TEST(Surface, FeaturesOfOverlappingWrinklesAreThoseOfTheNarrowest) {
  for (const Profile profile : kProfiles) {
    const double share = profile::seen_share(profile);
    Scene one;
    one.packed.triangles = {1, 0, 0, 1};
    Scene two = crossed(0.6F, 0.1F);
    two.packed.triangles = {2, 0, 0, 2};
    const auto sizes = [&](const Scene& scene) {
      return PathDetail(scene.mesh, scene.positions, scene.packed, profile, 0.01).feature_sizes();
    };
    const std::vector<double> alone = sizes(one);
    EXPECT_DOUBLE_EQ(alone[0], share * 0.5);
    EXPECT_EQ(alone[1], std::numeric_limits<double>::infinity());
    EXPECT_EQ(sizes(two), alone);
    two.packed.points[4].width = 0.3F;
    EXPECT_DOUBLE_EQ(sizes(two)[0], share * double(0.3F));
  }
}

TEST(Surface, RefusesWhatDoesNotFit) {
  const Scene scene;
  const auto refused = [&](auto&& change) {
    Scene broken = scene;
    change(broken.packed);
    EXPECT_THROW(broken.at(Profile::bspline, across(2)), InvalidArgument);
  };
  refused([](PackedWrinkles& p) { p.triangles.pop_back(); });
  refused([](PackedWrinkles& p) { p.triangles[1] = 1; });
  refused([](PackedWrinkles& p) { p.overlaps = {2, 1}; });
  refused([](PackedWrinkles& p) { p.overlaps = {0, 3}; });
  refused([](PackedWrinkles& p) { p.points[1].arc_length = 0; });
  refused([](PackedWrinkles& p) { p.points[0].arc_length = 0.1F; });
  refused([](PackedWrinkles& p) { p.points[2].arc_length = 0.5F; });
  refused([](PackedWrinkles& p) { p.points[1].width = 0; });
  refused([](PackedWrinkles& p) { p.points[1].mid_height = -1; });
  refused([](PackedWrinkles& p) { p.points[2].position[1] = NAN; });
  EXPECT_THROW(scene.at(Profile::bspline, Array3{{0.5, 0.5, 0.5}}), InvalidArgument);
  EXPECT_THROW(scene.at(Profile::bspline, Array3{{1.5, -0.5, 0}}), InvalidArgument);
  const std::vector<std::int32_t> none{2};
  EXPECT_THROW(evaluate_surface(scene.mesh, Profile::bspline, scene.positions, scene.packed, none, across(1)),
               InvalidArgument);
}

}  // namespace
}  // namespace pucker
