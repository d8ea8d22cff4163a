#include "pucker/dynamic/border.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "motion.h"

namespace pucker {
namespace {

using testing::params_for;
using testing::RestShape;

/// Wrinkles of a sheet that is squeezed along x, before they fade: they lead to its edge y = 0, which is shared.
struct Squeezed {
  RestShape shape = testing::irregular_sheet(20, 0.35, 3);
  Params params = params_for(0.05);
  Wrinkler run{shape.mesh, params};

  Squeezed() {
    for (int frame = 0; frame < 20; ++frame) {
      Array3 positions = shape.positions;
      positions.col(0) *= 1 - 0.02 * frame;
      run.advance(positions, frame / 30.0);
    }
  }
  std::vector<std::int32_t> edge() const {
    std::vector<std::int32_t> out;
    for (Eigen::Index v = 0; v < shape.positions.rows(); ++v)
      if (shape.positions(v, 1) == 0) out.push_back(std::int32_t(v));
    return out;
  }
};

TEST(SharedBorder, half_a_width_is_at_most_six_tenths_of_the_distance_and_the_height_a_smooth_step_of_it) {
  const Squeezed sheet;
  const WrinklerState& state = sheet.run.state();
  PackedWrinkles faded = state.packed;
  SharedBorder(sheet.shape.mesh, sheet.edge())
      .fade_out(sheet.run.positions(), state.wrinkles, state.curves, sheet.params, faded);
  const double flat = sheet.params.flat_width();
  const double range = sheet.params.shape.border_fade * flat;
  ASSERT_EQ(faded.points.size(), state.packed.points.size());
  int narrowed = 0;
  int lowered = 0;
  int untouched = 0;
  std::size_t next = 0;
  for (const PathCurve& curve : std::span(state.curves).first(state.wrinkles.size()))
    for (const Vector3& point : curve.points) {
      const PackedPoint& before = state.packed.points[next];
      const PackedPoint& after = faded.points[next];
      ++next;
      const double distance = std::abs(point.y());
      EXPECT_LE(after.width, std::max(1.2 * distance, 1e-4 * flat) * (1 + 1e-6));
      if (distance >= std::max(range, flat)) {
        EXPECT_EQ(after.width, before.width);
        EXPECT_EQ(after.height, before.height);
        ++untouched;
        continue;
      }
      // No nearer than its own distance, where the path comes straight to the border.
      const double x = std::min(distance / range, 1.0);
      EXPECT_LE(after.height, before.height * x * x * (3 - 2 * x) * (1 + 1e-6));
      if (after.width == float(1.2 * distance)) ++narrowed;
      if (after.height > 0 && std::abs(after.height - before.height * x * x * (3 - 2 * x)) < 1e-6 * before.height)
        ++lowered;
    }
  EXPECT_GT(narrowed, 3);
  EXPECT_GT(lowered, 3);
  EXPECT_GT(untouched, 3);
}

TEST(SharedBorder, a_seam_inside_is_a_line_and_not_single_points) {
  const Squeezed sheet;
  const WrinklerState& state = sheet.run.state();
  constexpr int side = 21;
  constexpr int row = 10;
  std::vector<std::int32_t> seam(side);
  for (int x = 0; x < side; ++x) seam[std::size_t(x)] = row * side + x;
  const auto is_of_seam = [&](std::int32_t v) { return std::ranges::find(seam, v) != seam.end(); };
  PackedWrinkles faded = state.packed;
  SharedBorder(sheet.shape.mesh, seam)
      .fade_out(sheet.run.positions(), state.wrinkles, state.curves, sheet.params, faded);
  // Paths that lead through the row have a point on one of its edges.
  int met = 0;
  std::size_t next = 0;
  for (const PathCurve& curve : std::span(state.curves).first(state.wrinkles.size()))
    for (const Vector3& point : curve.points) {
      const std::size_t number = next++;
      for (std::int32_t e = 0; e < sheet.shape.mesh->edge_count(); ++e) {
        const std::int32_t from = sheet.shape.mesh->edges()(e, 0);
        const std::int32_t to = sheet.shape.mesh->edges()(e, 1);
        if (!is_of_seam(from) || !is_of_seam(to)) continue;
        const Vector3 a = sheet.run.positions().row(from);
        const Vector3 along = sheet.run.positions().row(to).transpose() - a;
        if ((point - a).cross(along).norm() > 1e-9 || along.dot(point - a) < 0 ||
            along.dot(point - a) > along.squaredNorm())
          continue;
        const float before = state.packed.points[number].height;
        EXPECT_GT(before, 0);
        EXPECT_LT(faded.points[number].height, 1e-12 * before);
        ++met;
      }
    }
  EXPECT_GT(met, 3);
}

}  // namespace
}  // namespace pucker
