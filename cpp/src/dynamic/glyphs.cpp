#include "pucker/dynamic/glyphs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pucker/errors.h"

namespace pucker {

namespace {

// Leaves room for stretch inside the triangle.
constexpr double kUnstretchedShare = 0.5;

using Circle = std::array<Vector2, std::size_t(kEllipseCorners)>;

Circle unit_circle() {
  Circle out;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double angle = 2 * std::numbers::pi * double(k) / double(out.size());
    out[k] = {std::cos(angle), std::sin(angle)};
  }
  return out;
}

/// The corners of a triangle as columns.
Eigen::Matrix3d corners_of(const ConstIndex3& faces, const ConstArray3& positions, Eigen::Index triangle) {
  Eigen::Matrix3d out;
  for (Eigen::Index k = 0; k < 3; ++k) out.col(k) = positions.row(faces(triangle, k)).transpose();
  return out;
}

/// Calls `outline(triangle, rows)` for each triangle with area; `rows` (corners, 3) are those of its polygon.
template <class Outline>
Array3 outlines(Eigen::Index corners, const LocalFrames& frames, const Outline& outline) {
  Eigen::Index count = 0;
  for (std::size_t t = 0; t < frames.matrices.size(); ++t) count += frames.area(t) > 0;
  Array3 out(corners * count, 3);
  Eigen::Index first = 0;
  for (std::size_t t = 0; t < frames.matrices.size(); ++t) {
    if (!(frames.area(t) > 0)) continue;
    outline(t, out.middleRows(first, corners));
    first += corners;
  }
  return out;
}

void require_one_a_triangle(const ConstIndex3& faces, const LocalFrames& frames, const Stretch& stretch) {
  const auto count = std::size_t(faces.rows());
  require(frames.matrices.size() == count, "frames must have one entry a triangle: ", count, ", got ",
          frames.matrices.size());
  require(stretch.minimum.size() == count, "stretch must have one entry a triangle: ", count, ", got ",
          stretch.minimum.size());
  require(stretch.left.size() == count, "stretch must have directions, this one has sizes only");
}

}  // namespace

Array3 stretch_ellipses(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                        const Stretch& stretch) {
  require_one_a_triangle(faces, frames, stretch);
  const Circle circle = unit_circle();
  return outlines(kEllipseCorners, frames, [&](std::size_t t, auto rows) {
    const Eigen::Matrix3d corners = corners_of(faces, positions, Eigen::Index(t));
    const Vector3 opposite((corners.col(2) - corners.col(1)).norm(), (corners.col(0) - corners.col(2)).norm(),
                           (corners.col(1) - corners.col(0)).norm());
    const Vector3 incentre = corners * opposite / opposite.sum();
    const double radius = kUnstretchedShare * 2 * frames.area(t) / opposite.sum();
    const Vector2 sizes = radius * Vector2(stretch.maximum[t], stretch.minimum[t]);
    for (std::size_t k = 0; k < circle.size(); ++k) {
      const Vector2 in_plane = stretch.left[t].matrix() * sizes.cwiseProduct(circle[k]);
      rows.row(Eigen::Index(k)) = (incentre + frames.frames[t].to_space(in_plane)).transpose();
    }
  });
}

Array3 reference_triangles(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                           const Stretch& stretch, const Matrix2List& reference) {
  require_one_a_triangle(faces, frames, stretch);
  require(reference.size() == stretch.left.size(), "reference must have one entry a triangle: ", stretch.left.size(),
          ", got ", reference.size());
  return outlines(3, frames, [&](std::size_t t, auto rows) {
    const Vector3 centroid = corners_of(faces, positions, Eigen::Index(t)).rowwise().mean();
    const RowMatrix2 turn = (stretch.left[t] * stretch.right[t].inverse()).matrix();
    const Vector2 middle = reference[t].rowwise().mean() * (2.0 / 3.0);
    for (int k = 0; k < 3; ++k) {
      const Vector2 in_plane = turn * (corner_in_plane(reference[t], k) - middle);
      rows.row(k) = (centroid + frames.frames[t].to_space(in_plane)).transpose();
    }
  });
}

}  // namespace pucker
