#include "pucker/mesh/near_triangles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "shapes.h"

namespace pucker {
namespace {

/// A sheet that goes through itself, far from the origin, and a tree of it.
struct Crumpled {
  Index3 faces = shapes::grid(9, 9);
  Array3 positions{100, 3};
  TriangleTree tree;
  NearTriangles facets;
  std::mt19937_64 random{11};

  explicit Crumpled(double unit = 1, double away = 40) {
    std::normal_distribution<double> normal;
    for (std::int32_t v = 0; v < positions.rows(); ++v) {
      const std::int32_t row = v / 10;
      positions.row(v) << v % 10 + normal(random) / 2, row + normal(random) / 2, away + normal(random);
    }
    // A triangle without an area, and one without a length.
    positions.row(5) = (positions.row(4) + positions.row(14)) / 2;
    positions.row(15) = positions.row(14);
    positions *= unit;
    tree = TriangleTree(faces, positions);
    facets.refit(tree);
  }
  Vector3 middle() const { return positions.colwise().mean().transpose(); }
  Vector3 anywhere(double spread) {
    std::normal_distribution<double> normal(0, spread);
    return middle() + Vector3(normal(random), normal(random), normal(random));
  }
};

void expect_same(const NearestPoint& found, const NearestPoint& expected) {
  ASSERT_EQ(found.triangle, expected.triangle);
  EXPECT_EQ(found.square, expected.square);
  EXPECT_EQ(found.place, expected.place);
  EXPECT_EQ(found.barycentrics, expected.barycentrics);
}

TEST(NearTriangles, finds_what_the_tree_finds) {
  for (const double unit : {1.0, 1e-25, 1e25}) {
    Crumpled mesh(unit);
    int told = 0;
    for (int trial = 0; trial < 300; ++trial) {
      NearTriangles::Points points(mesh.facets, mesh.tree);
      const Vector3 middle = mesh.anywhere(3 * unit);
      std::vector<Vector3> asked;
      for (std::size_t k = 0; k < NearTriangles::kPoints; ++k) {
        asked.emplace_back(middle + 0.05 * (mesh.anywhere(unit) - mesh.middle()));
        // On a vertex or an edge, where several triangles are equally near.
        const auto row = Eigen::Index((trial + 7 * int(k)) % 90);
        if (k == 1 && trial % 2 == 0) asked[k] = mesh.positions.row(row);
        if (k == 2 && trial % 3 == 0)
          asked[k] = (mesh.positions.row(row) + mesh.positions.row(row + 10)).transpose() / 2;
        // None, any one, or the nearest.
        std::int32_t guess = -1;
        if (trial % 4 == 0) guess = trial % 162;
        if (trial % 4 > 1) guess = mesh.tree.nearest(asked[k], 20 * unit).triangle;
        points.add(asked[k], 20 * unit, guess);
      }
      NearTriangles::List list;
      points.look_around(trial % 5 * 0.02 * unit, list);
      told += list.radius < 0 ? 0 : 1;
      for (std::size_t k = 0; k < asked.size(); ++k)
        expect_same(points.nearest(k, list), mesh.tree.nearest(asked[k], 20 * unit));
    }
    EXPECT_GT(told, 50);
    EXPECT_LT(told, 300) << "some have too many around them";
  }
}

TEST(NearTriangles, a_list_serves_points_that_moved) {
  Crumpled mesh;
  int listed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3 middle = mesh.anywhere(3);
    const auto add = [&](NearTriangles::Points& points, double moved) {
      std::vector<Vector3> asked;
      for (std::size_t k = 0; k < NearTriangles::kPoints; ++k) {
        const std::size_t row = k / 2;
        asked.emplace_back(middle + Vector3(0.1 * double(k % 2), 0.1 * double(row) + moved, 0.05 * double(k % 3)));
        points.add(asked[k], 2, mesh.tree.nearest(asked[k], 20).triangle);
      }
      return asked;
    };
    NearTriangles::List list;
    NearTriangles::Points first(mesh.facets, mesh.tree);
    add(first, 0);
    first.look_around(0.1, list);
    listed += list.radius < 0 ? 0 : 1;
    // Some by less than the list goes beyond, some by more.
    NearTriangles::Points then(mesh.facets, mesh.tree);
    const std::vector<Vector3> asked = add(then, 0.01 * trial);
    then.look(list);
    for (std::size_t k = 0; k < asked.size(); ++k) expect_same(then.nearest(k, list), mesh.tree.nearest(asked[k], 2));
  }
  EXPECT_GT(listed, 100);
}

TEST(NearTriangles, does_not_count_what_is_too_far) {
  Crumpled mesh;
  const Vector3 point = mesh.middle() + Vector3(0, 0, 9);
  const NearestPoint nearest = mesh.tree.nearest(point, 100);
  const double distance = std::sqrt(nearest.square);
  NearTriangles::Points points(mesh.facets, mesh.tree);
  for (const double share : {0.999, 1.001}) points.add(point, share * distance, nearest.triangle);
  NearTriangles::List list;
  points.look_around(0, list);
  EXPECT_GE(list.count, 1U);
  EXPECT_EQ(points.nearest(0, list).triangle, -1);
  EXPECT_EQ(points.nearest(0, list).square, 0.999 * distance * 0.999 * distance);
  EXPECT_EQ(points.nearest(1, list).triangle, nearest.triangle);
}

TEST(NearTriangles, tells_what_is_in_front_and_how_far) {
  // A roof whose ridge leads along y.
  Array3 positions(4, 3);
  positions << 0, 0, 1, 0, 4, 1, -3, 2, 0, 3, 2, 0;
  Index3 faces(2, 3);
  faces << 0, 1, 2, 1, 0, 3;
  const TriangleTree tree(faces, positions);
  NearTriangles facets;
  facets.refit(tree);
  const auto in_front = [&](double x, double z, double distance) {
    NearTriangles::Points points(facets, tree);
    points.add({x, 2, z}, 10);
    NearTriangles::List list;
    points.look_around(0, list);
    return points.in_front(0, distance, list);
  };
  EXPECT_TRUE(in_front(0, 3, 1.99));
  EXPECT_FALSE(in_front(0, 3, 2.01));
  EXPECT_FALSE(in_front(0, 1, -1)) << "on the ridge";
  EXPECT_FALSE(in_front(0, 0.5, -1)) << "below it";
  EXPECT_TRUE(in_front(2.5, 0.5, 0.1)) << "above the nearer side, below the plane of the other one";
  EXPECT_FALSE(in_front(-2.5, 0.1, -1)) << "below the nearer side";
  EXPECT_TRUE(in_front(0, 100, 1)) << "far from all";
}

TEST(NearTriangles, follows_a_tree_that_moves) {
  Crumpled mesh;
  mesh.positions.col(1) *= -30;
  mesh.tree.refit(mesh.positions);
  mesh.facets.refit(mesh.tree);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector3 point = mesh.anywhere(2);
    NearTriangles::Points points(mesh.facets, mesh.tree);
    points.add(point, 1e3, mesh.tree.nearest(point, 1e3).triangle);
    NearTriangles::List list;
    points.look_around(1e-3, list);
    expect_same(points.nearest(0, list), mesh.tree.nearest(point, 1e3));
  }
}

TEST(NearTriangles, nothing_is_near_where_nothing_is) {
  const TriangleTree tree(Index3(0, 3), Array3(0, 3));
  NearTriangles facets;
  facets.refit(tree);
  NearTriangles::Points points(facets, tree);
  points.add({1, 2, 3}, 4);
  NearTriangles::List list;
  points.look_around(0, list);
  EXPECT_EQ(list.count, 0U);
  EXPECT_EQ(points.nearest(0, list).triangle, -1);
}

TEST(NearTriangles, groups_are_of_points_near_each_other) {
  // Of a grid in any order, groups of 8 are blocks of 2 × 4 or 4 × 2.
  Array3 grid(256, 3);
  for (int k = 0; k < 256; ++k) {
    const int place = k * 37 % 256;
    const int row = place / 16;
    grid.row(k) << place % 16, row, 0;
  }
  const std::vector<std::int32_t> order = order_in_groups(grid, 8);
  std::vector<std::int32_t> sorted = order;
  std::ranges::sort(sorted);
  for (std::int32_t k = 0; k < 256; ++k) ASSERT_EQ(sorted[std::size_t(k)], k);
  for (std::size_t begin = 0; begin < 256; begin += 8) {
    Eigen::AlignedBox3d box;
    for (std::size_t k = begin; k < begin + 8; ++k) box.extend(grid.row(order[k]).transpose());
    EXPECT_EQ(box.sizes().sum(), 4);
  }
  for (const Eigen::Index count : {0, 1, 8, 9, 23})
    EXPECT_EQ(order_in_groups(grid.topRows(count), 8).size(), std::size_t(count));
  // Only the last group has fewer, as all others are taken from the front.
  const std::vector<std::int32_t> few = order_in_groups(grid.topRows(23), 8);
  Eigen::AlignedBox3d box;
  for (std::size_t k = 0; k < 8; ++k) box.extend(grid.row(few[k]).transpose());
  EXPECT_LT(box.volume() + box.sizes().sum(), 32);
}

TEST(TriangleTree, lists_all_triangles_around_a_point) {
  Crumpled mesh;
  for (int trial = 0; trial < 50; ++trial) {
    const Vector3 point = mesh.anywhere(4);
    const double radius = 0.1 * trial;
    std::array<std::int32_t, 200> found{};
    const std::size_t count = mesh.tree.around(point, radius, found);
    const auto end = found.begin() + std::ptrdiff_t(count);
    for (std::int32_t t = 0; t < mesh.faces.rows(); ++t) {
      NearestPoint best;
      mesh.tree.look(t, point, best);
      if (best.square <= radius * radius) {
        EXPECT_EQ(std::count(found.begin(), end, t), 1) << t;
      }
    }
    if (count == 0) continue;
    std::vector<std::int32_t> few(count - 1);
    EXPECT_EQ(mesh.tree.around(point, radius, few), count);
  }
}

}  // namespace
}  // namespace pucker
