#include "pucker/mesh/weld.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>

#include "pucker/errors.h"
#include "pucker/types.h"

namespace pucker {
namespace {

using Partition = std::vector<std::int32_t>;

struct Points {
  std::int64_t vertices;
  std::vector<double> positions;  // frames × vertices × 3
};

Eigen::Map<const Array3> frame_of(const Points& points, std::int64_t frame) {
  return {points.positions.data() + 3 * frame * points.vertices, points.vertices, 3};
}

std::int64_t frame_count(const Points& points) { return std::int64_t(points.positions.size()) / 3 / points.vertices; }

bool together(const Points& points, std::int64_t a, std::int64_t b, double tolerance) {
  for (std::int64_t frame = 0; frame < frame_count(points); ++frame) {
    const auto at = frame_of(points, frame);
    const double diagonal = (at.colwise().maxCoeff() - at.colwise().minCoeff()).norm();
    if ((at.row(a) - at.row(b)).norm() > tolerance * diagonal) return false;
  }
  return true;
}

// All pairs, spread until nothing changes: every vertex ends with the smallest vertex of its group.
Partition groups_by_brute_force(const Points& points, double tolerance) {
  Partition group(std::size_t(points.vertices));
  std::iota(group.begin(), group.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < group.size(); ++a)
      for (std::size_t b = 0; b < group.size(); ++b)
        if (group[b] < group[a] && together(points, std::int64_t(a), std::int64_t(b), tolerance)) {
          group[a] = group[b];
          changed = true;
        }
  }
  return group;
}

Partition groups(const Weld& weld) {
  Partition group;
  for (const std::int32_t welded : weld.welded) group.push_back(weld.representatives[std::size_t(welded)]);
  return group;
}

// Vertices on a lattice, most of them several times, with copies that are pulled apart in the second frame.
Points lattice(std::mt19937& random, double scale, double jitter) {
  constexpr std::int64_t count = 120;
  std::uniform_int_distribution<int> corner(0, 3);
  std::uniform_real_distribution<double> shift(-jitter, jitter);
  std::bernoulli_distribution apart(0.2);
  Points points{count, {}};
  for (std::int64_t k = 0; k < 3 * count; ++k) points.positions.push_back(scale * (corner(random) + shift(random)));
  for (std::int64_t k = 0; k < 3 * count; ++k)
    points.positions.push_back(-2.0 * points.positions[std::size_t(k)] + (apart(random) ? scale : 0.0));
  return points;
}

TEST(Weld, AgreesWithAllPairsAtAnyScale) {
  std::mt19937 random(7);
  for (const double scale : {1e-8, 1.0, 1e8})
    for (const double jitter : {0.0, 1e-9, 1e-6, 3e-2})
      for (const double tolerance : {0.0, 1e-6, 1e-2}) {
        const Points points = lattice(random, scale, jitter);
        EXPECT_EQ(groups(weld(points.positions, points.vertices, tolerance)), groups_by_brute_force(points, tolerance))
            << "scale " << scale << ", jitter " << jitter << ", tolerance " << tolerance;
      }
}

TEST(TogetherSearch, FindsFrameByFrameWhatIsWelded) {
  std::mt19937 random(11);
  for (const double jitter : {0.0, 1e-6, 3e-2})
    for (const double tolerance : {0.0, 1e-6, 1e-2}) {
      const Points points = lattice(random, 1.0, jitter);
      const std::span<const double> all = points.positions;
      const std::size_t frame = all.size() / 2;
      auto search = TogetherSearch::of(all.first(frame), points.vertices, 0, 100'000, tolerance);
      ASSERT_TRUE(search);
      search->offer(all.last(frame));
      const Weld found = search->weld();
      const Weld expected = weld(all, points.vertices, tolerance);
      EXPECT_EQ(found.welded, expected.welded) << "jitter " << jitter << ", tolerance " << tolerance;
      EXPECT_EQ(found.representatives, expected.representatives);
    }
}

TEST(TogetherSearch, LooksAcrossTheSplitOnly) {
  const std::vector<double> first{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0};
  auto search = TogetherSearch::of(first, 5, 3, 10);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->pairs(), (std::vector<std::pair<std::int32_t, std::int32_t>>{{3, 0}, {3, 1}, {4, 2}}));
  std::vector<double> second = first;
  second[14] = 1;
  search->offer(second);
  EXPECT_EQ(search->pairs(), (std::vector<std::pair<std::int32_t, std::int32_t>>{{3, 0}, {3, 1}}));
}

TEST(TogetherSearch, IsNoneOfMorePairsThanMayBe) {
  const std::vector<double> point(30, 1.0);
  EXPECT_TRUE(TogetherSearch::of(point, 10, 0, 45));
  EXPECT_FALSE(TogetherSearch::of(point, 10, 0, 44));
}

TEST(Weld, FindsNeighboursAcrossEveryCellBorder) {
  // Pairs a little closer than the tolerance, walking in steps much finer than a cell past many borders.
  constexpr double tolerance = 1e-3;
  for (int step = 0; step < 400; ++step) {
    const double x = 0.1 + step * 1.7e-5;
    const double gap = 0.999 * tolerance / std::sqrt(3.0);
    Points points{4, {0, 0, 0, 1, 0, 0, x, x, x, x + gap, x + gap, x + gap}};
    EXPECT_EQ(groups(weld(points.positions, 4, tolerance)), (Partition{0, 1, 2, 2})) << "x = " << x;
  }
}

TEST(Weld, KeepsApartWhatIsJustPastTheTolerance) {
  const std::vector<double> positions{0, 0, 0, 1, 0, 0, 0.5, 0, 0, 0.5 + 1.001e-6, 0, 0};
  EXPECT_EQ(weld(positions, 4).representatives.size(), 4U);
}

TEST(Weld, KeepsApartWhatCoincidesInOneFrameOnly) {
  const std::vector<double> positions{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0};
  EXPECT_EQ(weld(positions, 3).representatives.size(), 3U);
}

TEST(Weld, IsTransitive) {
  const std::vector<double> positions{0, 0, 0, 1, 0, 0, 0.9e-6, 0, 0, 1.8e-6, 0, 0};
  EXPECT_EQ(groups(weld(positions, 4)), (Partition{0, 1, 0, 0}));
}

TEST(Weld, DoesNotDependOnTheOrderOfTheVertices) {
  std::mt19937 random(11);
  const Points points = lattice(random, 1.0, 1e-6);
  std::vector<std::int32_t> order(std::size_t(points.vertices));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  Points shuffled{points.vertices, {}};
  for (std::int64_t frame = 0; frame < frame_count(points); ++frame)
    for (const std::int32_t vertex : order)
      for (int axis = 0; axis < 3; ++axis) shuffled.positions.push_back(frame_of(points, frame)(vertex, axis));

  const Weld plain = weld(points.positions, points.vertices);
  const Weld mixed = weld(shuffled.positions, points.vertices);
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = 0; b < order.size(); ++b)
      EXPECT_EQ(mixed.welded[a] == mixed.welded[b],
                plain.welded[std::size_t(order[a])] == plain.welded[std::size_t(order[b])]);
}

TEST(Weld, NumbersVerticesInTheOrderOfTheirFirstStoredOne) {
  std::mt19937 random(3);
  const Points points = lattice(random, 1.0, 0.0);
  const Weld result = weld(points.positions, points.vertices);
  EXPECT_TRUE(std::ranges::is_sorted(result.representatives));
  EXPECT_LT(result.representatives.size(), std::size_t(points.vertices));
  for (std::size_t k = 0; k < result.representatives.size(); ++k) {
    const auto first = std::ranges::find(result.welded, std::int32_t(k));
    EXPECT_EQ(first - result.welded.begin(), result.representatives[k]);
  }
}

TEST(Weld, MakesOneVertexOfAPointWithoutExtent) {
  EXPECT_EQ(weld(std::vector<double>(9, 5.0), 3).representatives, (std::vector<std::int32_t>{0}));
}

TEST(Weld, ToleranceZeroWeldsEqualPositionsOnly) {
  const double next = std::nextafter(0.5, 1.0);
  const std::vector<double> positions{0.0, 0, 0, 1, 0, 0, 0.5, 0, 0, next, 0, 0, 0.5, -0.0, 0};
  EXPECT_EQ(groups(weld(positions, 5, 0.0)), (Partition{0, 1, 2, 3, 2}));
}

TEST(Weld, RefusesWhatItCannotWeld) {
  const std::vector<double> good(6, 0.0);
  EXPECT_THROW(weld(good, 0), InvalidArgument);
  EXPECT_THROW(weld({}, 2), InvalidArgument);
  EXPECT_THROW(weld(std::vector<double>(7, 0.0), 2), InvalidArgument);
  EXPECT_THROW(weld(good, 2, -1e-9), InvalidArgument);
  EXPECT_THROW(weld(good, 2, 1.0), InvalidArgument);
  EXPECT_THROW(weld(good, 2, std::numeric_limits<double>::quiet_NaN()), InvalidArgument);
}

TEST(Weld, NamesTheFrameAndVertexThatAreNotFinite) {
  std::vector<double> positions(12, 0.0);
  positions[9] = std::numeric_limits<double>::infinity();
  try {
    weld(positions, 2);
    FAIL() << "an infinite position was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("frame 1, vertex 1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pucker
