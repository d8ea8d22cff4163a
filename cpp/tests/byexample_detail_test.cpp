#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "byexample_runs.h"
#include "shapes.h"

namespace pucker::byexample {
namespace {

class ExampleSurface : public testing::Test {
 protected:
  ByExample run_{tube_synthesis(), {}};
  const ExampleState& state_ = run_.advance(bent(0.5, 0.1), 0);
  const ExampleDetail& detail_ = state_.detail();
  const LoopSubdivision& loop_ = *detail_.subdivision();
};

TEST_F(ExampleSurface, points_of_fine_vertices_are_those_vertices) {
  const Mesh& coarse = *loop_.coarse();
  std::vector<int> seen(std::size_t(loop_.fine()->vertex_count()), 0);
  const int n = 1 << kLevels;
  for (std::int32_t t = 0; t < coarse.triangle_count(); ++t)
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        Array3 at(1, 3);
        at << double(i) / n, double(j) / n, double(n - i - j) / n;
        const std::vector<std::int32_t> triangles{t};
        const SurfacePoints points = detail_.evaluate(triangles, at);
        // The fine vertex whose place on the coarse mesh this is.
        std::int32_t vertex = kNone;
        for (std::int32_t v = 0; v < loop_.fine()->vertex_count() && vertex == kNone; ++v) {
          double overlap = 0;
          for (SparseRows::InnerIterator entry(loop_.barycentrics(), v); entry; ++entry)
            for (int k = 0; k < 3; ++k)
              if (coarse.faces()(t, k) == entry.col()) overlap += std::abs(entry.value() - at(0, k));
          double whole = 0;
          for (int k = 0; k < 3; ++k) whole += loop_.barycentrics().coeff(v, coarse.faces()(t, k));
          if (overlap < 1e-12 && std::abs(whole - 1) < 1e-12) {
            bool same = true;
            for (int k = 0; k < 3; ++k)
              same = same && std::abs(loop_.barycentrics().coeff(v, coarse.faces()(t, k)) - at(0, k)) < 1e-12;
            if (same) vertex = v;
          }
        }
        ASSERT_NE(vertex, kNone);
        ++seen[std::size_t(vertex)];
        EXPECT_LT((points.positions.row(0) - state_.surface().positions.row(vertex)).norm(), 1e-12);
        EXPECT_LT((points.normals.row(0) - state_.normals().row(vertex)).norm(), 1e-12);
      }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count > 0; }));
}

TEST_F(ExampleSurface, its_own_mesh_is_the_fine_one) {
  ASSERT_NE(detail_.own_mesh(), nullptr);
  const Subdivision& own = *detail_.own_mesh();
  EXPECT_EQ(own.faces, loop_.fine()->faces());
  const SurfacePoints points = detail_.evaluate(own.triangles, own.barycentrics);
  EXPECT_LT((points.positions - state_.surface().positions).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((points.normals - state_.normals()).cwiseAbs().maxCoeff(), 1e-12);
  for (Eigen::Index face = 0; face < own.faces.rows(); ++face) {
    const std::int32_t t = own.source[std::size_t(face)];
    const auto f = std::int32_t(face);
    const Vector3 inside = ((own.corner(f, 0) + own.corner(f, 1) + own.corner(f, 2)) / 3).transpose();
    EXPECT_EQ(loop_.locate(t, inside).face, face);
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(own.corner(f, k)[c], loop_.barycentrics().coeff(own.faces(face, k), loop_.coarse()->faces()(t, c)),
                    1e-12);
  }
}

TEST_F(ExampleSurface, points_of_an_edge_are_the_same_from_both_sides) {
  const Mesh& coarse = *loop_.coarse();
  for (std::int32_t e = 0; e < coarse.edge_count(); ++e) {
    const auto sides = coarse.edge_triangles(e);
    if (sides[1] == kNone) continue;
    for (const double share : {0.1, 0.25, 0.37, 0.5, 0.81}) {
      Array3 at = Array3::Zero(2, 3);
      for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k) {
          const std::int32_t v = coarse.faces()(sides[std::size_t(side)], k);
          if (v == coarse.edges()(e, 0)) at(side, k) = 1 - share;
          if (v == coarse.edges()(e, 1)) at(side, k) = share;
        }
      const std::vector<std::int32_t> triangles{sides[0], sides[1]};
      const SurfacePoints points = detail_.evaluate(triangles, at);
      EXPECT_LT((points.positions.row(0) - points.positions.row(1)).norm(), 1e-12);
      EXPECT_LT((points.normals.row(0) - points.normals.row(1)).norm(), 1e-9);
    }
  }
}

TEST_F(ExampleSurface, random_points_lie_on_the_fine_mesh_and_in_the_range) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  const Mesh& coarse = *loop_.coarse();
  std::vector<std::int32_t> triangles;
  Array3 at(2000, 3);
  for (Eigen::Index i = 0; i < at.rows(); ++i) {
    triangles.push_back(std::int32_t(random() % std::uint64_t(coarse.triangle_count())));
    const double a = unit(random);
    const double b = (1 - a) * unit(random);
    at.row(i) << a, b, 1 - a - b;
  }
  const SurfacePoints points = detail_.evaluate(triangles, at);
  EXPECT_LT((points.base + points.displacements - points.positions).cwiseAbs().maxCoeff(), 1e-12);
  const auto [low, high] = detail_.offset_range();
  const std::vector<double> offsets = normal_offsets(points);
  EXPECT_GE(*std::min_element(offsets.begin(), offsets.end()), low);
  EXPECT_LE(*std::max_element(offsets.begin(), offsets.end()), high);
  for (Eigen::Index i = 0; i < at.rows(); ++i) {
    const FinePoint place = loop_.locate(triangles[std::size_t(i)], at.row(i).transpose());
    EXPECT_GE(place.barycentrics.minCoeff(), -1e-12);
    EXPECT_NEAR(place.barycentrics.sum(), 1, 1e-12);
    // The same point of the coarse mesh, from its place in the fine triangle.
    Array3 flat;
    multiply(loop_.barycentrics(), state_.positions, flat);
    Eigen::RowVector3d base = Eigen::RowVector3d::Zero();
    for (int k = 0; k < 3; ++k) base += place.barycentrics[k] * flat.row(loop_.fine()->faces()(place.face, k));
    EXPECT_LT((base - points.base.row(i)).norm(), 1e-12);
    if (i == 200) break;
  }
}

TEST_F(ExampleSurface, sizes_and_levels_are_those_of_the_fine_mesh) {
  const std::vector<double> sizes = detail_.feature_sizes();
  for (const double size : sizes) {
    EXPECT_TRUE(std::isfinite(size));
    EXPECT_GE(size, detail_.feature_size());
  }
  for (const double target : {1e-3, 1.0})
    for (const std::int32_t level : detail_.edge_levels(target)) EXPECT_EQ(level, 1 << kLevels);
  for (const std::int32_t level : detail_.edge_levels(0.1, 3)) EXPECT_EQ(level, 3);
  EXPECT_THROW(detail_.edge_levels(0), InvalidArgument);
  EXPECT_THROW(detail_.edge_levels(0.1, 0), InvalidArgument);
}

TEST(ExampleDetail, a_collapsed_triangle_lies_between_its_corners) {
  Index3 faces = shapes::cylinder(8, 5);
  faces.conservativeResize(faces.rows() + 1, 3);
  faces.row(faces.rows() - 1) = faces.row(0);
  for (Eigen::Index row = faces.rows() - 1; row > 0; --row) faces.row(row) = faces.row(row - 1);
  faces.row(0) << 0, 0, 1;
  const auto mesh = std::make_shared<const Mesh>(faces, 48);
  ByExample run(synthesis_of(mesh, bent(0), {bent(0), bent(0.8)}), {});
  const ExampleState& state = run.advance(bent(0.3), 0);
  Array3 at(2, 3);
  at << 0.25, 0.25, 0.5, 0.2, 0.3, 0.5;
  const std::vector<std::int32_t> triangles{0, 1};
  const SurfacePoints points = state.detail().evaluate(triangles, at);
  const Array3& fine = state.surface().positions;
  EXPECT_LT((points.positions.row(0) - 0.5 * (fine.row(0) + fine.row(1))).norm(), 1e-12);
  EXPECT_EQ(state.detail().reached().front(), 1);
  EXPECT_EQ(state.detail().reached()[1], 1);
  ByExample plain(synthesis_of(tube(), bent(0), {bent(0), bent(0.8)}), {});
  const std::vector<std::int32_t> first{0};
  EXPECT_LT((plain.advance(bent(0.3), 0).detail().evaluate(first, at.bottomRows(1)).positions -
             points.positions.bottomRows(1))
                .norm(),
            1e-12);
}

TEST(ExampleDetail, reaches_whatever_it_displaces) {
  // The last triangle names a vertex twice; its corners move with the surface as those of the others do.
  Index3 faces = shapes::grid(3, 3);
  faces.conservativeResize(faces.rows() + 1, 3);
  faces.bottomRows<1>() << 5, 6, 5;
  const auto mesh = std::make_shared<const Mesh>(faces, 16);
  Array3 rest(16, 3);
  for (Eigen::Index v = 0; v < 16; ++v) rest.row(v) << double(v % 4), double(v) / 4, 0.1 * double(v % 3);
  ByExample run(synthesis_of(mesh, rest, {rest}), {});
  const ExampleState& state = run.advance(rest, 0);
  std::vector<std::int32_t> triangles(std::size_t(faces.rows()));
  std::iota(triangles.begin(), triangles.end(), 0);
  const SurfacePoints points =
      state.detail().evaluate(triangles, Array3::Constant(Eigen::Index(triangles.size()), 3, 1.0 / 3));
  const std::vector<std::uint8_t> reached = state.detail().reached();
  const std::vector<double> sizes = state.detail().feature_sizes();
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (points.displacements.row(Eigen::Index(t)).norm() == 0) continue;
    EXPECT_TRUE(reached[t]) << "triangle " << t;
    EXPECT_TRUE(std::isfinite(sizes[t])) << "triangle " << t;
  }
}

}  // namespace
}  // namespace pucker::byexample
