#include "pucker/dynamic/glyphs.h"

#include <gtest/gtest.h>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

/// One right-angled triangle, stretched along x and y and turned by a quarter about x.
struct Example {
  Index3 faces = shapes::faces({{0, 1, 2}});
  Mesh mesh{faces, 3};
  Array3 rest = (Array3(3, 3) << 0, 0, 0, 3, 0, 0, 0, 4, 0).finished();
  Array3 positions;
  LocalFrames frames;
  Matrix2List reference = local_frames(mesh, rest).matrices;
  Stretch stretch;

  Example(double x, double y) : positions(rest) {
    positions.col(0) *= x;
    positions.col(2) = y * rest.col(1);
    positions.col(1).setZero();
    frames = local_frames(mesh, positions);
    stretch = pucker::stretch(reference, frames.matrices);
  }
};

TEST(Glyphs, an_unstretched_triangle_has_a_circle_of_half_its_inscribed_radius) {
  const Example example(1.0, 1.0);
  const Array3 circle = stretch_ellipses(example.faces, example.positions, example.frames, example.stretch);
  ASSERT_EQ(circle.rows(), kEllipseCorners);
  // The circle inscribed in the triangle of sides 3, 4, 5 has radius 1 and centre (1, 1).
  const Eigen::RowVector3d centre(1.0, 0.0, 1.0);
  for (Eigen::Index k = 0; k < circle.rows(); ++k) EXPECT_NEAR((circle.row(k) - centre).norm(), 0.5, 1e-12);
}

TEST(Glyphs, axes_are_the_principal_stretches) {
  const Example example(0.5, 0.5);
  const Array3 circle = stretch_ellipses(example.faces, example.positions, example.frames, example.stretch);
  EXPECT_NEAR((circle.colwise().maxCoeff() - circle.colwise().minCoeff()).maxCoeff(), 2 * 0.5 * (0.5 * 0.5), 1e-12);
}

TEST(Glyphs, the_reference_lies_centroid_on_centroid_and_unstretched) {
  const Example example(0.5, 2.0);
  const Array3 laid =
      reference_triangles(example.faces, example.positions, example.frames, example.stretch, example.reference);
  Array3 expected(3, 3);
  expected << 0, 0, 0, 3, 0, 0, 0, 0, 4;
  expected.rowwise() += example.positions.colwise().mean() - expected.colwise().mean();
  EXPECT_LT((laid - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Glyphs, a_triangle_without_area_has_none) {
  const Example example(0.0, 1.0);
  EXPECT_EQ(stretch_ellipses(example.faces, example.positions, example.frames, example.stretch).rows(), 0);
}

TEST(Glyphs, stretch_without_directions_is_refused) {
  Example example(1.0, 1.0);
  example.stretch.left.clear();
  EXPECT_THROW(stretch_ellipses(example.faces, example.positions, example.frames, example.stretch), InvalidArgument);
}

}  // namespace
}  // namespace pucker
