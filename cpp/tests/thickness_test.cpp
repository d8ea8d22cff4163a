#include "pucker/mesh/thickness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "pucker/errors.h"
#include "pucker/mesh/triangle_tree.h"
#include "shapes.h"

namespace pucker {
namespace {

constexpr std::int32_t kAcross = 24;
constexpr std::int32_t kAlong = 6;
constexpr double kInf = std::numeric_limits<double>::infinity();

/// An open tube about the y axis whose normals point outwards.
Array3 tube_of(double radius) {
  Array3 positions(kAcross * (kAlong + 1), 3);
  for (std::int32_t y = 0; y <= kAlong; ++y)
    for (std::int32_t x = 0; x < kAcross; ++x) {
      const double angle = 2 * std::numbers::pi * x / kAcross;
      positions.row(y * kAcross + x) << radius * std::cos(angle), 0.1 * y, radius * -std::sin(angle);
    }
  return positions;
}

TEST(Thickness, of_a_tube_is_its_diameter) {
  const Mesh mesh(shapes::cylinder(kAcross, kAlong), kAcross * (kAlong + 1));
  for (const double depth : thickness(mesh, tube_of(0.1))) EXPECT_NEAR(depth, 0.2, 0.02);
}

TEST(Thickness, of_a_sheet_is_infinite) {
  const Mesh mesh(shapes::grid(3, 2), 12);
  Array3 positions(12, 3);
  for (std::int32_t v = 0; v < 12; ++v) {
    const std::int32_t row = v / 4;
    positions.row(v) << v % 4, row, 0;
  }
  for (const double depth : thickness(mesh, positions)) EXPECT_EQ(depth, kInf);
}

TEST(Thickness, does_not_count_a_second_layer) {
  const std::int32_t count = kAcross * (kAlong + 1);
  const Index3 faces = shapes::cylinder(kAcross, kAlong);
  Index3 both(2 * faces.rows(), 3);
  both << faces, (faces.array() + count).matrix();
  Array3 positions(2 * count, 3);
  positions << tube_of(0.1), tube_of(0.105);
  const Mesh mesh(both, 2 * count);
  const std::vector<double> depths = thickness(mesh, positions, 0.02);
  const std::vector<double> nearest = thickness(mesh, positions);
  for (std::int32_t v = count; v < 2 * count; ++v) {
    EXPECT_NEAR(depths[std::size_t(v)], 0.205, 0.02);
    EXPECT_LT(nearest[std::size_t(v)], 0.01);
    if (HasFailure()) break;
  }
}

/// A tube with a wall: an outer and an inner side, joined at both ends.
Mesh wall() {
  const std::int32_t count = kAcross * (kAlong + 1);
  const Index3 faces = shapes::cylinder(kAcross, kAlong);
  Index3 all(2 * faces.rows() + 4 * kAcross, 3);
  all.topRows(faces.rows()) = faces;
  all.middleRows(faces.rows(), faces.rows()) = (faces.rowwise().reverse().array() + count).matrix();
  Eigen::Index row = 2 * faces.rows();
  for (std::int32_t x = 0; x < kAcross; ++x)
    for (const bool top : {false, true}) {
      const std::int32_t here = top ? kAlong * kAcross + x : (x + 1) % kAcross;
      const std::int32_t next = top ? kAlong * kAcross + (x + 1) % kAcross : x;
      all.row(row++) << here, next, next + count;
      all.row(row++) << here, next + count, here + count;
    }
  return {all, 2 * count};
}

TEST(Thickness, of_cloth_that_is_modelled_thick_is_that_of_what_it_goes_round) {
  const std::int32_t count = kAcross * (kAlong + 1);
  Array3 positions(2 * count, 3);
  positions << tube_of(0.1), tube_of(0.096);
  const std::vector<double> depths = thickness(wall(), positions);
  for (std::int32_t v = 2 * kAcross; v < (kAlong - 1) * kAcross; ++v) {
    EXPECT_NEAR(depths[std::size_t(v)], 0.2, 0.001);
    EXPECT_NEAR(depths[std::size_t(count + v)], 0.2, 0.001);
    if (HasFailure()) break;
  }
}

TEST(Thickness, of_a_thin_limb_beside_a_thick_one_is_its_own) {
  const std::int32_t count = kAcross * (kAlong + 1);
  const Index3 faces = shapes::cylinder(kAcross, kAlong);
  Index3 both(2 * faces.rows(), 3);
  both << faces, (faces.array() + count).matrix();
  Array3 positions(2 * count, 3);
  positions << tube_of(0.1), tube_of(0.01).rowwise() + Eigen::RowVector3d(0.15, 0.0, 0.0);
  const std::vector<double> depths = thickness(Mesh(both, 2 * count), positions);
  for (std::int32_t v = count; v < 2 * count; ++v) EXPECT_NEAR(depths[std::size_t(v)], 0.02, 0.002);
}

TEST(Thickness, smoothing_goes_half_of_the_way_to_the_mean_of_the_neighbours) {
  const Mesh mesh(shapes::grid(1, 1), 5);  // two triangles on the vertices 0 to 3, and a vertex alone
  std::vector<double> values{1, 2, 3, 4, 5};
  smooth_over_edges(mesh, values);
  for (std::int32_t v = 0; v < 5; ++v) {
    double sum = 0;
    double count = 0;
    for (Eigen::Index e = 0; e < mesh.edges().rows(); ++e)
      for (int end = 0; end < 2; ++end)
        if (mesh.edges()(e, end) == v) {
          sum += 1 + mesh.edges()(e, 1 - end);
          count += 1;
        }
    EXPECT_DOUBLE_EQ(values[std::size_t(v)], count > 0 ? (1 + v + sum / count) / 2 : 1 + v);
  }
}

/// What a ray meets beyond `from`, by the plane's equation and signed areas, triangle by triangle.
std::vector<RayHit> all_hits(const Index3& faces, const Array3& positions, const Vector3& origin, const Vector3& ray,
                             double from) {
  std::vector<RayHit> out;
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Vector3 a = positions.row(faces(t, 0));
    const Vector3 b = positions.row(faces(t, 1));
    const Vector3 c = positions.row(faces(t, 2));
    const Vector3 normal = (b - a).cross(c - a);
    const double distance = (a - origin).dot(normal) / ray.dot(normal);
    const Vector3 p = origin + distance * ray;
    const bool inside = (b - a).cross(p - a).dot(normal) >= 0 && (c - b).cross(p - b).dot(normal) >= 0 &&
                        (a - c).cross(p - c).dot(normal) >= 0;
    if (inside && distance > from)
      out.push_back({.distance = distance,
                     .triangle = std::int32_t(t),
                     .cosine = ray.dot(normal) / (ray.norm() * normal.norm())});
  }
  return out;
}

TEST(TriangleTree, rays_meet_what_all_triangles_together_say) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  const auto point = [&]() -> Vector3 { return {coordinate(random), coordinate(random), coordinate(random)}; };
  Index3 faces(60, 3);
  Array3 positions(180, 3);
  for (Eigen::Index v = 0; v < 180; ++v) positions.row(v) = point().transpose();
  for (std::int32_t t = 0; t < 60; ++t) faces.row(t) << 3 * t, 3 * t + 1, 3 * t + 2;
  const TriangleTree tree(faces, positions);
  std::vector<RayHit> found;
  int met = 0;
  int several = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3 origin = 1.5 * point();
    const Vector3 ray = point().normalized();
    const double from = i % 3 == 0 ? 0.4 : 0;
    const double to = i % 2 == 0 ? kInf : 1.2;
    std::vector<RayHit> expected = all_hits(faces, positions, origin, ray, from);
    const double nearest = tree.first_hit(origin, ray, from);
    EXPECT_EQ(tree.meets_any(origin, ray, from), !expected.empty()) << "ray " << i;
    if (expected.empty()) {
      EXPECT_EQ(nearest, kInf) << "ray " << i;
    } else {
      EXPECT_NEAR(nearest, std::ranges::min(expected, {}, &RayHit::distance).distance, 1e-9) << "ray " << i;
      ++met;
    }
    std::erase_if(expected, [&](const RayHit& hit) { return hit.distance > to; });
    tree.hits(origin, ray, from, to, found);
    std::ranges::sort(found, {}, &RayHit::triangle);
    ASSERT_EQ(found.size(), expected.size()) << "ray " << i;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].triangle, expected[k].triangle) << "ray " << i;
      EXPECT_NEAR(found[k].distance, expected[k].distance, 1e-9) << "ray " << i;
      EXPECT_NEAR(found[k].cosine, expected[k].cosine, 1e-9) << "ray " << i;
    }
    several += found.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(met, 400);
  EXPECT_GT(several, 100);
  EXPECT_EQ(TriangleTree().first_hit({0, 0, 0}, {1, 0, 0}, 0), kInf);
  TriangleTree().hits({0, 0, 0}, {1, 0, 0}, 0, kInf, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace pucker
