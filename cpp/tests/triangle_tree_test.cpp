#include "pucker/mesh/triangle_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "shapes.h"

namespace pucker {
namespace {

/// A sheet of `side` × `side` quads whose vertices are thrown about, so that it goes through itself.
struct Crumpled {
  Index3 faces;
  Array3 positions;
  explicit Crumpled(std::int32_t side, std::uint64_t seed) : faces(shapes::grid(side, side)) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    positions.resize((side + 1) * (side + 1), 3);
    for (std::int32_t v = 0; v < positions.rows(); ++v) {
      const std::int32_t along = v / (side + 1);
      positions.row(v) << v % (side + 1) + normal(random), along + normal(random), normal(random);
    }
  }
};

/// The least of the squared distances to all triangles.
double least_square(const Crumpled& mesh, const Vector3& point) {
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index t = 0; t < mesh.faces.rows(); ++t) {
    const Vector3 a = mesh.positions.row(mesh.faces(t, 0));
    const Vector3 b = mesh.positions.row(mesh.faces(t, 1));
    const Vector3 c = mesh.positions.row(mesh.faces(t, 2));
    const Vector3 shares = nearest_on_triangle(point, a, b, c);
    least = std::min(least, (shares[0] * a + shares[1] * b + shares[2] * c - point).squaredNorm());
  }
  return least;
}

TEST(TriangleTree, finds_the_nearest_of_all_triangles_from_any_guess) {
  const Crumpled mesh(7, 5);
  const TriangleTree tree(mesh.faces, mesh.positions);
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> place(-3, 10);
  for (int trial = 0; trial < 200; ++trial) {
    Vector3 point(place(random), place(random), place(random) / 3);
    // On a vertex or an edge, where several triangles are equally near.
    if (trial % 5 == 0) point = mesh.positions.row(trial % mesh.positions.rows());
    if (trial % 5 == 1) point = (mesh.positions.row(trial % 56) + mesh.positions.row(trial % 56 + 1)).transpose() / 2;
    const NearestPoint found = tree.nearest(point, 100);
    EXPECT_DOUBLE_EQ(found.square, least_square(mesh, point));
    for (std::int32_t guess = 0; guess < mesh.faces.rows(); ++guess) {
      const NearestPoint guessed = tree.nearest(point, 100, guess);
      ASSERT_EQ(guessed.triangle, found.triangle) << "guess " << guess;
      ASSERT_EQ(guessed.barycentrics, found.barycentrics);
      ASSERT_EQ(guessed.square, found.square);
    }
  }
}

TEST(TriangleTree, is_visited_without_a_stack) {
  const Crumpled mesh(7, 5);
  const TriangleTree tree(mesh.faces, mesh.positions);
  const std::vector<std::int32_t>& order = tree.order();
  for (const std::int32_t leaf : {1, 4, 8, 1000}) {
    const std::vector<TreeVisit> visits = tree.visits(leaf);
    ASSERT_FALSE(visits.empty());
    EXPECT_EQ(visits[0].next, std::int32_t(visits.size()));
    std::vector<int> seen(order.size());
    for (std::size_t node = 0; node < visits.size(); ++node) {
      const TreeVisit& visit = visits[node];
      EXPECT_GT(visit.next, std::int32_t(node));
      EXPECT_LE(visit.end - visit.first, std::max(4, leaf));
      for (std::int32_t k = visit.first; k < visit.end; ++k) ++seen[std::size_t(order[std::size_t(k)])];
      // Two children, one behind the other.
      if (visit.first == visit.end) {
        const TreeVisit& left = visits[node + 1];
        EXPECT_EQ(visits[std::size_t(left.next)].next, visit.next);
      } else {
        EXPECT_EQ(visit.next, std::int32_t(node) + 1);
      }
    }
    EXPECT_EQ(std::ranges::count(seen, 1), std::ptrdiff_t(seen.size()));
  }
  EXPECT_EQ(tree.visits(1000).size(), 1U);
  EXPECT_TRUE(TriangleTree(Index3(0, 3), mesh.positions).visits(8).empty());
}

TEST(TriangleTree, finds_nothing_beyond_the_distance_asked_for) {
  const Crumpled mesh(4, 2);
  const TriangleTree tree(mesh.faces, mesh.positions);
  const Vector3 point(2, 2, 9);
  const double distance = std::sqrt(least_square(mesh, point));
  EXPECT_EQ(tree.nearest(point, 0.999 * distance).triangle, -1);
  EXPECT_EQ(tree.nearest(point, 0.999 * distance, 3).triangle, -1);
  EXPECT_GE(tree.nearest(point, 1.001 * distance).triangle, 0);
}

TEST(TriangleTree, follows_positions_that_move) {
  Crumpled mesh(5, 3);
  TriangleTree tree(mesh.faces, mesh.positions);
  mesh.positions.col(2) *= -4;
  tree.refit(mesh.positions);
  const Vector3 point(1, 3, -2);
  EXPECT_DOUBLE_EQ(tree.nearest(point, 100).square, least_square(mesh, point));
}

TEST(TriangleTree, finds_the_first_triangle_that_a_way_enters_from_the_front) {
  const Crumpled mesh(12, 5);
  const TriangleTree tree(mesh.faces, mesh.positions);
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  int met = 0;
  for (int k = 0; k < 500; ++k) {
    const Vector3 origin = Vector3(6, 6, 0) + 4 * Vector3(normal(random), normal(random), normal(random));
    const Vector3 ray = Vector3(normal(random), normal(random), normal(random)).normalized();
    constexpr double to = 4;
    // By Cramer's rule: origin + s ray = a + u (b - a) + v (c - a).
    double first = to;
    std::int32_t triangle = -1;
    for (std::int32_t t = 0; t < mesh.faces.rows(); ++t) {
      const Vector3 a = mesh.positions.row(mesh.faces(t, 0));
      Eigen::Matrix3d columns;
      columns << mesh.positions.row(mesh.faces(t, 1)).transpose() - a,
          mesh.positions.row(mesh.faces(t, 2)).transpose() - a, -ray;
      const Vector3 found = columns.fullPivLu().solve(origin - a);
      const bool front = columns.col(0).cross(columns.col(1)).dot(ray) < 0;
      if (!front || found[0] < 0 || found[1] < 0 || found[0] + found[1] > 1 || found[2] < 0 || found[2] > first)
        continue;
      first = found[2];
      triangle = t;
    }
    const RayHit hit = tree.first_entered(origin, ray, to);
    EXPECT_EQ(hit.triangle, triangle);
    if (triangle < 0) continue;
    ++met;
    EXPECT_NEAR(hit.distance, first, 1e-9);
    EXPECT_LT(hit.cosine, 0);
  }
  EXPECT_GT(met, 70);
  EXPECT_LT(met, 490);
}

}  // namespace
}  // namespace pucker
