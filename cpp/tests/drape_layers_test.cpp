#include "pucker/drape/layers.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "layer_shapes.h"
#include "pucker/drape/drape.h"
#include "pucker/errors.h"
#include "pucker/mesh/cover.h"
#include "pucker/mesh/normals.h"

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
    const Levels levels(std::make_shared<const LoopSubdivision>(garment.mesh, 0));
    return {levels, garment.positions, lengths_of(levels, garment.positions, params), pinned, kClearance * kLong};
  }
  static Array3 with_radius(const Garment& garment, std::int32_t tube, double radius) {
    Array3 out = garment.positions;
    for (Eigen::Index v = tube * kTube; v < (tube + 1) * kTube; ++v) out.row(v).tail<2>() *= radius / radius_of(out, v);
    return out;
  }

  /// Keeps what is covered where it belongs.
  static void keep(const Garment& garment, const Layers& layers, const Array3& guide, Array3& x) {
    Array3 normals;
    RingNormals(*garment.mesh).step(guide, normals);
    layers.keep(guide, normals, x);
  }
  void keep(const Array3& guide, Array3& x) const { keep(garment_, layers_, guide, x); }

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
    keep(garment_.positions, x);
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
    keep(guide, x);
    for (const Covered& each : layers_.covered()) {
      if (each.share < 1) continue;
      EXPECT_NEAR(radius_of(x, each.vertex), 1 - 2 * kGap * kLong, 0.003);
    }
  }
}

TEST_F(LayersOfTubes, the_place_over_a_vertex_is_straight_over_it_wherever_it_has_slid) {
  // The shirt slides along by three and a half edges and turns by two thirds of one.
  constexpr double slid = 3.5 * kLong / kAlong;
  const Eigen::AngleAxisd turned(2.0 / 3 * 2 * std::numbers::pi / kAcross, Vector3::UnitX());
  Array3 guide = garment_.positions;
  for (Eigen::Index v = 0; v < kTube; ++v)
    guide.row(v) = (turned * Vector3(guide.row(v)) + Vector3(slid, 0, 0)).transpose();
  int inside = 0;
  for (const Covered& each : layers_.covered()) {
    const Place place = layers_.over(each, guide);
    Vector3 over = Vector3::Zero();
    for (int k = 0; k < 3; ++k)
      over += place.shares[k] * guide.row(garment_.mesh->faces()(place.triangle, k)).transpose();
    const Vector3 point = guide.row(each.vertex);
    EXPECT_GE(garment_.mesh->faces()(place.triangle, 0), kTube);
    if (point[0] > kLong) {
      EXPECT_NEAR(over[0], kLong, 1e-12) << "the border is the nearest";
      continue;
    }
    ++inside;
    // A facet is not at a right angle to the radius: by half an angle between two of them at most.
    EXPECT_NEAR(over[0], point[0], 1e-12);
    EXPECT_NEAR(over.tail<2>().normalized().dot(point.tail<2>().normalized()), 1, 1e-5);
  }
  EXPECT_GT(inside, kTube / 2);
}

TEST_F(LayersOfTubes, what_has_slid_stays_under_a_groove_that_is_over_it_now) {
  // The jacket is tied in the middle, by which the shirt comes through where it was not before.
  constexpr double slid = 4.0 * kLong / kAlong;
  Array3 guide = garment_.positions;
  guide.topRows(kTube).col(0).array() += slid;
  Array3 x = guide;
  const auto width = [](double along) { return 1 + kGap * kLong - 0.2 * std::exp(-std::pow(along - kLong / 2, 2)); };
  for (Eigen::Index v = kTube; v < 2 * kTube; ++v) x.row(v).tail<2>() *= width(x(v, 0)) / radius_of(x, v);
  keep(guide, x);
  int within = 0;
  for (const Covered& each : layers_.covered()) {
    const double along = x(each.vertex, 0);
    if (each.share < 1 || along > kLong) continue;
    // Facets and chords lie within the curves by less than 0.006.
    EXPECT_LT(radius_of(x, each.vertex), width(along) - kClearance * kLong + 0.006) << along;
    within += radius_of(x, each.vertex) < 0.9 ? 1 : 0;
  }
  EXPECT_GT(within, kAcross);
}

TEST_F(LayersOfTubes, what_slides_under_folds_does_not_come_through_their_flanks) {
  // The jacket is folded round about, two gaps high and an eighth of the way round long; the shirt slides under it.
  const double gap = kGap * kLong;
  Array3 folded = garment_.positions;
  const auto width = [&](const Array3& at, Eigen::Index v) {
    return 1 + 2 * gap + gap * std::sin(8 * std::atan2(at(v, 2), at(v, 1)));
  };
  for (Eigen::Index v = kTube; v < 2 * kTube; ++v) folded.row(v).tail<2>() *= width(folded, v) / radius_of(folded, v);
  for (const double turn : {0.05, 0.1, 0.2, 0.3}) {
    Array3 x = folded;
    const Eigen::AngleAxisd turned(turn, Vector3::UnitX());
    for (Eigen::Index v = 0; v < kTube; ++v) {
      x.row(v) = (turned * Vector3(x.row(v))).transpose();
      x.row(v).tail<2>() *= 1 + 1.5 * gap;
    }
    keep(garment_.positions, x);
    for (const Covered& each : layers_.covered()) {
      if (each.share < 1) continue;
      EXPECT_LT(radius_of(x, each.vertex), width(x, each.vertex)) << turn;
    }
  }
}

TEST_F(LayersOfTubes, beside_what_is_covered_it_fades_out) {
  Array3 x = with_radius(garment_, 1, 1);
  keep(garment_.positions, x);
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
  keep(lined, layers, lined.positions, x);
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
  const Levels levels(std::make_shared<const LoopSubdivision>(garment_.mesh, 0));
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
