/// Meshes in motion and the invariants every run must keep, for the tests of the dynamic method.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "pucker/dynamic/path.h"
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

/// A band of radius 0.5 glued to itself with a half twist; 2·across vertices.
inline RestShape moebius(std::int32_t across) {
  Array3 positions(2 * across, 3);
  for (std::int32_t x = 0; x < across; ++x)
    for (std::int32_t y = 0; y < 2; ++y) {
      const double angle = 2 * std::numbers::pi * x / across;
      const double out = 0.5 + (y - 0.5) * 0.4 * std::cos(0.5 * angle);
      positions.row(y * across + x) << out * std::cos(angle), out * std::sin(angle),
          (y - 0.5) * 0.4 * std::sin(0.5 * angle);
    }
  return {std::make_shared<Mesh>(shapes::moebius(across), positions.rows()), positions};
}

inline RestShape ball() {
  const shapes::Surface surface = shapes::sphere(2);
  return {std::make_shared<Mesh>(surface.faces, surface.positions.rows()), 0.5 * surface.positions};
}

/// `pages` sheets of `cells` × `cells` quads that share the edges along x = 0, as a book does its spine.
inline RestShape book(std::int32_t cells, std::int32_t pages) {
  const std::int32_t page_size = cells * (cells + 1);
  Array3 positions(cells + 1 + pages * page_size, 3);
  Index3 faces(pages * 2 * cells * cells, 3);
  for (std::int32_t y = 0; y <= cells; ++y) positions.row(y) << 0, double(y) / cells, 0;
  for (std::int32_t page = 0; page < pages; ++page) {
    const double angle = 2 * std::numbers::pi * page / pages;
    const auto vertex = [&](std::int32_t x, std::int32_t y) {
      return x == 0 ? y : cells + 1 + page * page_size + (x - 1) * (cells + 1) + y;
    };
    for (std::int32_t x = 1; x <= cells; ++x)
      for (std::int32_t y = 0; y <= cells; ++y)
        positions.row(vertex(x, y)) << std::cos(angle) * x / cells, double(y) / cells, std::sin(angle) * x / cells;
    faces.middleRows(page * 2 * cells * cells, 2 * cells * cells) = shapes::quads(cells, cells, vertex);
  }
  return {std::make_shared<Mesh>(faces, positions.rows()), positions};
}

/// Two sheets of `cells` × `cells` quads that have one corner in common.
inline RestShape bow_tie(std::int32_t cells) {
  const std::int32_t side = cells + 1;
  Array3 positions(2 * side * side - 1, 3);
  Index3 faces(4 * cells * cells, 3);
  for (std::int32_t half = 0; half < 2; ++half) {
    const auto vertex = [&](std::int32_t x, std::int32_t y) {
      return x == 0 && y == 0 ? 0 : half * (side * side - 1) + y * side + x;
    };
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t x = 0; x < side; ++x)
        positions.row(vertex(x, y)) << (half == 0 ? 1.0 : -1.0) * x / cells, (half == 0 ? 1.0 : -1.0) * y / cells, 0;
    faces.middleRows(half * 2 * cells * cells, 2 * cells * cells) = shapes::quads(cells, cells, vertex);
  }
  return {std::make_shared<Mesh>(faces, positions.rows()), positions};
}

/// Smooth random deformation: a few waves whose phases drift, strong enough to compress past the threshold.
class RandomMotion {
 public:
  RandomMotion(const Array3& rest, double strength, std::uint64_t seed) : rest_(rest), strength_(strength) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (Wave& wave : waves_) {
      wave.vector = 3 * Vector3(normal(random), normal(random), normal(random));
      wave.direction = Vector3(normal(random), normal(random), normal(random)).normalized();
      wave.phase = 6 * normal(random);
      wave.rate = 4 * normal(random);
    }
  }
  Array3 at(double time) const {
    Array3 out = rest_;
    for (Eigen::Index v = 0; v < out.rows(); ++v)
      for (const Wave& wave : waves_)
        out.row(v) += strength_ * std::sin(rest_.row(v).dot(wave.vector) + wave.phase + wave.rate * time) *
                      wave.direction.transpose();
    return out;
  }

 private:
  struct Wave {
    Vector3 vector;
    Vector3 direction;
    double phase;
    double rate;
  };
  Array3 rest_;
  double strength_;
  std::array<Wave, 4> waves_;
};

inline Params params_for(double min_width) {
  Params params;
  params.min_width = min_width;
  return params;
}

/// Of single ridges, of which a run has few.
inline Params ridges_for(double min_width) {
  Params params = Params::ridges();
  params.min_width = min_width;
  return params;
}

/// Every invariant of paths: points on their edges, segments in their triangles, all finite, nothing negative, and no
/// living path crosses another or itself.
inline void expect_valid(const Mesh& mesh, const WrinklerState& state, const Array3& positions) {
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
