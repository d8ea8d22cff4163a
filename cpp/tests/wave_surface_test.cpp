#include "pucker/waves/wave_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "pucker/draw/content.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "waves_shapes.h"

namespace pucker::waves {
namespace {

struct Scene {
  Sheet sheet;
  PlaneWaves waves;
  std::vector<double> phases;
  PleatTable table{Pleat::cosine};
  Array3 places;

  explicit Scene(std::mt19937_64& random) : sheet(irregular_sheet(random, 4)) {
    std::uniform_real_distribution<double> share(0, 1);
    std::normal_distribution<double> normal;
    const Eigen::Index count = sheet.rest.rows();
    waves.wave_vectors.resize(count, 3);
    for (Eigen::Index v = 0; v < count; ++v) {
      sheet.rest(v, 2) = 0.05 * normal(random);
      waves.wave_vectors.row(v) << normal(random), normal(random), normal(random);
      waves.wavelengths.push_back(0.3 + 0.2 * share(random));
      waves.amplitudes.push_back(0.1 * share(random));
      phases.push_back(6 * share(random));
    }
    vertex_normals(*sheet.mesh, sheet.rest, waves.normals);
    places = sheet.rest;
  }

  /// Phases measured along another pose, where triangles are no affine image of those of the frame.
  void measure_elsewhere(std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    for (double& x : places.reshaped()) x += 0.1 * normal(random);
  }

  FieldView field() const { return {*sheet.mesh, sheet.rest, waves, phases, table, places, waves.wave_vectors}; }
};

double height(const Scene& scene, std::int32_t triangle, const Vector3& at) {
  const std::int32_t triangles[] = {triangle};
  return evaluate_field(scene.field(), Gradient::full, triangles, Array3(at.transpose())).heights[0];
}

Vector3 gradient(const Scene& scene, Gradient kind, std::int32_t triangle, const Vector3& at) {
  const std::int32_t triangles[] = {triangle};
  return evaluate_field(scene.field(), kind, triangles, Array3(at.transpose())).gradients.row(0).transpose();
}

/// Whether the phase of a corner's wave lies within an entry of the table of a multiple of π.
bool near_fold(const Scene& scene, std::int32_t triangle, const Vector3& at) {
  const auto corner = [&](int k) { return scene.places.row(scene.sheet.mesh->faces()(triangle, k)); };
  const Eigen::RowVector3d point = at[0] * corner(0) + at[1] * corner(1) + at[2] * corner(2);
  for (int k = 0; k < 3; ++k) {
    const Eigen::Index v = scene.sheet.mesh->faces()(triangle, k);
    const double phase = 2 * std::numbers::pi / scene.waves.wavelengths[std::size_t(v)] *
                             scene.waves.wave_vectors.row(v).dot(point - corner(k)) +
                         scene.phases[std::size_t(v)];
    if (std::abs(std::remainder(phase, std::numbers::pi)) < 0.2) return true;
  }
  return false;
}

TEST(WaveSurface, sizes_of_features_are_quarters_of_the_waves_that_reach_a_triangle) {
  std::mt19937_64 random(21);
  Scene scene(random);
  const Mesh& mesh = *scene.sheet.mesh;
  for (std::size_t v = 0; v < scene.waves.amplitudes.size(); ++v)
    if (v % 3 != 0) scene.waves.amplitudes[v] = 0;
  // One wave vector so long that the bound of all triangles holds it.
  scene.waves.wave_vectors.row(12) << 40, 0, 0;
  const WaveDetail detail(scene.field(), {}, Gradient::full);
  const double shortest = *std::min_element(scene.waves.wavelengths.begin(), scene.waves.wavelengths.end());
  EXPECT_DOUBLE_EQ(detail.feature_size(), shortest / 8);
  const std::vector<double> sizes = detail.feature_sizes();
  ASSERT_EQ(std::int64_t(sizes.size()), mesh.triangle_count());
  int flat = 0;
  int stretched = 0;
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    double least = std::numeric_limits<double>::infinity();
    bool reached = false;
    for (const std::int32_t v : mesh.faces().row(t)) {
      reached |= scene.waves.amplitudes[std::size_t(v)] > 0;
      // Cloth that is squeezed to a share r has waves as long as r times theirs; stretched cloth keeps theirs.
      const double wave = scene.waves.wave_vectors.row(v).norm();
      stretched += wave < 1 ? 1 : 0;
      least = std::min(least, scene.waves.wavelengths[std::size_t(v)] / (4 * std::max(wave, 1.0)));
    }
    flat += reached ? 0 : 1;
    const double expected = reached ? std::max(least, shortest / 8) : std::numeric_limits<double>::infinity();
    EXPECT_DOUBLE_EQ(sizes[std::size_t(t)], expected);
  }
  EXPECT_GT(flat, 0);
  EXPECT_GT(stretched, 0);
}

TEST(WaveSurface, full_gradient_is_the_derivative_of_the_height) {
  std::mt19937_64 random(1);
  Scene scene(random);
  // Its values and slopes agree exactly, but next to its folds.
  scene.table = PleatTable(Pleat::accordion);
  scene.measure_elsewhere(random);
  const Vector3 at(0.2, 0.3, 0.5);
  int compared = 0;
  for (std::int32_t t = 0; t < scene.sheet.mesh->triangle_count(); ++t) {
    if (near_fold(scene, t, at)) continue;
    ++compared;
    const Vector3 slope = gradient(scene, Gradient::full, t, at);
    for (const Vector3& way : {Vector3(1, -1, 0), Vector3(0, 1, -1)}) {
      Vector3 moved = Vector3::Zero();
      for (int k = 0; k < 3; ++k) moved += way[k] * scene.sheet.rest.row(scene.sheet.mesh->faces()(t, k)).transpose();
      constexpr double delta = 1e-6;
      const double difference = (height(scene, t, at + delta * way) - height(scene, t, at - delta * way)) / (2 * delta);
      EXPECT_NEAR(slope.dot(moved), difference, 1e-7);
    }
    const Vector3 a = scene.sheet.rest.row(scene.sheet.mesh->faces()(t, 0)).transpose();
    const Vector3 b = scene.sheet.rest.row(scene.sheet.mesh->faces()(t, 1)).transpose();
    const Vector3 c = scene.sheet.rest.row(scene.sheet.mesh->faces()(t, 2)).transpose();
    EXPECT_NEAR(slope.dot((b - a).cross(c - a).normalized()), 0, 1e-12);
  }
  EXPECT_GT(compared, 5);
}

TEST(WaveSurface, printed_gradient_and_height_are_continuous_over_edges) {
  std::mt19937_64 random(2);
  Scene scene(random);
  scene.measure_elsewhere(random);
  const Mesh& mesh = *scene.sheet.mesh;
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
    const auto [left, right] = mesh.edge_triangles(e);
    if (right == kNone) continue;
    const auto at = [&](std::int32_t t) {
      Vector3 out = Vector3::Zero();
      out[mesh.corner(t, mesh.edges()(e, 0))] = 0.7;
      out[mesh.corner(t, mesh.edges()(e, 1))] = 0.3;
      return out;
    };
    EXPECT_NEAR(height(scene, left, at(left)), height(scene, right, at(right)), 1e-14);
    EXPECT_LT(
        (gradient(scene, Gradient::printed, left, at(left)) - gradient(scene, Gradient::printed, right, at(right)))
            .norm(),
        1e-12);
  }
}

TEST(WaveSurface, moves_points_along_their_normal_by_the_height) {
  std::mt19937_64 random(3);
  const Scene scene(random);
  std::vector<PackedWave> packed;
  pack_waves(scene.field(), packed);
  const WaveDetail detail(scene.field(), packed, Gradient::printed);
  const std::int32_t triangles[] = {0, 5, 9};
  const Array3 at = Vector3(0.5, 0.25, 0.25).transpose().replicate(3, 1);
  const SurfacePoints points = detail.evaluate(triangles, at);
  const FieldPoints field = detail.evaluate_field(triangles, at);
  for (Eigen::Index i = 0; i < 3; ++i) {
    EXPECT_LT(
        (points.positions.row(i) - points.base.row(i) - field.heights[std::size_t(i)] * points.base_normals.row(i))
            .norm(),
        1e-15);
    EXPECT_LT(points.normals.row(i).cross(points.base_normals.row(i) - field.gradients.row(i)).norm(), 1e-12);
  }
  const auto [low, high] = detail.offset_range();
  for (const double height : field.heights) {
    EXPECT_GE(height, low);
    EXPECT_LE(height, high);
  }
  for (const double size : detail.feature_sizes()) {
    EXPECT_GE(size, detail.feature_size());
    EXPECT_LE(size, 0.25 * 0.5);  // no wave of the scene is longer
  }
  EXPECT_EQ(detail.draw_content(Vector3::Zero(), nullptr).buffers.front().bytes.size(),
            packed.size() * sizeof(PackedWave));
}

TEST(PleatTable, has_no_number_for_a_phase_that_is_none) {
  const PleatTable table(Pleat::cosine);
  for (const double phase : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(table.value(phase)));
    EXPECT_TRUE(std::isnan(table.slope(phase)));
  }
}

TEST(PleatTable, is_even_and_bounded_and_its_slopes_are_odd) {
  for (const Pleat pleat : {Pleat::cosine, Pleat::accordion, Pleat::pencil}) {
    const PleatTable table(pleat);
    for (const double phase : {0.0, 0.1, 1.0, 2.5, 3.1, 40.0}) {
      EXPECT_NEAR(table.value(phase), table.value(-phase), 1e-14);
      EXPECT_NEAR(table.slope(phase), -table.slope(-phase), 1e-14);
      EXPECT_LE(std::abs(table.value(phase)), 1);
      EXPECT_NEAR(table.value(phase), table.value(phase + 2e6 * std::numbers::pi), 1e-8);
    }
    EXPECT_EQ(table.value(0), 1);
  }
  EXPECT_NEAR(PleatTable(Pleat::cosine).value(1), std::cos(1.0), 0.005);
  EXPECT_NEAR(PleatTable(Pleat::accordion).value(1), 1 - 2 / std::numbers::pi, 1e-14);
  EXPECT_NEAR(PleatTable(Pleat::pencil).value(2), 2 * std::cos(1.0) - 1, 0.005);
}

TEST(PleatTable, refuses_values_that_are_no_profile) {
  PleatTable::Values values = PleatTable(Pleat::cosine).values();
  EXPECT_NO_THROW(PleatTable{std::span<const double>(values)});
  EXPECT_THROW(PleatTable(std::span<const double>(values).first(31)), InvalidArgument);
  values[3] += 0.1;
  EXPECT_THROW(PleatTable{std::span<const double>(values)}, InvalidArgument);
  values.fill(1.5);
  EXPECT_THROW(PleatTable{std::span<const double>(values)}, InvalidArgument);
}

}  // namespace
}  // namespace pucker::waves
