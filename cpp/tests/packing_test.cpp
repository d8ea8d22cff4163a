#include "pucker/dynamic/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <set>

#include "wrinkled_runs.h"

namespace pucker {
namespace {

using testing::irregular_sheet;
using testing::params_for;
using testing::RestShape;
using testing::wrinkled_runs;

std::size_t total_points(const Wrinkler& run) {
  std::size_t out = 0;
  for (const Wrinkle& wrinkle : run.state().wrinkles) out += wrinkle.size();
  return out;
}

TEST(Packing, sizes_follow_the_wrinkles) {
  for (const Wrinkler& run : wrinkled_runs()) {
    const PackedWrinkles& packed = run.state().packed;
    ASSERT_FALSE(run.state().wrinkles.empty());
    std::size_t listed = 0;
    for (std::int64_t t = 0; t < run.mesh()->triangle_count(); ++t) listed += packed.triangles[std::size_t(2 * t)];
    EXPECT_EQ(packed.triangles.size(), std::size_t(2 * run.mesh()->triangle_count()));
    EXPECT_EQ(packed.points.size() * sizeof(PackedPoint), 64 * total_points(run));
    EXPECT_EQ(packed.overlaps.size() * sizeof(std::uint32_t), 8 * listed);
  }
}

TEST(Packing, lists_of_the_triangles_lie_one_after_the_other) {
  for (const Wrinkler& run : wrinkled_runs()) {
    std::uint32_t next = 0;
    const std::vector<std::uint32_t>& triangles = run.state().packed.triangles;
    for (std::size_t t = 0; t < triangles.size() / 2; ++t) {
      EXPECT_EQ(triangles[2 * t + 1], next);
      next += triangles[2 * t];
    }
  }
}

TEST(Packing, points_hold_the_path_its_curve_and_its_sizes) {
  for (const Wrinkler& run : wrinkled_runs()) {
    const WrinklerState& state = run.state();
    const PackedPoint* p = state.packed.points.data();
    for (std::size_t w = 0; w < state.wrinkles.size(); ++w) {
      const Wrinkle& wrinkle = state.wrinkles[w];
      const PathCurve& curve = state.curves[w];
      for (std::size_t i = 0; i < wrinkle.size(); ++i, ++p) {
        const bool last = i + 1 == wrinkle.size();
        for (int k = 0; k < 3; ++k) {
          EXPECT_EQ(p->position[k], float(curve.points[i][k]));
          EXPECT_EQ(p->tangent[k], float(curve.tangents[i][k]));
          EXPECT_EQ(p->normal[k], float(curve.normals[last ? i - 1 : i][k]));
        }
        EXPECT_EQ(p->width, float(wrinkle.knot_widths[2 * i]));
        EXPECT_EQ(p->height, float(wrinkle.knot_heights[2 * i]));
        EXPECT_EQ(p->arc_length, float(curve.arc_lengths[i]));
        EXPECT_EQ(p->mid_width, last ? 0.0f : float(wrinkle.knot_widths[2 * i + 1]));
        EXPECT_EQ(p->mid_height, last ? 0.0f : float(wrinkle.knot_heights[2 * i + 1]));
      }
    }
  }
}

TEST(Packing, a_triangle_lists_each_wrinkle_once_within_its_points) {
  for (const Wrinkler& run : wrinkled_runs()) {
    const WrinklerState& state = run.state();
    std::vector<std::uint32_t> starts{0};
    for (const Wrinkle& wrinkle : state.wrinkles) starts.push_back(starts.back() + std::uint32_t(wrinkle.size()));
    for (std::int64_t t = 0; t < run.mesh()->triangle_count(); ++t) {
      std::ptrdiff_t before = -1;
      for (std::uint32_t k = 0; k < state.packed.triangles[std::size_t(2 * t)]; ++k) {
        const std::size_t entry = 2 * (state.packed.triangles[std::size_t(2 * t + 1)] + k);
        const std::uint32_t first = state.packed.overlaps[entry];
        const std::uint32_t last = state.packed.overlaps[entry + 1];
        const std::ptrdiff_t wrinkle = std::ranges::upper_bound(starts, first) - starts.begin() - 1;
        EXPECT_GT(wrinkle, before);
        EXPECT_LT(first, last);
        EXPECT_LT(last, starts[std::size_t(wrinkle + 1)]);
        before = wrinkle;
      }
    }
  }
}

TEST(Packing, a_flat_wrinkle_is_packed_but_overlaps_nothing) {
  const Wrinkler run = std::move(wrinkled_runs().front());
  const WrinklerState& state = run.state();
  std::vector<Wrinkle> flat = state.wrinkles;
  for (Wrinkle& wrinkle : flat) std::ranges::fill(wrinkle.knot_heights, 0.0);
  PackedWrinkles packed;
  const CompressionField field{*run.mesh(), run.positions(), state.frames, state.stretch, state.compression};
  Packer(*run.mesh()).pack(field, flat, state.curves, packed);
  EXPECT_EQ(packed.points.size(), total_points(run));
  EXPECT_TRUE(packed.overlaps.empty());
  for (std::size_t t = 0; t < packed.triangles.size(); t += 2) EXPECT_EQ(packed.triangles[t], 0u);
}

TEST(Packing, no_wrinkles_leave_every_list_empty) {
  const Wrinkler run = std::move(wrinkled_runs().front());
  const WrinklerState& state = run.state();
  PackedWrinkles packed = state.packed;
  const CompressionField field{*run.mesh(), run.positions(), state.frames, state.stretch, state.compression};
  Packer(*run.mesh()).pack(field, {}, {}, packed);
  EXPECT_TRUE(packed.points.empty());
  EXPECT_TRUE(packed.overlaps.empty());
  EXPECT_EQ(packed.triangles, std::vector<std::uint32_t>(std::size_t(2 * run.mesh()->triangle_count()), 0));
}

TEST(Packing, reuse_gives_what_a_new_packer_gives) {
  const RestShape sheet = irregular_sheet(8, 0.35, 2);
  Wrinkler run(sheet.mesh, params_for(0.02));
  for (int frame = 0; frame < 20; ++frame) {
    Array3 positions = sheet.positions;
    positions.col(0) *= 1 - 0.02 * (frame < 12 ? frame : 20 - frame);
    const WrinklerState& state = run.advance(positions, frame / 30.0);
    PackedWrinkles fresh;
    const CompressionField field{*run.mesh(), run.positions(), state.frames, state.stretch, state.compression};
    Packer(*run.mesh()).pack(field, state.wrinkles, state.curves, fresh);
    EXPECT_EQ(fresh.triangles, state.packed.triangles);
    EXPECT_EQ(fresh.overlaps, state.packed.overlaps);
  }
}

TEST(Packing, arc_lengths_increase_even_where_points_lie_closer_than_single_precision_tells) {
  const RestShape sheet = irregular_sheet(2, 0, 1);
  const LocalFrames frames = local_frames(*sheet.mesh, sheet.positions);
  Stretch stretch;
  const std::vector<double> none(std::size_t(sheet.mesh->triangle_count()), 1);
  const CompressionField field{*sheet.mesh, sheet.positions, frames, stretch, none};
  Wrinkle wrinkle;
  wrinkle.points.resize(4);
  wrinkle.triangles = {0, 0, 0};
  wrinkle.knot_widths.assign(7, 0.1);
  wrinkle.knot_heights.assign(7, 0);
  const Vector3 x = Vector3::UnitX();
  const PathCurve curve{{0 * x, x, (1 + 1e-9) * x, 2 * x}, {x, x, x, x}, {3, Vector3::UnitZ()}, {0, 1, 1 + 1e-9, 2}};
  PackedWrinkles packed;
  Packer(*sheet.mesh).pack(field, {wrinkle}, {curve}, packed);
  EXPECT_GT(packed.points[2].arc_length, packed.points[1].arc_length);
  EXPECT_EQ(packed.points[3].arc_length, 2);
}

TEST(Packing, of_every_run_is_accepted) {
  for (const Wrinkler& run : wrinkled_runs())
    EXPECT_NO_THROW(require_packed(run.state().packed, run.mesh()->triangle_count()));
}

TEST(Packing, both_sides_of_an_edge_see_the_same_where_cloth_has_collapsed_to_a_line) {
  // The triangles have an area of rounding, and normals to match.
  const RestShape sheet = irregular_sheet(8, 0.35, 4);
  const Vector3 line = Vector3(5, 2, -3).normalized();
  Wrinkler run(sheet.mesh, params_for(0.02));
  const testing::RandomMotion motion(sheet.positions, 0.15, 5);
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> place(0, 1);
  int displaced = 0;
  for (int frame = 0; frame < 60; ++frame) {
    Array3 positions = motion.at(frame / 30.0);
    if (frame % 8 == 7) positions = Array3(positions * line * line.transpose());
    const WrinklerState& state = run.advance(positions, frame / 30.0);
    const Index3& faces = sheet.mesh->faces();
    for (std::int32_t t = 0; t < sheet.mesh->triangle_count(); ++t)
      for (int k = 0; k < 3; ++k) {
        const std::int32_t other = sheet.mesh->triangle_neighbours()(t, k);
        if (other == kNone) continue;
        const double u = place(random);
        Array3 weights = Array3::Zero(2, 3);
        weights(0, k) = weights(1, sheet.mesh->corner(other, faces(t, k))) = u;
        weights(0, (k + 1) % 3) = weights(1, sheet.mesh->corner(other, faces(t, (k + 1) % 3))) = 1 - u;
        const std::vector<std::int32_t> both{t, other};
        const std::vector<double> offsets = normal_offsets(state.detail().evaluate(both, weights));
        if (offsets[0] != 0) ++displaced;
        ASSERT_NEAR(offsets[0], offsets[1], 1e-6) << "triangles " << t << " and " << other << ", frame " << frame;
      }
  }
  EXPECT_GT(displaced, 100);
}

TEST(Packing, both_sides_of_an_edge_see_the_same_where_a_path_on_another_layer_comes_back_to_one_of_them) {
  // A strip begins and ends at vertex 0 of a triangle, whose other edge its middle passes closely.
  const std::vector<std::int32_t> strip{0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0};
  Array3 positions(13, 3);
  positions << 5, -10, 0,                            // vertex 0, at which the path begins and ends
      0, 0, 0, 10, 0, 0, 5, 10, 0,                   // the edge between two triangles, the other one
      5.2, -10, 0, 5, -10.2, 0, -15, -30, 0,         // away from vertex 0
      -15, -0.3, 0.1, 25, -0.3, 0.1, -15, 0.9, 0.1,  // across the edge
      25, -30, 5, 4.8, -10, 0, 5, -9.8, 0;           // back to vertex 0
  const auto segments = Eigen::Index(strip.size()) - 2;
  Index3 faces(segments + 2, 3);
  for (Eigen::Index t = 0; t < segments; ++t)
    faces.row(t) << strip[std::size_t(t)], strip[std::size_t(t) + 1], strip[std::size_t(t) + 2];
  faces.row(segments) << 0, 1, 2;
  faces.row(segments + 1) << 1, 3, 2;
  const auto mesh = std::make_shared<Mesh>(faces, positions.rows());
  Wrinkle path;
  for (std::size_t k = 0; k + 1 < strip.size(); ++k)
    path.points.push_back({std::min(strip[k], strip[k + 1]), std::max(strip[k], strip[k + 1]), 0.5});
  for (std::int32_t t = 0; t < segments; ++t) path.triangles.push_back(t);
  path.knot_widths.assign(2 * path.size() - 1, 0.5);
  path.knot_heights.assign(2 * path.size() - 1, 0.1);
  require_path(*mesh, path);

  const LocalFrames frames = local_frames(*mesh, positions);
  const Stretch none = stretch(frames.matrices, frames.matrices);
  const std::vector<double> compression(std::size_t(faces.rows()), 1.0);
  std::vector<PathCurve> curves(1);
  path_curve(path, positions, frames, curves[0]);
  PackedWrinkles packed;
  Packer(*mesh).pack({*mesh, positions, frames, none, compression}, {path}, curves, packed);
  require_packed(packed, mesh->triangle_count());

  const std::vector<std::int32_t> both{std::int32_t(segments), std::int32_t(segments) + 1};
  Array3 weights(2, 3);
  weights << 0, 0.5, 0.5, 0.5, 0, 0.5;
  const std::vector<double> offsets =
      normal_offsets(evaluate_surface(*mesh, Profile::bspline, positions, packed, both, weights));
  EXPECT_NEAR(offsets[0], offsets[1], 1e-12);
  EXPECT_GT(std::fabs(offsets[1]), 0.01);
}

TEST(Packing, widths_of_32_bits_are_above_zero) {
  const RestShape sheet = irregular_sheet(3, 0.3, 7);
  EXPECT_THROW(Wrinkler(sheet.mesh, params_for(1e-60)), InvalidArgument);
  EXPECT_THROW(Wrinkler(sheet.mesh, params_for(1e60)), InvalidArgument);
  Wrinkler run(sheet.mesh, params_for(1e-30));
  run.advance(sheet.positions, 0);
  run.advance(0.5 * sheet.positions, 0.1);
  const CompressionField field = run.field();
  Wrinkle wrinkle;
  wrinkle.points = {inner_point(*sheet.mesh, 0, Vector3(0.3, 0.3, 0.4), 0),
                    inner_point(*sheet.mesh, 0, Vector3(0.4, 0.3, 0.3), 0)};
  wrinkle.triangles = {0};
  wrinkle.knot_widths.assign(3, 1e-60);
  wrinkle.knot_heights.assign(3, 0.0);
  std::vector<PathCurve> curves(1);
  path_curve(wrinkle, run.positions(), run.state().frames, curves[0]);
  PackedWrinkles packed;
  Packer(*sheet.mesh).pack(field, {wrinkle}, curves, packed);
  EXPECT_NO_THROW(require_packed(packed, sheet.mesh->triangle_count()));
}

}  // namespace
}  // namespace pucker
