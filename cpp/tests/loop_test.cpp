#include "pucker/mesh/loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

Array3 random_positions(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return Array3::NullaryExpr(Eigen::Index(count), 3, [&] { return normal(random); });
}

/// Sheet, closed ball, cylinder, Möbius strip, and a mesh with an edge of three triangles, a degenerate one, a vertex
/// of two fans and an unused one.
std::vector<std::shared_ptr<const Mesh>> meshes() {
  const shapes::Surface ball = shapes::sphere(1);
  const auto mesh = [](Index3 faces, std::int64_t n) { return std::make_shared<const Mesh>(std::move(faces), n); };
  return {mesh(shapes::grid(4, 3), 20), mesh(ball.faces, ball.positions.rows()), mesh(shapes::cylinder(5, 3), 20),
          mesh(shapes::moebius(5), 10),
          mesh(shapes::faces({{0, 1, 2}, {1, 0, 4}, {0, 1, 5}, {2, 2, 6}, {2, 7, 8}}), 10)};
}

/// Rows of `matrix` times a vector of ones, less 1.
double sum_error(const SparseRows& matrix) {
  return (matrix * Eigen::VectorXd::Ones(matrix.cols()) - Eigen::VectorXd::Ones(matrix.rows())).cwiseAbs().maxCoeff();
}

TEST(LoopSubdivision, rows_sum_to_one_and_no_weight_is_negative) {
  for (const auto& mesh : meshes())
    for (const int levels : {0, 1, 2, 3}) {
      const LoopSubdivision loop(mesh, levels);
      for (const SparseRows* matrix : {&loop.matrix(), &loop.barycentrics()}) {
        EXPECT_LT(sum_error(*matrix), 1e-13);
        for (Eigen::Index k = 0; k < matrix->nonZeros(); ++k) EXPECT_GE(matrix->valuePtr()[k], 0);
        EXPECT_EQ(matrix->rows(), loop.fine()->vertex_count());
        EXPECT_EQ(matrix->cols(), mesh->vertex_count());
      }
    }
}

TEST(LoopSubdivision, each_level_makes_four_triangles_of_one_and_keeps_the_topology) {
  for (const auto& mesh : meshes()) {
    const LoopSubdivision loop(mesh, 2);
    const MeshReport& coarse = mesh->report();
    const MeshReport& fine = loop.fine()->report();
    EXPECT_EQ(fine.triangles, 16 * (coarse.triangles - coarse.degenerate_triangles));
    EXPECT_EQ(fine.boundary_edges, 4 * coarse.boundary_edges);
    EXPECT_EQ(fine.non_manifold_edges, 4 * coarse.non_manifold_edges);
    EXPECT_EQ(fine.isolated_vertices, coarse.isolated_vertices);
    EXPECT_EQ(loop.report().degenerate, coarse.degenerate_triangles);
    const auto euler = [](const MeshReport& r) { return r.vertices - r.edges + r.triangles - r.degenerate_triangles; };
    EXPECT_EQ(euler(fine), euler(coarse));
  }
}

TEST(LoopSubdivision, two_levels_are_one_after_the_other) {
  for (const auto& mesh : meshes()) {
    const LoopSubdivision twice(mesh, 2);
    const LoopSubdivision first(mesh, 1);
    const LoopSubdivision second(first.fine(), 1);
    EXPECT_EQ(twice.fine()->faces(), second.fine()->faces());
    const Eigen::MatrixXd product = second.matrix() * first.matrix();
    EXPECT_LT((Eigen::MatrixXd(twice.matrix()) - product).cwiseAbs().maxCoeff(), 1e-15);
  }
}

/// Where the limit surface has a vertex (Loop 1987; at the boundary, of a cubic B-spline).
Vector3 limit_position(const Mesh& mesh, const Array3& positions, std::int32_t vertex) {
  Vector3 inner = Vector3::Zero();
  Vector3 outer = Vector3::Zero();
  int valence = 0;
  int boundary = 0;
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e)
    for (int end = 0; end < 2; ++end) {
      if (mesh.edges()(e, end) != vertex) continue;
      const Vector3 other = positions.row(mesh.edges()(e, 1 - end)).transpose();
      ++valence;
      inner += other;
      if (mesh.edge_triangles(e)[1] != kNone) continue;
      ++boundary;
      outer += other;
    }
  const Vector3 own = positions.row(vertex).transpose();
  if (boundary == 2) return 2.0 / 3.0 * own + outer / 6;
  const double c = 0.375 + 0.25 * std::cos(2 * std::numbers::pi / valence);
  const double beta = (0.625 - c * c) / valence;
  const double share = 1 / (0.375 / beta + valence);
  return (1 - valence * share) * own + share * inner;
}

TEST(LoopSubdivision, the_limit_surface_of_the_fine_mesh_is_that_of_the_coarse_one) {
  const auto all = meshes();
  for (std::size_t shape = 0; shape < 4; ++shape) {
    const auto& mesh = all[shape];
    const Array3 positions = random_positions(mesh->vertex_count(), shape);
    for (const int levels : {1, 2, 3}) {
      const LoopSubdivision loop(mesh, levels);
      Array3 fine;
      multiply(loop.matrix(), positions, fine);
      for (std::int32_t v = 0; v < mesh->vertex_count(); ++v)
        EXPECT_LT((limit_position(*loop.fine(), fine, v) - limit_position(*mesh, positions, v)).norm(), 1e-13);
    }
  }
}

TEST(LoopSubdivision, levels_converge_to_the_limit_surface) {
  const auto mesh = meshes()[0];
  const Array3 positions = random_positions(mesh->vertex_count(), 3);
  double before = 1e300;
  for (const int levels : {1, 2, 3, 4}) {
    const LoopSubdivision loop(mesh, levels);
    Array3 fine;
    multiply(loop.matrix(), positions, fine);
    double error = 0;
    for (std::int32_t v = 0; v < mesh->vertex_count(); ++v)
      error = std::max(error, (Vector3(fine.row(v).transpose()) - limit_position(*mesh, positions, v)).norm());
    EXPECT_LT(error, 0.5 * before);
    before = error;
  }
}

TEST(LoopSubdivision, a_linear_function_is_kept_inside_a_regular_sheet) {
  const std::int32_t across = 6;
  const auto mesh = std::make_shared<const Mesh>(shapes::grid(across, across), (across + 1) * (across + 1));
  Array3 positions(mesh->vertex_count(), 3);
  for (std::int32_t v = 0; v < mesh->vertex_count(); ++v) {
    const std::int32_t row = v / (across + 1);
    const std::int32_t column = v % (across + 1);
    positions.row(v) << 0.3 * column - 1, 0.7 * row, 0.2 * column + 5;
  }
  const LoopSubdivision loop(mesh, 3);
  Array3 fine;
  Array3 flat;
  multiply(loop.matrix(), positions, fine);
  multiply(loop.barycentrics(), positions, flat);
  int inside = 0;
  for (Eigen::Index v = 0; v < fine.rows(); ++v) {
    const bool inner = flat(v, 0) > -0.69 && flat(v, 0) < 0.49 && flat(v, 1) > 0.71 && flat(v, 1) < 3.49;
    if (!inner) continue;
    ++inside;
    EXPECT_LT((fine.row(v) - flat.row(v)).norm(), 1e-13);
  }
  EXPECT_GT(inside, 400);
}

TEST(LoopSubdivision, vertices_that_no_rule_fits_stay) {
  const auto mesh = meshes()[4];
  const LoopSubdivision loop(mesh, 2);
  for (const std::int32_t vertex : {0, 1, 2, 9}) {
    EXPECT_EQ(loop.matrix().row(vertex).nonZeros(), 1);
    EXPECT_EQ(loop.matrix().coeff(vertex, vertex), 1);
  }
  EXPECT_EQ(loop.report().fans, mesh->report().fan_vertices);
  EXPECT_GE(loop.report().isolated, 1);
}

TEST(LoopSubdivision, corners_stay_at_every_level_and_others_do_not) {
  const auto mesh = meshes()[0];
  std::vector<std::uint8_t> corners(std::size_t(mesh->vertex_count()));
  corners[3] = 1;
  for (const int levels : {1, 3}) {
    const LoopSubdivision loop(mesh, levels, {}, corners);
    EXPECT_EQ(loop.corners(), corners);
    for (int v = 0; v < mesh->vertex_count(); ++v)
      EXPECT_EQ(loop.matrix().coeff(v, v) == 1, v == 3) << "vertex " << v << ", " << levels << " levels";
  }
  EXPECT_THROW(LoopSubdivision(mesh, 1, {}, {1, 0}), InvalidArgument);
}

TEST(SharpCorners, are_narrower_than_120_degrees_on_a_border) {
  // Two triangles of `angle` each at vertex 0.
  const auto corner_at = [](double angle) {
    const Mesh fan((Index3(2, 3) << 0, 1, 2, 0, 2, 3).finished(), 4);
    Array3 rest = Array3::Zero(4, 3);
    for (int k = 0; k < 3; ++k) rest.row(k + 1) << std::cos(k * angle), std::sin(k * angle), 0;
    return sharp_corners(fan, rest)[0] == 1;
  };
  const double degree = std::numbers::pi / 180;
  EXPECT_TRUE(corner_at(45 * degree));
  EXPECT_TRUE(corner_at(59.9 * degree));
  EXPECT_FALSE(corner_at(60.1 * degree));
  EXPECT_FALSE(corner_at(90 * degree));
  // The tip of a pyramid is no border.
  const Mesh pyramid((Index3(3, 3) << 0, 1, 2, 0, 2, 3, 0, 3, 1).finished(), 4);
  const Array3 tip = (Array3(4, 3) << 0, 0, 9, 1, 0, 0, -1, 1, 0, -1, -1, 0).finished();
  EXPECT_EQ(sharp_corners(pyramid, tip)[0], 0);
  EXPECT_THROW(sharp_corners(pyramid, tip.topRows(3)), InvalidArgument);
}

TEST(LoopSubdivision, levels_below_zero_and_other_numbers_of_rows_are_refused) {
  const auto mesh = meshes()[0];
  EXPECT_THROW(LoopSubdivision(mesh, -1), InvalidArgument);
  Array3 out;
  EXPECT_THROW(multiply(LoopSubdivision(mesh, 1).matrix(), random_positions(3, 1), out), InvalidArgument);
}

}  // namespace
}  // namespace pucker
