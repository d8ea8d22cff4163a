#include "pucker/drape/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "layer_shapes.h"
#include "pucker/drape/drape.h"
#include "pucker/errors.h"
#include "pucker/mesh/cover.h"

namespace pucker::drape {
namespace {

using shapes::Garment;
using shapes::kAcross;
using shapes::kAlong;
using shapes::kLong;
using shapes::kTube;
using shapes::tubes;

/// Shares of the extent, which is the tubes' length.
constexpr double kGap = 0.01;
constexpr double kClearance = 0.004;

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
    for (Eigen::Index v = tube * kTube; v < (tube + 1) * kTube; ++v) out.row(v).tail<2>() *= radius / radius_of(out, v);
    return out;
  }

  /// A shirt in a jacket.
  Garment garment_ = tubes({1, 1 + kGap* kLong});
  Layers layers_ = layers_of(garment_);
};

TEST_F(LayersOfTubes, what_covers_keeps_room_for_what_lies_beneath) {
  EXPECT_DOUBLE_EQ(std::ranges::max(layers_.beneath()), kClearance * kLong);
  EXPECT_EQ(std::ranges::max(std::span(layers_.beneath()).first(kTube)), 0);
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
    EXPECT_EQ(x.bottomRows(kTube), before.bottomRows(kTube)) << "what covers was moved";
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
  for (std::int32_t v = 0; v < kTube; ++v) moved[std::size_t(v / kAcross)] = 1 - radius_of(x, v);
  const double whole = moved[kAlong / 2];
  EXPECT_NEAR(whole, kClearance * kLong, 0.003);
  for (std::size_t k = 1; k <= kAlong / 2; ++k) EXPECT_GE(moved[k], moved[k - 1] - 0.003) << k;
  EXPECT_TRUE(std::ranges::any_of(layers_.covered(),
                                  [](const Covered& each) { return each.share > 0.05 && each.share < 0.95; }));
}

TEST_F(LayersOfTubes, beside_a_seam_of_the_outer_layer_it_fades_out_up_to_there) {
  // A shirt that is sewn into the jacket half way up, by a ledge that leads inwards: three sheets meet there.
  constexpr std::int32_t seam = kAlong / 2;
  Index3 faces = garment_.mesh->faces();
  Array3 positions = garment_.positions;
  for (std::int32_t v = 0; v < kTube; ++v) {
    const std::int32_t ring = v / kAcross;
    positions(v, 0) = kLong / 2 * (1 + double(std::max(ring - 2, 0)) / (kAlong - 2));
    if (ring == 1) positions.row(v).tail<2>() *= 1 + kGap * kLong / 2;
  }
  // No triangle at the seam covers anything: the next ring of the jacket is near it.
  for (std::int32_t v = 0; v < kAcross; ++v) positions(kTube + (seam + 1) * kAcross + v, 0) = kLong / 2 + 0.01;
  for (std::int32_t& v : faces.reshaped())
    if (v < kAcross) v += kTube + seam * kAcross;
  const Garment sewn{std::make_shared<const Mesh>(faces, positions.rows()), positions};
  const Layers layers = layers_of(sewn);
  int beside = 0;
  for (const Covered& each : layers.covered()) {
    EXPECT_LT(each.vertex, kTube) << "the jacket goes along with itself, by " << each.share;
    beside += each.share < 1 ? 1 : 0;
  }
  EXPECT_GT(beside, 0);
}

TEST_F(LayersOfTubes, a_lining_is_the_other_side_and_goes_along) {
  const double thick = 0.5 * kThickest * kLong;
  const Garment lined = tubes({-(1 - thick), 1});
  const Layers layers = layers_of(lined);
  ASSERT_GT(layers.covered().size(), std::size_t(kTube) / 2);
  Array3 x = with_radius(lined, 1, 1.1);
  layers.keep(lined.positions, x);
  for (const Covered& each : layers.covered()) {
    EXPECT_TRUE(each.other_side);
    EXPECT_LT(each.vertex, kTube);
    EXPECT_NEAR(radius_of(x, each.vertex), 1.1 - thick, 0.003);
  }
  // All of it has to have room between the body and the jacket.
  EXPECT_NEAR(std::ranges::max(layers.beneath()), thick, 0.003);
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
