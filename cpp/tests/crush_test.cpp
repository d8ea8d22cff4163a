#include "pucker/waves/crush.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "pucker/errors.h"
#include "waves_shapes.h"

namespace pucker::waves {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Waves from the least compression on, as printed.
CrushParams as_printed() {
  CrushParams out;
  out.smoothing = 0;
  out.threshold = 1;
  return out;
}

Array3 mapped(const Array3& points, const Eigen::Matrix3d& map) { return points * map.transpose(); }

TEST(Crush, gives_the_closed_form_of_an_affine_squeeze_in_any_unit_and_any_pose) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> ratio(0.1, 0.98);
  std::uniform_real_distribution<double> angle(0, 3);
  for (const double unit : {1e-8, 1.0, 1e8})
    for (int trial = 0; trial < 20; ++trial) {
      const Sheet sheet = irregular_sheet(random);
      const double r = ratio(random);
      const double phi = angle(random);
      const Eigen::Matrix3d before = random_rotation(random);
      const Eigen::Matrix3d after = random_rotation(random);
      const double wavelength = 0.1 * unit;
      Crush crush(sheet.mesh, unit * mapped(sheet.rest, before), wavelength, as_printed());
      const PlaneWaves& waves = crush.step(unit * mapped(sheet.rest, after * squeeze(r, phi)));
      const Vector3 along(std::cos(phi), std::sin(phi), 0);
      for (Eigen::Index v = 0; v < sheet.rest.rows(); ++v) {
        EXPECT_NEAR(waves.stretches[std::size_t(v)], r, 1e-12);
        EXPECT_NEAR(waves.amplitudes[std::size_t(v)] / unit, 0.1 / 4 * std::sqrt(1 - r * r), 1e-12);
        const Vector3 k = waves.directions.row(v).transpose();
        const double sign = k.dot(before * along) < 0 ? -1 : 1;
        EXPECT_LT((k - sign * before * along).norm(), 1e-12);
        EXPECT_LT((waves.wave_vectors.row(v).transpose() - sign / r * after * along).norm(), 1e-12 / r);
      }
    }
}

TEST(Crush, keeps_the_phase_of_every_edge_of_an_affine_map) {
  std::mt19937_64 random(2);
  const Sheet sheet = irregular_sheet(random);
  Eigen::Matrix3d map = Eigen::Matrix3d::Identity();
  map.topLeftCorner<2, 2>() << 0.7, 0.4, -0.1, 0.9;
  const Array3 after = mapped(sheet.rest, map);
  Crush crush(sheet.mesh, sheet.rest, 1, {});
  const PlaneWaves& waves = crush.step(after);
  for (Eigen::Index e = 0; e < sheet.mesh->edges().rows(); ++e) {
    const Eigen::Index a = sheet.mesh->edges()(e, 0);
    const Eigen::Index b = sheet.mesh->edges()(e, 1);
    EXPECT_NEAR(waves.wave_vectors.row(a).dot(after.row(b) - after.row(a)),
                waves.directions.row(a).dot(sheet.rest.row(b) - sheet.rest.row(a)), 1e-13);
  }
}

TEST(Crush, keeps_the_phase_of_cloth_that_is_folded_over_a_vertex) {
  // In the plane, and strewn so far that the neighbours of some vertices are mirrored while their normal is not.
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal(0, 0.08);
  int mirrored = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const Sheet sheet = irregular_sheet(random);
    Array3 after = sheet.rest;
    for (Eigen::Index v = 0; v < after.rows(); ++v)
      for (int axis = 0; axis < 2; ++axis) after(v, axis) += normal(random);
    CrushParams params;
    params.min_stretch = 0.01;
    Crush crush(sheet.mesh, sheet.rest, 1, params);
    const PlaneWaves& waves = crush.step(after);
    const Neighbours neighbours(*sheet.mesh);
    for (std::int32_t v = 0; v < sheet.mesh->vertex_count(); ++v) {
      // The linear map that takes the edges at rest to those of the frame best.
      Matrix2 at_rest = Matrix2::Zero();
      Matrix2 moved = Matrix2::Zero();
      for (const std::int32_t n : neighbours.of(v)) {
        const Vector2 from = (sheet.rest.row(n) - sheet.rest.row(v)).head<2>().transpose();
        at_rest += from * from.transpose();
        moved += (after.row(n) - after.row(v)).head<2>().transpose() * from.transpose();
      }
      const Matrix2 map = moved * at_rest.inverse();
      if (map.jacobiSvd().singularValues()[1] < 2 * params.min_stretch || waves.normals.row(v).isZero(0)) continue;
      const Vector2 carried = map.transpose() * waves.wave_vectors.row(v).head<2>().transpose();
      EXPECT_LT((carried - waves.directions.row(v).head<2>().transpose()).norm(), 1e-9);
      mirrored += map.determinant() * waves.normals(v, 2) < 0 ? 1 : 0;
    }
  }
  EXPECT_GT(mirrored, 20);
}

TEST(Crush, gives_no_wave_where_cloth_is_stretched) {
  std::mt19937_64 random(3);
  const Sheet sheet = irregular_sheet(random);
  Crush crush(sheet.mesh, sheet.rest, 1, {});
  const PlaneWaves& waves = crush.step(1.5 * sheet.rest);
  for (const double h : waves.amplitudes) EXPECT_EQ(h, 0);
  for (const double r : waves.stretches) EXPECT_NEAR(r, 1.5, 1e-13);
}

TEST(Crush, adds_painted_wrinkles_to_the_rest_pose) {
  std::mt19937_64 random(4);
  const Sheet sheet = irregular_sheet(random);
  Crush crush(sheet.mesh, sheet.rest, 1, {});
  const Vector3 p(0.3, 0.6, 0.0);
  crush.set_paint(p.transpose().replicate(sheet.rest.rows(), 1));
  const PlaneWaves& waves = crush.step(sheet.rest);
  // E − q⊗q has the eigenvalue 1 − |q|² along q; the map itself is the identity, so k′ is as long as k.
  for (Eigen::Index v = 0; v < sheet.rest.rows(); ++v) {
    EXPECT_NEAR(waves.stretches[std::size_t(v)], 1 - p.squaredNorm(), 1e-12);
    EXPECT_NEAR(std::abs(waves.directions.row(v).dot(p)), p.norm(), 1e-12);
    EXPECT_LT((waves.wave_vectors.row(v) - waves.directions.row(v)).norm(), 1e-12);
  }
}

TEST(Crush, has_no_wave_where_cloth_is_squeezed_by_less_than_the_threshold) {
  std::mt19937_64 random(15);
  const Sheet sheet = irregular_sheet(random);
  CrushParams params;
  params.growth = 1;
  params.turn = 2;
  for (const double threshold : {1.05, 1.3}) {
    params.threshold = threshold;
    Crush crush(sheet.mesh, sheet.rest, 1, params);
    for (const double r : {1.2, 1.0, 0.999 / 1.001, 1 / (threshold - 1e-6), 1 / (threshold + 1e-6), 0.7, 0.2, 1e-9}) {
      const double expected = 0.25 * std::sqrt(std::max(1 - r * threshold * r * threshold, 0.0));
      for (const double h : crush.step(mapped(sheet.rest, squeeze(r, 0.4))).amplitudes) EXPECT_NEAR(h, expected, 1e-9);
    }
  }
}

TEST(Crush, shows_painted_wrinkles_below_the_threshold) {
  std::mt19937_64 random(16);
  const Sheet sheet = irregular_sheet(random);
  CrushParams params;
  params.growth = 1;
  params.threshold = 1.3;
  Crush crush(sheet.mesh, sheet.rest, 1, params);
  const Vector3 p(0.1, 0, 0);
  crush.set_paint(p.transpose().replicate(sheet.rest.rows(), 1));
  const double painted = 1 - 0.99 * 0.99;
  for (const double h : crush.step(sheet.rest).amplitudes) EXPECT_NEAR(h, 0.25 * std::sqrt(painted), 1e-12);
  // Squeezed by less than the threshold, the cloth adds the painted share of what is left of it, and nothing else.
  const double own = 1 - 0.8 * 0.8;
  for (const double h : crush.step(mapped(sheet.rest, squeeze(0.8, 0))).amplitudes)
    EXPECT_NEAR(h, 0.25 * std::sqrt((1 - 0.8 * 0.8 * 0.99 * 0.99 - own) / (1 - own)), 1e-12);
}

TEST(Crush, turns_no_direction_round_from_frame_to_frame) {
  std::mt19937_64 random(5);
  const Sheet sheet = irregular_sheet(random);
  CrushParams params;
  params.turn = 2;
  Crush crush(sheet.mesh, sheet.rest, 1, params);
  Array3 before = crush.step(mapped(sheet.rest, squeeze(0.5, 0))).directions;
  const Array3 first = before;
  constexpr int steps = 64;
  for (int i = 1; i <= steps; ++i) {
    const Array3& now = crush.step(mapped(sheet.rest, squeeze(0.5, std::numbers::pi * i / steps))).directions;
    EXPECT_GT((now.cwiseProduct(before)).rowwise().sum().minCoeff(), 0.99);
    before = now;
  }
  // Half a turn later the direction is the opposite one, and was never flipped on the way.
  EXPECT_LT((before + first).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Crush, turns_high_waves_slowly_and_flat_ones_at_once) {
  std::mt19937_64 random(8);
  const Sheet sheet = irregular_sheet(random);
  CrushParams params = as_printed();
  params.turn = 0.1;
  params.growth = 1;
  Crush crush(sheet.mesh, sheet.rest, 1, params);
  const Array3 across = mapped(sheet.rest, squeeze(0.6, 1.2));
  crush.step(mapped(sheet.rest, squeeze(0.6, 0)));
  Array3 before = crush.waves().directions;
  // 0.1 radians a share of the greatest height, which is 0.8 and less where a wave lags behind: what is lost along it.
  double angle = 0;
  double height = 0.8;
  for (int i = 1; i <= 20; ++i) {
    crush.step(across, 0.5);
    angle = std::min(1.2, angle + 0.5 * 0.1 / height);
    height = 0.8 * std::cos(1.2 - angle);
    for (Eigen::Index v = 0; v < before.rows(); ++v) {
      EXPECT_NEAR(std::abs(crush.waves().directions.row(v).dot(before.row(v))), std::cos(angle), 1e-12);
      EXPECT_NEAR(crush.waves().amplitudes[std::size_t(v)], 0.25 * height, 1e-12);
    }
  }
  EXPECT_EQ(angle, 1.2);
  crush.step(sheet.rest);
  crush.step(across);
  EXPECT_LT((crush.waves().directions.cwiseAbs().rowwise() - Eigen::RowVector3d(std::cos(1.2), std::sin(1.2), 0))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
  EXPECT_THROW(crush.step(across, 0), InvalidArgument);
}

TEST(Crush, lets_waves_grow_slowly_and_fall_at_once) {
  std::mt19937_64 random(9);
  const Sheet sheet = irregular_sheet(random);
  CrushParams params = as_printed();
  params.growth = 0.1;
  Crush crush(sheet.mesh, sheet.rest, 1, params);
  const Array3 squeezed = mapped(sheet.rest, squeeze(0.6, 0));
  const auto expect_heights = [&](double share) {
    for (const double h : crush.waves().amplitudes) EXPECT_NEAR(h, 0.25 * share, 1e-12);
  };
  crush.step(squeezed);
  expect_heights(0.8);
  crush.step(sheet.rest);
  expect_heights(0);
  for (int i = 1; i <= 12; ++i) {
    crush.step(squeezed, 2);
    expect_heights(std::min(0.8, 0.2 * i));
  }
  crush.reset();
  crush.step(squeezed);
  expect_heights(0.8);
}

/// A grid that is rolled up about the z axis, `turn` radians a column, and `rise` high a row.
Array3 rolled(std::int32_t cells, double radius, double turn, double rise) {
  Array3 out((cells + 1) * (cells + 1), 3);
  for (std::int32_t y = 0; y <= cells; ++y)
    for (std::int32_t x = 0; x <= cells; ++x)
      out.row(y * (cells + 1) + x) << radius * std::cos(turn * x), radius * std::sin(turn * x), rise * y;
  return out;
}

TEST(Crush, bounds_waves_by_the_radius_of_curvature) {
  constexpr std::int32_t cells = 8;
  constexpr double radius = 3;
  const auto mesh = std::make_shared<Mesh>(shapes::grid(cells, cells), (cells + 1) * (cells + 1));
  const Array3 rest = rolled(cells, radius, 0.1, 1);
  const Array3 squeezed = rolled(cells, radius, 0.1, 0.6);
  for (const double bend : {0.01, 0.1, 0.5, 1e9})
    for (const double side : {1.0, -1.0}) {
      CrushParams params = as_printed();
      params.bend = bend;
      Crush crush(mesh, side * rest, 1, params);
      const PlaneWaves& waves = crush.step(side * squeezed);
      // Two rows from the border the normals are those of the cylinder.
      for (std::int32_t y = 2; y <= cells - 2; ++y)
        for (std::int32_t x = 2; x <= cells - 2; ++x)
          EXPECT_NEAR(waves.amplitudes[std::size_t(y * (cells + 1) + x)], std::min(0.2, bend * radius), 1e-12);
    }
}

TEST(Crush, bounds_waves_of_collapsed_cloth_and_reports_them) {
  std::mt19937_64 random(6);
  const Sheet sheet = irregular_sheet(random);
  CrushParams params;
  params.min_stretch = 0.2;
  Crush crush(sheet.mesh, sheet.rest, 1, params);
  const PlaneWaves& waves = crush.step(mapped(sheet.rest, squeeze(1e-9, 0)));
  EXPECT_EQ(crush.report().bounded, sheet.rest.rows());
  EXPECT_LT(waves.wave_vectors.rowwise().norm().maxCoeff(), 1 / params.min_stretch + 1e-9);
  EXPECT_NEAR(waves.amplitudes.front(), 0.25, 1e-12);
  crush.step(0 * sheet.rest);
  EXPECT_EQ(crush.report().flattened, sheet.rest.rows());
  for (const double h : waves.amplitudes) EXPECT_EQ(h, 0);
}

TEST(Crush, reports_vertices_whose_neighbourhood_says_nothing) {
  // Vertices 0, 1, 2 on one line, 3 and 4 beside it; 5 belongs to no triangle.
  const auto mesh = std::make_shared<Mesh>(shapes::faces({{0, 1, 2}, {1, 3, 4}}), 6);
  Array3 rest(6, 3);
  rest << 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 1, 0, 0, 1, 0, 9, 9, 9;
  Crush crush(mesh, rest, 1, {});
  EXPECT_EQ(crush.report().isolated, 1);
  EXPECT_EQ(crush.report().singular, 2);
  const PlaneWaves& waves = crush.step(mapped(rest, squeeze(0.5, 1)));
  for (const std::size_t v : {0u, 2u, 5u}) {
    EXPECT_EQ(waves.amplitudes[v], 0);
    EXPECT_EQ(waves.wave_vectors.row(Eigen::Index(v)).norm(), 0);
  }
  EXPECT_TRUE(waves.wave_vectors.allFinite());
}

TEST(Crush, refuses_what_it_cannot_use_and_stays_as_it_is) {
  std::mt19937_64 random(7);
  const Sheet sheet = irregular_sheet(random);
  for (const double wavelength : {0.0, -1.0, kNan})
    EXPECT_THROW(Crush(sheet.mesh, sheet.rest, wavelength, {}), InvalidArgument);
  Crush crush(sheet.mesh, sheet.rest, 1, {});
  Array3 paint = Array3::Zero(sheet.rest.rows(), 3);
  paint(3, 1) = 1;
  EXPECT_THROW(crush.set_paint(paint), InvalidArgument);
  EXPECT_EQ(crush.paint().norm(), 0);
  std::vector<double> wavelengths(std::size_t(sheet.rest.rows()), 1);
  wavelengths[5] = 0;
  EXPECT_THROW(crush.set_wavelengths(wavelengths), InvalidArgument);
  Array3 positions = sheet.rest;
  positions(2, 0) = kNan;
  EXPECT_THROW(crush.step(positions), InvalidArgument);
}

}  // namespace
}  // namespace pucker::waves
