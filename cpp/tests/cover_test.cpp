#include "pucker/mesh/cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "layer_shapes.h"
#include "pucker/dynamic/border.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/errors.h"
#include "pucker/mesh/border.h"
#include "pucker/mesh/edge_ways.h"
#include "shapes.h"

namespace pucker {
namespace {

using shapes::Garment;
using shapes::kLong;
using shapes::kTube;
using shapes::tubes;

constexpr double kGap = 0.01 * kLong;

std::vector<Cover> covers_of(const Garment& garment) { return covers(*garment.mesh, garment.positions); }

TEST(Cover, what_lies_within_another_is_covered_by_it) {
  const Garment garment = tubes({1, 1 + kGap});
  std::vector<int> found(2 * kTube, 0);
  for (const Cover& each : covers_of(garment)) {
    EXPECT_LT(each.vertex, kTube);
    EXPECT_FALSE(each.other_side);
    ++found[std::size_t(each.vertex)];
    Vector3 over = Vector3::Zero();
    for (int k = 0; k < 3; ++k) {
      const std::int32_t corner = garment.mesh->faces()(each.triangle, k);
      EXPECT_GE(corner, kTube);
      over += each.shares[k] * garment.positions.row(corner).transpose();
    }
    const Vector3 way = over - garment.positions.row(each.vertex).transpose();
    EXPECT_NEAR(way.norm(), each.distance, 1e-9);
    EXPECT_NEAR(each.distance, kGap, 0.1 * kGap);
    EXPECT_LT(std::abs(way[0]), 0.1 * kGap);
  }
  // Near the openings one sees out between the two.
  for (std::int32_t v = 0; v < kTube; ++v) {
    if (std::abs(garment.positions(v, 0) - kLong / 2) > kLong / 3) continue;
    EXPECT_EQ(found[std::size_t(v)], 1) << v;
  }
}

TEST(Cover, nothing_covers_what_is_alone_or_far_away) {
  EXPECT_TRUE(covers_of(tubes({1})).empty());
  EXPECT_TRUE(covers_of(tubes({1, 1 + 1.2 * kCovering * kLong})).empty());
  Array3 flat(25, 3);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) flat.row(5 * y + x) << x, y, 0;
  EXPECT_TRUE(covers(Mesh(shapes::grid(4, 4), 25), flat).empty());
  EXPECT_TRUE(covers(Mesh(Index3(0, 3), 2), Array3::Zero(2, 3)).empty());
}

TEST(Cover, of_what_goes_through_another_only_what_is_within_it_is_covered) {
  Garment crossed = tubes({1, 1});
  crossed.positions.bottomRows(kTube).col(0).array() -= kLong / 2;
  crossed.positions.bottomRows(kTube).col(0).swap(crossed.positions.bottomRows(kTube).col(1));
  crossed.positions.bottomRows(kTube).col(0).array() += kLong / 2;
  const std::vector<Cover> found = covers_of(crossed);
  for (const Cover& each : found) {
    Vector3 place = crossed.positions.row(each.vertex).transpose() - Vector3(kLong / 2, 0, 0);
    place[each.vertex < kTube ? 1 : 0] = 0;
    EXPECT_LE(place.norm(), 1 + 1e-9) << each.vertex;
  }
  EXPECT_LT(found.size(), std::size_t(kTube) / 10);
}

TEST(Cover, a_lining_is_the_other_side_and_what_is_under_it_lies_under_the_coat) {
  constexpr double thick = 0.5 * kThickest * kLong;
  int linings = 0;
  int shirts = 0;
  const Garment garment = tubes({1 - thick - kGap, -(1 - thick), 1});
  for (const Cover& each : covers_of(garment)) {
    for (const std::int32_t corner : garment.mesh->faces().row(each.triangle)) EXPECT_GE(corner, 2 * kTube);
    EXPECT_EQ(each.other_side, each.vertex >= kTube);
    ++(each.other_side ? linings : shirts);
  }
  EXPECT_GT(linings, kTube / 2);
  EXPECT_GT(shirts, kTube / 2);
}

TEST(Cover, what_is_left_out_is_not_covered_and_what_does_not_fit_is_refused) {
  const Garment garment = tubes({1, 1 + kGap});
  std::vector<std::uint8_t> left_out(2 * kTube, 0);
  std::fill_n(left_out.begin(), kTube / 2, std::uint8_t{1});
  const std::vector<Cover> found = covers(*garment.mesh, garment.positions, left_out);
  EXPECT_FALSE(found.empty());
  for (const Cover& each : found) EXPECT_EQ(left_out[std::size_t(each.vertex)], 0);
  left_out.pop_back();
  EXPECT_THROW((void)covers(*garment.mesh, garment.positions, left_out), InvalidArgument);
  const Array3 few = garment.positions.topRows(3);
  EXPECT_THROW((void)covers(*garment.mesh, few), InvalidArgument);
  EXPECT_THROW((void)border_distances(*garment.mesh, few, {}), InvalidArgument);
  EXPECT_THROW(SharedBorder(garment.mesh, {}, few), InvalidArgument);
  EXPECT_THROW(Wrinkler(garment.mesh, Params{}, {.rest = few, .shared = {}}), InvalidArgument);
}

TEST(Cover, heights_fade_towards_it_as_towards_a_border) {
  const Garment garment = tubes({1, 1 + kGap});
  const std::vector<double> distances = border_distances(*garment.mesh, garment.positions, {});
  std::vector<std::int32_t> covered;
  for (const Cover& each : covers_of(garment)) covered.push_back(each.vertex);
  const std::vector<double> ways = EdgeWays::in(*garment.mesh, garment.positions).from(covered);
  for (std::size_t v = 0; v < kTube; ++v) EXPECT_EQ(distances[v], 2 * ways[v]) << v;
  // With a border that is shared, the nearer of the two counts.
  const std::vector<double> both = border_distances(*garment.mesh, garment.positions, std::vector<std::int32_t>{0});
  EXPECT_EQ(both[0], 0);
  for (std::size_t v = 0; v < kTube; ++v) EXPECT_LE(both[v], distances[v]);
  const double farthest = std::ranges::max(std::span(distances).first(kTube));
  EXPECT_GT(farthest, 0);
  EXPECT_LT(farthest, kLong / 4);
  for (std::size_t v = kTube; v < distances.size(); ++v) EXPECT_TRUE(std::isinf(distances[v]));
  EXPECT_EQ(border_share(0, 1), 0);
  EXPECT_EQ(border_share(0.5, 1), 0.5);
  EXPECT_EQ(border_share(2, 1), 1);
  EXPECT_EQ(border_share(0, 0), 1);
}

}  // namespace
}  // namespace pucker
