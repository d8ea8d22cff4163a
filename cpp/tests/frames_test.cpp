#include "pucker/mesh/frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/mesh/normals.h"
#include "shapes.h"

namespace pucker {
namespace {

constexpr double kScales[] = {1e-8, 1.0, 1e8};

Array3 random_positions(std::mt19937_64& random, Eigen::Index count) {
  std::normal_distribution<double> normal;
  return Array3::NullaryExpr(count, 3, [&] { return normal(random); });
}

Mesh random_triangles(std::mt19937_64& random, std::int32_t vertices, Eigen::Index triangles) {
  Index3 faces(triangles, 3);
  std::vector<std::int32_t> order(static_cast<std::size_t>(vertices));
  for (std::int32_t v = 0; v < vertices; ++v) order[std::size_t(v)] = v;
  for (Eigen::Index t = 0; t < triangles; ++t) {
    std::ranges::shuffle(order, random);
    faces.row(t) << order[0], order[1], order[2];
  }
  return Mesh(faces, vertices);
}

Vector3 side(const Mesh& mesh, const Array3& positions, Eigen::Index t, int k) {
  return positions.row(mesh.faces()(t, k)) - positions.row(mesh.faces()(t, 0));
}

double farthest_matrix(const LocalFrames& a, const LocalFrames& b) {
  double largest = 0;
  for (std::size_t t = 0; t < a.matrices.size(); ++t)
    largest = std::max(largest, (a.matrices[t] - b.matrices[t]).cwiseAbs().maxCoeff());
  return largest;
}

TEST(Frames, are_orthonormal_and_right_handed_with_x_along_the_first_edge) {
  std::mt19937_64 random(1);
  for (const double scale : kScales) {
    const Mesh mesh = random_triangles(random, 20, 100);
    const Array3 positions = scale * random_positions(random, 20);
    const LocalFrames frames = local_frames(mesh, positions);
    for (Eigen::Index t = 0; t < mesh.triangle_count(); ++t) {
      const TriangleFrame& frame = frames.frames[std::size_t(t)];
      EXPECT_NEAR(frame.x.norm(), 1, 1e-14);
      EXPECT_NEAR(frame.y().norm(), 1, 1e-14);
      EXPECT_NEAR(frame.x.dot(frame.y()), 0, 1e-14);
      EXPECT_NEAR((frame.x.cross(frame.y()) - frame.normal).norm(), 0, 1e-14);
      EXPECT_NEAR(frame.x.dot(side(mesh, positions, t, 1).normalized()), 1, 1e-14);
    }
  }
}

TEST(Frames, carry_the_matrix_back_to_the_edges_in_space) {
  std::mt19937_64 random(2);
  for (const double scale : kScales) {
    const Mesh mesh = random_triangles(random, 20, 100);
    const Array3 positions = scale * random_positions(random, 20);
    const LocalFrames frames = local_frames(mesh, positions);
    for (Eigen::Index t = 0; t < mesh.triangle_count(); ++t)
      for (int k = 1; k <= 2; ++k) {
        const Vector3 edge = side(mesh, positions, t, k);
        const Vector2 column = frames.matrices[std::size_t(t)].col(k - 1);
        const TriangleFrame& frame = frames.frames[std::size_t(t)];
        EXPECT_LT((frame.to_space(column) - edge).norm(), 1e-13 * scale);
        EXPECT_LT((frame.to_plane(edge) - column).norm(), 1e-13 * scale);
      }
  }
}

TEST(Frames, a_rotation_and_a_translation_change_no_matrix_and_no_area) {
  std::mt19937_64 random(3);
  const Mesh mesh = random_triangles(random, 20, 100);
  const Array3 positions = random_positions(random, 20);
  const LocalFrames before = local_frames(mesh, positions);
  const Eigen::Matrix3d rotation = Eigen::AngleAxisd(1.1, Vector3(1, -2, 0.5).normalized()).toRotationMatrix();
  const LocalFrames after =
      local_frames(mesh, (positions * rotation.transpose()).rowwise() + Eigen::RowVector3d(3, -1, 2));
  EXPECT_LT(farthest_matrix(before, after), 1e-13);
  for (std::size_t t = 0; t < before.matrices.size(); ++t) EXPECT_NEAR(after.area(t), before.area(t), 1e-13);
}

TEST(Frames, the_matrix_is_upper_triangular_and_its_determinant_twice_the_area) {
  std::mt19937_64 random(4);
  const Mesh mesh = random_triangles(random, 20, 100);
  const Array3 positions = random_positions(random, 20);
  const LocalFrames frames = local_frames(mesh, positions);
  for (std::size_t t = 0; t < frames.matrices.size(); ++t) {
    const RowMatrix2& matrix = frames.matrices[t];
    EXPECT_EQ(matrix(1, 0), 0);
    EXPECT_GT(matrix.determinant(), 0);
    EXPECT_NEAR(matrix.determinant(), 2 * frames.area(t), 1e-14);
    const Eigen::Index row = Eigen::Index(t);
    const double a = side(mesh, positions, row, 1).norm();
    const double b = side(mesh, positions, row, 2).norm();
    const double c = (side(mesh, positions, row, 1) - side(mesh, positions, row, 2)).norm();
    const double half = (a + b + c) / 2;
    EXPECT_NEAR(frames.area(t), std::sqrt(half * (half - a) * (half - b) * (half - c)), 1e-12) << "Heron's formula";
  }
}

TEST(Frames, areas_of_a_sphere_approach_four_pi) {
  const shapes::Surface sphere = shapes::sphere(5);
  const LocalFrames frames = local_frames(Mesh(sphere.faces, sphere.positions.rows()), sphere.positions);
  double sum = 0;
  for (std::size_t t = 0; t < frames.matrices.size(); ++t) sum += frames.area(t);
  EXPECT_LT(sum, 4 * std::numbers::pi);
  EXPECT_NEAR(sum, 4 * std::numbers::pi, 1e-2);
}

TEST(Frames, triangles_without_area_are_all_zero_at_any_scale) {
  for (const double scale : kScales) {
    Array3 positions(6, 3);
    positions << 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0;
    positions *= scale;
    const Mesh mesh(shapes::faces({{0, 1, 2}, {0, 1, 3}, {0, 5, 4}, {0, 5, 0}, {4, 4, 4}, {0, 1, 4}}), 6);
    const LocalFrames frames = local_frames(mesh, positions);
    for (std::size_t t = 0; t < 5; ++t) {
      EXPECT_EQ(frames.matrices[t], RowMatrix2::Zero()) << "triangle " << t;
      EXPECT_EQ(frames.frames[t].x, Vector3::Zero());
      EXPECT_EQ(frames.frames[t].y(), Vector3::Zero());
      EXPECT_EQ(frames.frames[t].normal, Vector3::Zero());
      EXPECT_EQ(frames.area(t), 0);
    }
    EXPECT_DOUBLE_EQ(frames.area(5), 0.5 * scale * scale);
  }
}

TEST(Frames, a_triangle_too_small_for_its_area_to_be_a_number_is_one_without_area) {
  Array3 positions(3, 3);
  positions << 0, 0, 0, 1, 0, 0, 0, 1, 0;
  const LocalFrames frames = local_frames(Mesh(shapes::faces({{0, 1, 2}}), 3), 1e-200 * positions);
  EXPECT_EQ(frames.area(0), 0);
  EXPECT_EQ(frames.matrices[0], RowMatrix2::Zero());
}

TEST(Frames, an_empty_mesh_has_none) {
  const LocalFrames frames = local_frames(Mesh(Index3(0, 3), 0), Array3(0, 3));
  EXPECT_TRUE(frames.matrices.empty() && frames.frames.empty());
}

TEST(VertexNormals, of_a_sphere_point_outwards) {
  const shapes::Surface sphere = shapes::sphere(3);
  Array3 normals;
  vertex_normals(Mesh(sphere.faces, sphere.positions.rows()), sphere.positions, normals);
  for (Eigen::Index v = 0; v < normals.rows(); ++v) {
    EXPECT_NEAR(normals.row(v).norm(), 1, 1e-14);
    EXPECT_GT(normals.row(v).dot(sphere.positions.row(v)), 0.998);
  }
}

TEST(VertexNormals, weigh_triangles_by_their_areas) {
  Array3 positions(4, 3);
  positions << 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1;
  Array3 normals;
  vertex_normals(Mesh(shapes::faces({{0, 1, 2}, {0, 2, 3}}), 4), positions, normals);
  const Eigen::RowVector3d mean = (1.5 * Eigen::RowVector3d(0, 0, 1) + 0.5 * Eigen::RowVector3d(1, 0, 0)).normalized();
  EXPECT_LT((normals.row(0) - mean).norm(), 1e-15);
  EXPECT_LT((normals.row(2) - mean).norm(), 1e-15);
  EXPECT_EQ(normals.row(1), Eigen::RowVector3d(0, 0, 1));
}

TEST(VertexNormals, are_the_same_by_ring_but_for_rounding_and_by_sum_to_the_bit) {
  const shapes::Surface sphere = shapes::sphere(2);
  // A sphere; a tube with two borders; two fans at one vertex; three triangles at an edge; triangles turned against
  // each other; one that names a vertex twice, and a vertex of none.
  const std::vector<std::pair<Index3, Eigen::Index>> meshes = {
      {sphere.faces, sphere.positions.rows()},
      {shapes::cylinder(7, 4), 35},
      {shapes::faces({{0, 1, 2}, {0, 3, 4}}), 5},
      {shapes::faces({{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}), 5},
      {shapes::faces({{0, 1, 2}, {0, 3, 2}, {0, 3, 4}}), 5},
      {shapes::faces({{0, 1, 2}, {2, 1, 1}, {0, 2, 3}, {0, 3, 1}}), 5},
  };
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const auto& [faces, count] : meshes) {
    const Mesh mesh(faces, count);
    const Array3 positions = Array3::NullaryExpr(count, 3, [&] { return 5 + normal(random); });
    Array3 expected, found;
    vertex_normals(mesh, positions, expected);
    RingNormals(mesh).step(positions, found);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12);
    SummedNormals(mesh).step(positions, found);
    EXPECT_EQ(found, expected);
  }
}

TEST(VertexNormals, are_zero_by_sum_where_triangles_have_no_area) {
  const Mesh mesh(shapes::faces({{0, 1, 2}, {0, 2, 3}}), 4);
  Array3 positions(4, 3), found;
  positions << 0.1, 0.7, 0.3, 0.1, 0.7, 0.3, 0.9, 0.2, 0.4, 0.9, 0.2, 0.4;
  SummedNormals(mesh).step(positions, found);
  EXPECT_TRUE(found.isZero(0));
}

TEST(VertexNormals, refuse_positions_of_another_number) {
  Array3 normals;
  const Mesh mesh(shapes::faces({{0, 1, 2}}), 3);
  EXPECT_THROW(RingNormals(mesh).step(Array3::Zero(4, 3), normals), InvalidArgument);
  EXPECT_THROW(SummedNormals(mesh).step(Array3::Zero(4, 3), normals), InvalidArgument);
}

TEST(VertexNormals, do_not_depend_on_the_order_of_the_triangles) {
  const shapes::Surface sphere = shapes::sphere(2);
  Index3 mixed = sphere.faces.colwise().reverse();
  Array3 normals;
  Array3 of_mixed;
  vertex_normals(Mesh(sphere.faces, sphere.positions.rows()), sphere.positions, normals);
  vertex_normals(Mesh(mixed, sphere.positions.rows()), sphere.positions, of_mixed);
  EXPECT_LT((normals - of_mixed).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(VertexNormals, are_zero_where_there_is_no_area) {
  Array3 positions = Array3::Zero(5, 3);
  positions.row(1) << 1, 0, 0;
  positions.row(2) << 2, 0, 0;
  Array3 normals;
  vertex_normals(Mesh(shapes::faces({{0, 1, 2}}), 5), positions, normals);
  EXPECT_EQ(normals, Array3::Zero(5, 3));
}

TEST(MeanEdgeLength, counts_each_edge_once) {
  Array3 positions(4, 3);
  positions << 0, 0, 0, 3, 0, 0, 0, 4, 0, 3, 4, 0;
  EXPECT_DOUBLE_EQ(mean_edge_length(Mesh(shapes::grid(1, 1), 4), positions), (3 + 3 + 4 + 4 + 5) / 5.0);
}

TEST(MeanEdgeLength, of_a_mesh_without_edges_is_zero) {
  EXPECT_EQ(mean_edge_length(Mesh(Index3(0, 3), 4), Array3::Ones(4, 3)), 0);
}

TEST(Frames, refuse_positions_that_are_not_one_row_a_vertex) {
  const Mesh mesh(shapes::faces({{0, 1, 2}}), 3);
  Array3 normals;
  EXPECT_THROW(local_frames(mesh, Array3::Zero(2, 3)), InvalidArgument);
  EXPECT_THROW(vertex_normals(mesh, Array3::Zero(4, 3), normals), InvalidArgument);
  EXPECT_THROW(require_positions(mesh, Array3::Zero(4, 3)), InvalidArgument);
}

TEST(Frames, name_the_first_position_that_is_not_finite) {
  const Mesh mesh(shapes::faces({{0, 1, 2}}), 3);
  Array3 positions = Array3::Zero(3, 3);
  positions(1, 2) = std::numeric_limits<double>::quiet_NaN();
  positions(2, 0) = std::numeric_limits<double>::infinity();
  try {
    require_positions(mesh, positions);
    FAIL() << "NaN was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("positions[1, 2] is "), std::string::npos) << error.what();
  }
}

TEST(Frames, of_a_triangle_do_not_depend_on_how_many_are_measured) {
  std::mt19937_64 random(21);
  const Array3 positions = random_positions(random, 12);
  const Mesh all = random_triangles(random, 12, 40);
  const LocalFrames frames = local_frames(all, positions);
  for (Eigen::Index count = 1; count < 40; ++count) {
    const LocalFrames some = local_frames(Mesh(Index3(all.faces().bottomRows(count)), 12), positions);
    for (std::size_t t = 0; t < std::size_t(count); ++t) {
      const std::size_t same = t + 40 - std::size_t(count);
      EXPECT_EQ(some.matrices[t], frames.matrices[same]);
      EXPECT_EQ(some.frames[t].y(), frames.frames[same].y());
      EXPECT_EQ(some.frames[t].normal, frames.frames[same].normal);
      EXPECT_EQ(some.area(t), frames.area(same));
    }
  }
}

}  // namespace
}  // namespace pucker
