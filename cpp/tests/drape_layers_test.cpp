#include "pucker/drape/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "pucker/drape/drape.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::drape {
namespace {

constexpr std::int32_t kAcross = 48;
constexpr std::int32_t kAlong = 32;
constexpr double kLong = 8;
/// Shares of the extent, which is the tubes' length.
constexpr double kGap = 0.01;
constexpr double kClearance = 0.004;

struct Garment {
  std::shared_ptr<const Mesh> mesh;
  Array3 positions;
};

/// Open tubes about the first axis, seen from outside, or of those with a negative radius from inside.
Garment tubes(const std::vector<double>& radii) {
  Index3 one = shapes::cylinder(kAcross, kAlong);
  const std::int32_t count = kAcross * (kAlong + 1);
  Index3 faces(one.rows() * Eigen::Index(radii.size()), 3);
  Array3 positions(count * Eigen::Index(radii.size()), 3);
  for (std::size_t k = 0; k < radii.size(); ++k) {
    for (std::int32_t v = 0; v < count; ++v) {
      const double turn = 2 * std::numbers::pi * (v % kAcross) / kAcross;
      const double along = kLong * (v / kAcross) / kAlong;
      positions.row(Eigen::Index(k) * count + v) << along, std::abs(radii[k]) * std::cos(turn),
          std::abs(radii[k]) * std::sin(turn);
    }
    Index3 own = one;
    const Vector3 a = positions.row(own(0, 0));
    const Vector3 b = positions.row(own(0, 1));
    const Vector3 c = positions.row(own(0, 2));
    const bool outside = (b - a).cross(c - a).dot(Vector3(0, a[1], a[2])) > 0;
    if (outside != (radii[k] > 0)) own.col(1).swap(own.col(2));
    faces.middleRows(Eigen::Index(k) * one.rows(), one.rows()) = own.array() + std::int32_t(k) * count;
  }
  return {std::make_shared<const Mesh>(faces, positions.rows()), positions};
}

double radius_of(const Array3& positions, Eigen::Index v) { return positions.row(v).tail<2>().norm(); }

class LayersOfTubes : public testing::Test {
 protected:
  static Layers layers_of(const Garment& garment, std::span<const std::uint8_t> pinned = {}) {
    Params params;
    params.levels = 0;
    const Levels levels(garment.mesh, 0);
    return {levels, garment.positions, lengths_of(levels, garment.positions, params), pinned, kClearance * kLong};
  }
  static Array3 with_radius(const Garment& garment, std::int32_t tube, double radius) {
    Array3 out = garment.positions;
    const Eigen::Index count = kAcross * (kAlong + 1);
    for (Eigen::Index v = tube * count; v < (tube + 1) * count; ++v) out.row(v).tail<2>() *= radius / radius_of(out, v);
    return out;
  }

  /// A shirt in a jacket.
  Garment garment_ = tubes({1, 1 + kGap* kLong});
  Layers layers_ = layers_of(garment_);
};

TEST_F(LayersOfTubes, what_lies_within_another_is_covered_by_it) {
  constexpr std::int32_t count = kAcross * (kAlong + 1);
  std::vector<std::uint8_t> found(2 * count, 0);
  double beneath = 0;
  for (const Covered& each : layers_.covered()) {
    EXPECT_LT(each.vertex, count);
    EXPECT_FALSE(each.other_side);
    EXPECT_EQ(found[std::size_t(each.vertex)]++, 0) << "listed twice";
    Vector3 over = Vector3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_GE(each.corners[k], count);
      over += each.shares[k] * garment_.positions.row(each.corners[k]).transpose();
      beneath = std::max(beneath, layers_.beneath()[std::size_t(each.corners[k])]);
    }
    if (each.share < 1) continue;
    const Vector3 way = over - garment_.positions.row(each.vertex).transpose();
    EXPECT_NEAR(way.norm(), kGap * kLong, 0.1 * kGap * kLong);
    EXPECT_LT(std::abs(way[0]), 0.1 * kGap * kLong);
  }
  // Near the openings one sees out between the two.
  for (std::int32_t v = 0; v < count; ++v) {
    if (std::abs(garment_.positions(v, 0) - kLong / 2) > kLong / 3) continue;
    EXPECT_EQ(found[std::size_t(v)], 1) << v;
  }
  EXPECT_DOUBLE_EQ(beneath, kClearance * kLong);
  EXPECT_EQ(std::ranges::max(std::span(layers_.beneath()).first(count)), 0);
}

TEST_F(LayersOfTubes, nothing_covers_what_is_alone_or_far_away) {
  EXPECT_TRUE(layers_of(tubes({1})).covered().empty());
  EXPECT_TRUE(layers_of(tubes({1, 1 + 1.2 * kCovering * kLong})).covered().empty());
  const Array3 flat = [] {
    Array3 out(25, 3);
    for (std::int32_t v = 0; v < 25; ++v) out.row(v) << v % 5, v / 5, 0;
    return out;
  }();
  EXPECT_TRUE(layers_of({std::make_shared<const Mesh>(shapes::grid(4, 4), 25), flat}).covered().empty());
}

TEST_F(LayersOfTubes, of_what_goes_through_another_only_what_is_within_it_is_covered) {
  Garment crossed = tubes({1, 1});
  constexpr Eigen::Index count = kAcross * (kAlong + 1);
  crossed.positions.bottomRows(count).col(0).array() -= kLong / 2;
  crossed.positions.bottomRows(count).col(0).swap(crossed.positions.bottomRows(count).col(1));
  crossed.positions.bottomRows(count).col(0).array() += kLong / 2;
  const Layers layers = layers_of(crossed);
  int covered = 0;
  for (const Covered& each : layers.covered()) {
    if (each.share < 1) continue;
    ++covered;
    Vector3 place = crossed.positions.row(each.vertex).transpose() - Vector3(kLong / 2, 0, 0);
    place[each.vertex < count ? 1 : 0] = 0;
    EXPECT_LE(place.norm(), 1 + 1e-9) << each.vertex;
  }
  EXPECT_LT(covered, count / 10);
}

TEST_F(LayersOfTubes, what_would_come_through_is_kept_as_far_as_needed) {
  const double gap = kGap * kLong;
  const double clearance = kClearance * kLong;
  for (const double moved : {-1.5 * gap, -0.8 * gap, 0.0, 0.5 * gap}) {
    const Array3 before = with_radius(garment_, 1, 1 + gap + moved);
    Array3 x = before;
    layers_.keep(garment_.positions, x);
    for (const Covered& each : layers_.covered()) {
      if (each.share < 1) continue;
      // Facets lie within the circle by less than 0.3 %.
      const double expected = std::min(1.0, 1 + gap + moved - clearance);
      EXPECT_NEAR(radius_of(x, each.vertex), expected, 0.003) << moved;
    }
    constexpr Eigen::Index count = kAcross * (kAlong + 1);
    EXPECT_EQ(x.bottomRows(count), before.bottomRows(count)) << "what covers was moved";
  }
}

TEST_F(LayersOfTubes, where_the_guide_is_nearer_it_stays_as_near_and_where_it_crosses_it_crosses) {
  for (const double within : {0.25, -0.5}) {
    // The guide's own distance is less than the clearance, or below 0; the jacket goes in by two gaps.
    const double gap = within * kClearance * kLong;
    const Array3 guide = with_radius(garment_, 1, 1 + gap);
    Array3 x = with_radius(garment_, 1, 1 + gap - 2 * kGap * kLong);
    layers_.keep(guide, x);
    for (const Covered& each : layers_.covered()) {
      if (each.share < 1) continue;
      EXPECT_NEAR(radius_of(x, each.vertex), 1 - 2 * kGap * kLong, 0.003);
    }
  }
}

TEST_F(LayersOfTubes, beside_what_is_covered_it_fades_out) {
  Array3 x = with_radius(garment_, 1, 1);
  layers_.keep(garment_.positions, x);
  std::vector<double> moved(std::size_t(kAlong + 1), 0);
  for (std::int32_t v = 0; v < kAcross * (kAlong + 1); ++v) moved[std::size_t(v / kAcross)] = 1 - radius_of(x, v);
  const double whole = moved[kAlong / 2];
  EXPECT_NEAR(whole, kClearance * kLong, 0.003);
  for (std::size_t k = 1; k <= kAlong / 2; ++k) EXPECT_GE(moved[k], moved[k - 1] - 0.003) << k;
  EXPECT_TRUE(std::ranges::any_of(layers_.covered(),
                                  [](const Covered& each) { return each.share > 0.05 && each.share < 0.95; }));
}

TEST_F(LayersOfTubes, a_lining_is_the_other_side_and_goes_along) {
  const double thick = 0.5 * kThickest * kLong;
  const Garment lined = tubes({-(1 - thick), 1});
  const Layers layers = layers_of(lined);
  constexpr std::int32_t count = kAcross * (kAlong + 1);
  ASSERT_GT(layers.covered().size(), std::size_t(count) / 2);
  Array3 x = with_radius(lined, 1, 1.1);
  layers.keep(lined.positions, x);
  for (const Covered& each : layers.covered()) {
    EXPECT_TRUE(each.other_side);
    EXPECT_LT(each.vertex, count);
    EXPECT_NEAR(radius_of(x, each.vertex), 1.1 - thick, 0.003);
  }
  // All of it has to have room between the body and the jacket.
  EXPECT_NEAR(std::ranges::max(layers.beneath()), thick, 0.003);
  // A shirt within is covered by the jacket, not by its lining.
  const Layers three = layers_of(tubes({1 - thick - 0.05, -(1 - thick), 1}));
  std::int64_t shirt = 0;
  for (const Covered& each : three.covered()) {
    if (each.vertex >= count || each.share < 1) continue;
    ++shirt;
    for (const std::int32_t corner : each.corners) EXPECT_GE(corner, 2 * count);
  }
  EXPECT_GT(shirt, count / 2);
}

TEST_F(LayersOfTubes, what_is_pinned_stays) {
  std::vector<std::uint8_t> pinned(std::size_t(garment_.positions.rows()), 0);
  std::fill_n(pinned.begin(), kAcross * (kAlong / 2), std::uint8_t{1});
  const Layers layers = layers_of(garment_, pinned);
  ASSERT_FALSE(layers.covered().empty());
  for (const Covered& each : layers.covered()) EXPECT_EQ(pinned[std::size_t(each.vertex)], 0);
}

TEST_F(LayersOfTubes, refuses_what_does_not_fit) {
  const Levels levels(garment_.mesh, 0);
  const Lengths lengths = lengths_of(levels, garment_.positions, {});
  const Array3 few = garment_.positions.topRows(3);
  EXPECT_THROW(Layers(levels, few, lengths, {}, 0.1), InvalidArgument);
  EXPECT_THROW(Layers(levels, garment_.positions, {}, {}, 0.1), InvalidArgument);
  EXPECT_THROW(Layers(levels, garment_.positions, lengths, std::vector<std::uint8_t>(3), 0.1), InvalidArgument);
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(Layers(levels, garment_.positions, lengths, {}, bad), InvalidArgument);
}

TEST_F(LayersOfTubes, a_run_has_them_unless_it_is_told_not_to) {
  Params params;
  params.levels = 0;
  EXPECT_NE(Drape(garment_.mesh, garment_.positions, params).layers(), nullptr);
  const Garment alone = tubes({1});
  EXPECT_EQ(Drape(alone.mesh, alone.positions, params).layers(), nullptr);
  params.layers = false;
  EXPECT_EQ(Drape(garment_.mesh, garment_.positions, params).layers(), nullptr);
}

}  // namespace
}  // namespace pucker::drape
