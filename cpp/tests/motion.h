/// Meshes in motion and the invariants every run must keep, for the tests of the dynamic method.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "pucker/dynamic/wrinkler.h"
#include "shapes.h"

namespace pucker::testing {

/// A mesh with a rest shape.
struct RestShape {
  std::shared_ptr<const Mesh> mesh;
  Array3 positions;
};

/// A unit square in the plane z = 0 of `cells` × `cells` quads whose inner vertices are displaced at random by up to
/// `jitter` of a cell.
inline RestShape irregular_sheet(int cells, double jitter, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> offset(-jitter / cells, jitter / cells);
  Array3 positions((cells + 1) * (cells + 1), 3);
  for (int y = 0; y <= cells; ++y)
    for (int x = 0; x <= cells; ++x) {
      const bool inner = x > 0 && y > 0 && x < cells && y < cells;
      positions.row(y * (cells + 1) + x) << double(x) / cells + (inner ? offset(random) : 0),
          double(y) / cells + (inner ? offset(random) : 0), 0;
    }
  return {std::make_shared<Mesh>(shapes::grid(cells, cells), positions.rows()), positions};
}

/// A tube of radius 0.5 and length 1 about the z axis.
inline RestShape tube(int columns, int rows) {
  Array3 positions(columns * (rows + 1), 3);
  for (int y = 0; y <= rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const double angle = 2 * std::numbers::pi * x / columns;
      positions.row(y * columns + x) << 0.5 * std::cos(angle), 0.5 * std::sin(angle), double(y) / rows;
    }
  return {std::make_shared<Mesh>(shapes::cylinder(columns, rows), positions.rows()), positions};
}

inline Params params_for(double min_width) {
  Params params;
  params.min_width = min_width;
  return params;
}

/// Every invariant of paths: points on their edges, segments in their triangles, all finite, nothing negative, and no
/// living path crosses another or itself.
inline void expect_valid(const Mesh& mesh, const State& state, const Array3& positions) {
  const CompressionField field{mesh, positions, state.frames, state.stretch, state.compression};
  SegmentIndex index(mesh);
  for (const Wrinkle& wrinkle : state.wrinkles) {
    ASSERT_NO_THROW(require_path(mesh, wrinkle));
    if (!wrinkle.alive) continue;
    EXPECT_FALSE(crosses_any(field, wrinkle, index)) << "wrinkle " << wrinkle.id << " in frame " << state.frame;
    insert_path(field, wrinkle, index);
  }
  for (std::size_t w = 0; w < state.wrinkles.size(); ++w)
    for (const Vector3& p : state.curves[w].points) EXPECT_TRUE(p.allFinite());
  for (const PackedPoint& p : state.packed.points) EXPECT_TRUE(std::isfinite(p.width) && std::isfinite(p.height));
}

}  // namespace pucker::testing
