#include "pucker/mesh/vertex_frames.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "byexample_shapes.h"
#include "pucker/errors.h"
#include "pucker/mesh/turn.h"
#include "shapes.h"

namespace pucker {
namespace {

TEST(VertexFrames, adding_in_them_is_multiplying_by_them) {
  // A vertex without triangles, and one whose triangle has no area.
  Array3 positions = Array3::Zero(52, 3);
  positions.topRows(48) = byexample::bent(0.7, 0.3);
  Index3 faces(byexample::tube()->triangle_count() + 1, 3);
  faces << byexample::tube()->faces(), Eigen::RowVector3i(49, 50, 51);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const Array3 local = Array3::NullaryExpr(52, 3, [&] { return normal(random); });
  VertexFrames frames(std::make_shared<const Mesh>(faces, 52));
  for (const double unit : {1.0, 1e-20, 1e20}) {
    const Array3 scaled = unit * positions;
    Array3 found(52, 3);
    // Some rows, then the others.
    frames.add(scaled, unit * local, scaled, 0, 17, found);
    frames.add(scaled, unit * local, scaled, 17, 52, found);
    frames.step(scaled);
    EXPECT_EQ(frames.missing(), 4);
    for (Eigen::Index v = 0; v < 52; ++v) {
      const Eigen::RowVector3d expected =
          scaled.row(v) + unit * local.row(v) * frames.frames()[std::size_t(v)].transpose();
      EXPECT_LT((found.row(v) - expected).cwiseAbs().maxCoeff(), 1e-13 * unit);
    }
  }
  // In single precision, 1e-6 of what is added.
  Array3 found(52, 3);
  frames.add<float>(positions.cast<float>(), local, positions, 0, 52, found);
  frames.step(positions);
  for (Eigen::Index v = 0; v < 52; ++v) {
    const Eigen::RowVector3d expected = positions.row(v) + local.row(v) * frames.frames()[std::size_t(v)].transpose();
    EXPECT_LT((found.row(v) - expected).norm(), 1e-5);
  }
  Array3 out = positions;
  EXPECT_THROW(frames.add<double>(positions.topRows(48), local, positions, 0, 48, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local.topRows(48), positions, 0, 48, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions.topRows(48), 0, 48, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions, -1, 52, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions, 2, 1, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions, 0, 53, out), InvalidArgument);
  out.conservativeResize(48, 3);
  EXPECT_THROW(frames.add(positions, local, positions, 0, 52, out), InvalidArgument);
}

TEST(VertexFrames, are_rotations_and_a_flat_or_missing_vertex_has_none) {
  VertexFrames round(byexample::tube());
  for (const RowMatrix3& frame : round.step(byexample::bent(0.9))) {
    EXPECT_LT((frame.transpose() * frame - RowMatrix3::Identity()).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(frame.determinant(), 1, 1e-12);
  }
  EXPECT_EQ(round.missing(), 0);
  VertexFrames frames(std::make_shared<const Mesh>(shapes::faces({{0, 1, 2}}), 4));
  frames.step(Array3::Zero(4, 3));
  EXPECT_EQ(frames.missing(), 4);
}

template <class Scalar>
class Turn : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Turn, Scalars);

TYPED_TEST(Turn, vectors_are_turned_to_the_same_bits_as_one_by_one) {
  using Vector = Eigen::Matrix<TypeParam, 3, 1>;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Vectors<TypeParam> edges, normals, local;
  for (Vectors<TypeParam>* vectors : {&edges, &normals, &local})
    for (auto& axis : *vectors)
      for (TypeParam& x : axis) x = TypeParam(normal(random));
  // One without a normal, one along it.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    normals[axis][3] = 0;
    edges[axis][7] = 2 * normals[axis][7];
  }
  Vectors<TypeParam> found = local;
  turn(edges, normals, TypeParam(1e-12), found);
  const auto of = [](const Vectors<TypeParam>& vectors, std::size_t k) {
    return Vector(vectors[0][k], vectors[1][k], vectors[2][k]);
  };
  const auto dot = [](const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  for (std::size_t k = 0; k < kTurned; ++k) {
    if (k == 3 || k == 7) {
      EXPECT_EQ(of(found, k), Vector(0, 0, 0));
      continue;
    }
    Vector up = of(normals, k);
    const TypeParam per_area = 1 / std::sqrt(dot(up, up));
    up *= per_area;
    const TypeParam share = dot(of(edges, k), up);
    Vector along = of(edges, k) - share * up;
    const TypeParam per_length = 1 / std::sqrt(dot(along, along));
    along *= per_length;
    const Vector aside = up.cross(along);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector from = of(local, k);
      EXPECT_EQ(found[std::size_t(axis)][k], from[0] * along[axis] + from[1] * aside[axis] + from[2] * up[axis]);
    }
    EXPECT_NEAR(of(found, k).norm(), of(local, k).norm(), 1e-5);
  }
}

}  // namespace
}  // namespace pucker
