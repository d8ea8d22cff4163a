#include "pucker/dynamic/widths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <span>
#include <vector>

#include "motion.h"
#include "pucker/dynamic/shape.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

using testing::params_for;
using testing::RestShape;

Params thin(double thickness) {
  Params params = params_for(0.1);  // a flat wrinkle is 0.314 wide
  params.thickness = thickness;
  return params;
}

/// An open tube about the y axis, `radius` wide at one end and twice as wide at the other.
RestShape funnel(double radius) {
  constexpr std::int32_t across = 32;
  constexpr std::int32_t along = 20;
  Array3 positions(across * (along + 1), 3);
  for (std::int32_t y = 0; y <= along; ++y)
    for (std::int32_t x = 0; x < across; ++x) {
      const double angle = 2 * std::numbers::pi * x / across;
      const double here = radius * (1 + double(y) / along);
      positions.row(y * across + x) << here * std::cos(angle), 0.1 * y, here * -std::sin(angle);
    }
  return {std::make_shared<Mesh>(shapes::cylinder(across, along), positions.rows()), positions};
}

TEST(Widths, are_those_of_the_parameters_unless_the_garment_is_thin) {
  const RestShape shape = funnel(0.05);
  EXPECT_TRUE(wrinkle_widths(*shape.mesh, shape.positions, thin(0)).empty());
  Params verbatim = thin(1);
  verbatim.verbatim = true;
  EXPECT_TRUE(wrinkle_widths(*shape.mesh, shape.positions, verbatim).empty());
  for (const double width : wrinkle_widths(*shape.mesh, shape.positions, thin(10))) EXPECT_EQ(width, 1);
}

TEST(Widths, are_as_many_thicknesses_as_asked_for) {
  const RestShape shape = funnel(0.05);
  const double flat = thin(1).flat_width();
  for (const double thickness : {1.0, 1.5}) {
    const std::vector<double> widths = wrinkle_widths(*shape.mesh, shape.positions, thin(thickness));
    ASSERT_EQ(std::int64_t(widths.size()), shape.mesh->triangle_count());
    for (std::int32_t t = 0; t < shape.mesh->triangle_count(); ++t) {
      double height = 0;
      for (int k = 0; k < 3; ++k) height += shape.positions(shape.mesh->faces()(t, k), 1) / 3;
      if (height < 0.3 || height > 1.7) continue;  // rays at the ends leave by the opening
      const double diameter = 0.1 * (1 + height / 2);
      EXPECT_NEAR(widths[std::size_t(t)], std::min(thickness * diameter / flat, 1.0), 0.03) << "at " << height;
    }
  }
}

TEST(Widths, are_at_least_a_fifth_and_where_that_is_too_wide_there_are_no_wrinkles) {
  const RestShape shape = funnel(0.05);
  const double flat = thin(1).flat_width();
  // At three quarters of the way up the funnel is as thick as a fifth of the flat width.
  const double thickness = 0.2 * flat / (0.1 * 1.75);
  const std::vector<double> widths = wrinkle_widths(*shape.mesh, shape.positions, thin(thickness));
  for (std::int32_t t = 0; t < shape.mesh->triangle_count(); ++t) {
    double height = 0;
    for (int k = 0; k < 3; ++k) height += shape.positions(shape.mesh->faces()(t, k), 1) / 3;
    if (height < 0.3 || height > 1.7) continue;  // rays at the ends leave by the opening
    if (height < 1.4) {
      EXPECT_EQ(widths[std::size_t(t)], 0) << "at " << height;
    } else if (height > 1.6) {
      EXPECT_GE(widths[std::size_t(t)], 0.2) << "at " << height;
    }
  }
}

/// The funnel, and beside it the same so small that it fits into a ball `across` wide.
RestShape with_button(double across) {
  const RestShape large = funnel(0.05);
  const Eigen::RowVector3d middle = large.positions.colwise().mean();
  Array3 small = large.positions.rowwise() - middle;
  small *= across / (2 * small.rowwise().norm().maxCoeff());
  Array3 positions(2 * small.rows(), 3);
  positions << large.positions, small.rowwise() + Eigen::RowVector3d(1, 0, 0);
  Index3 faces(2 * large.mesh->triangle_count(), 3);
  faces << large.mesh->faces(), large.mesh->faces().array() + std::int32_t(small.rows());
  return {std::make_shared<Mesh>(faces, positions.rows()), positions};
}

TEST(Widths, are_none_on_parts_that_fit_into_a_ball_a_flat_width_across) {
  const double flat = thin(10).flat_width();
  for (const bool fits : {true, false}) {
    const RestShape shape = with_button((fits ? 0.99 : 1.01) * flat);
    const std::vector<double> widths = wrinkle_widths(*shape.mesh, shape.positions, thin(10));
    const std::size_t half = widths.size() / 2;
    EXPECT_EQ(std::ranges::count(std::span(widths).first(half), 0), 0);
    EXPECT_EQ(std::ranges::count(std::span(widths).last(half), 0), fits ? std::ptrdiff_t(half) : 0);
  }
}

TEST(Widths, need_a_rest_pose_of_the_mesh) {
  const RestShape shape = funnel(0.05);
  EXPECT_THROW(wrinkle_widths(*shape.mesh, shape.positions.topRows(3), thin(1)), InvalidArgument);
}

TEST(Widths, scale_a_wrinkle_whose_path_is_scaled_too) {
  const Shaper shaper(thin(0));
  for (const double length : {0.1, 0.3, 2.0})
    for (const double along : {0.0, 0.2, 0.5})
      for (const double width : {0.25, 0.6}) {
        const Size whole = shaper.target(length, 1.4, along);
        const Size scaled = shaper.target(width * length, 1.4, along, {}, width);
        EXPECT_NEAR(scaled.width, width * whole.width, 1e-15);
        EXPECT_NEAR(scaled.height, width * whole.height, 1e-12);
      }
}

/// What the funnel has when it has been squeezed along its axis.
std::vector<Wrinkle> squeezed(const RestShape& shape, const Params& params, bool rest) {
  Wrinkler run(shape.mesh, params, rest ? Cloth{shape.positions, {}} : Cloth{});
  for (int frame = 0; frame < 30; ++frame) {
    Array3 positions = shape.positions;
    positions.col(1) *= 1 - 0.01 * std::min(frame, 20);
    run.advance(positions, frame / 30.0);
  }
  return run.state().wrinkles;
}

TEST(Widths, of_nothing_keep_wrinkles_out) {
  const RestShape shape = funnel(0.05);
  const Params params = thin(0.2 * thin(1).flat_width() / (0.1 * 1.5));
  const std::vector<double> widths = wrinkle_widths(*shape.mesh, shape.positions, params);
  ASSERT_GT(std::ranges::count(widths, 0), 100);
  const std::vector<Wrinkle> wrinkles = squeezed(shape, params, true);
  ASSERT_GT(wrinkles.size(), 2u);
  for (const Wrinkle& wrinkle : wrinkles)
    for (const std::int32_t t : wrinkle.triangles) EXPECT_GT(widths[std::size_t(t)], 0);
}

TEST(Widths, let_a_thin_garment_have_more_and_lower_wrinkles_nearer_to_each_other) {
  const RestShape shape = funnel(0.05);
  const std::vector<Wrinkle> wide = squeezed(shape, thin(0), true);
  const std::vector<Wrinkle> narrow = squeezed(shape, thin(1), true);
  const auto highest = [](const std::vector<Wrinkle>& wrinkles) {
    double most = 0;
    for (const Wrinkle& wrinkle : wrinkles)
      for (const double height : wrinkle.knot_heights) most = std::max(most, height);
    return most;
  };
  ASSERT_GT(wide.size(), 2u);
  EXPECT_GT(narrow.size(), wide.size());
  EXPECT_LT(highest(narrow), 0.8 * highest(wide));
  EXPECT_GT(highest(narrow), 0);
  EXPECT_EQ(squeezed(shape, thin(1), false).size(), squeezed(shape, thin(0), false).size()) << "no rest pose";
}

}  // namespace
}  // namespace pucker
