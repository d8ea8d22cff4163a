#include "pucker/mesh/distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace pucker {
namespace {

struct Triangle {
  Vector3 a, b, c;
  Vector3 at(double u, double v) const { return (1 - u - v) * a + u * b + v * c; }
};

double distance_by_sampling(const Vector3& a, const Vector3& b, const Triangle& triangle) {
  double best = std::numeric_limits<double>::infinity();
  constexpr int steps = 60;
  for (int s = 0; s <= steps; ++s)
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; i + j <= steps; ++j)
        best = std::min(best,
                        (a + double(s) / steps * (b - a) - triangle.at(double(i) / steps, double(j) / steps)).norm());
  return best;
}

TEST(SegmentTriangleDistance, agrees_with_dense_sampling) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  const auto point = [&] { return Vector3(normal(random), normal(random), 0.5 * normal(random)); };
  for (int trial = 0; trial < 60; ++trial) {
    const Triangle triangle{point(), point(), point()};
    const Vector3 a = point();
    const Vector3 b = trial % 7 == 0 ? a : point();
    const double found = segment_triangle_distance(a, b, triangle.a, triangle.b, triangle.c);
    for (const double enough : {0.5 * found, found, 2 * found}) {
      const double rough = segment_triangle_distance(a, b, triangle.a, triangle.b, triangle.c, enough);
      EXPECT_GE(rough, found);
      EXPECT_LE(rough, std::max(found, enough));
    }
    const double sampled = distance_by_sampling(a, b, triangle);
    EXPECT_LE(found, sampled + 1e-12);
    EXPECT_NEAR(found, sampled, 0.15);
  }
}

TEST(SegmentTriangleDistance, of_known_places) {
  const Vector3 o(0, 0, 0);
  const Vector3 x(1, 0, 0);
  const Vector3 y(0, 1, 0);
  const auto distance = [&](const Vector3& a, const Vector3& b) { return segment_triangle_distance(a, b, o, x, y); };
  EXPECT_DOUBLE_EQ(distance({0.2, 0.2, 3}, {0.3, 0.3, 2}), 2) << "above the face";
  EXPECT_EQ(distance({0.2, 0.2, 3}, {0.2, 0.2, -1}), 0) << "through the face";
  EXPECT_DOUBLE_EQ(distance({0.5, -2, 1}, {0.5, -2, -1}), 2) << "beside an edge";
  EXPECT_DOUBLE_EQ(distance({-3, 0, 0}, {-2, 0, 0}), 2) << "before a corner";
  EXPECT_DOUBLE_EQ(distance({-1, 5, 0}, {5, 5, 0}), 4) << "along a far line";
  EXPECT_EQ(distance({-1, 0.2, 0}, {3, 0.2, 0}), 0) << "in the plane, across";
  EXPECT_DOUBLE_EQ(segment_triangle_distance({0, 0, 2}, {1, 0, 2}, o, o, o), 2) << "a triangle that is a point";
  EXPECT_DOUBLE_EQ(segment_triangle_distance({0, 1, 0}, {1, 1, 0}, o, x, 2 * x), 1) << "a triangle that is a line";
}

}  // namespace
}  // namespace pucker
