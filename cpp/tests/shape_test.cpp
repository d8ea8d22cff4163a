#include "pucker/dynamic/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pucker/errors.h"

namespace pucker {
namespace {

constexpr double kMinWidth = 0.02;
constexpr double kFlat = std::numbers::pi * kMinWidth;
constexpr double kDt = 1.0 / 30;

Params params_of(HeightRule rule, Profile profile) {
  Params params = Params::ridges();
  params.min_width = kMinWidth;
  params.shape.height = rule;
  params.shape.profile = profile;
  params.shape.aspect = 0;  // as high as takes up the cloth
  return params;
}

bool has_valleys(Profile profile) { return profile == Profile::wave || profile == Profile::crease; }

std::vector<Params> all_rules() {
  std::vector<Params> out;
  for (const HeightRule rule : {HeightRule::circle, HeightRule::profile, HeightRule::measured})
    for (const Profile profile :
         {Profile::quartic, Profile::sinusoidal, Profile::arcs, Profile::bspline, Profile::wave, Profile::crease})
      out.push_back(params_of(rule, profile));
  return out;
}

Params verbatim(Params params) {
  params.verbatim = true;
  return params;
}

/// A straight path of `points` points and the given length, its segments in triangles 0, 1, …
struct Path {
  PathCurve curve;
  Wrinkle wrinkle;
};

Path straight_path(std::size_t points, double length) {
  Path out;
  for (std::size_t i = 0; i < points; ++i) {
    const double s = length * double(i) / double(points - 1);
    out.curve.points.emplace_back(s, 0, 0);
    out.curve.tangents.emplace_back(1, 0, 0);
    out.curve.arc_lengths.push_back(s);
    out.wrinkle.points.emplace_back();
    if (i > 0) {
      out.curve.normals.emplace_back(0, 0, 1);
      out.wrinkle.triangles.push_back(std::int32_t(i - 1));
    }
  }
  out.wrinkle.knot_widths.assign(2 * points - 1, kFlat);
  out.wrinkle.knot_heights.assign(2 * points - 1, 0);
  return out;
}

/// Steps until sizes no longer follow anything.
void settle(const Shaper& shaper, const std::vector<double>& compression, Path& path) {
  for (int frame = 0; frame < 200; ++frame) shaper.step(path.curve, compression, kDt, {}, path.wrinkle);
}

TEST(Shape, no_wrinkle_is_higher_than_its_width_allows_and_a_lower_one_keeps_its_form) {
  for (const Params& whole : all_rules()) {
    Params params = whole;
    params.shape.aspect = 0.4;
    for (const double compression : {1.0, 1.1, 1.3, 1.6, 2.0, 5.0}) {
      const Size free = Shaper(whole).target(1.0, compression, 0.5);
      const Size middle = Shaper(params).target(1.0, compression, 0.5);
      EXPECT_EQ(middle.width, free.width);
      const double steepest =
          has_valleys(params.shape.profile) ? 0.4 * std::acos(-0.25) / std::numbers::pi * 16 / 25 : 0.4;
      EXPECT_DOUBLE_EQ(middle.height, std::min(free.height, steepest * free.width));
      const double share = free.height > 0 ? middle.height / free.height : 1;
      for (const double along : {0.0, 0.2, 0.4, 0.7, 1.0})
        EXPECT_NEAR(Shaper(params).target(1.0, compression, along).height,
                    share * Shaper(whole).target(1.0, compression, along).height, 1e-15);
      EXPECT_EQ(Shaper(verbatim(params)).target(1.0, compression, 0.5).height,
                Shaper(verbatim(whole)).target(1.0, compression, 0.5).height);
    }
  }
}

TEST(Shape, no_valley_is_deeper_than_the_clearance_and_without_one_nothing_is_lowered) {
  for (const Profile profile : {Profile::wave, Profile::crease}) {
    Params params = params_of(HeightRule::profile, profile);
    const double free = Shaper(params).target(1.0, 1.7, 0.5).height;
    for (const double clearance : {0.0, 1e-3 * kMinWidth, 0.3 * free, free}) {
      params.shape.clearance = clearance;
      const Shaper shaper(params);
      for (double along = 0; along <= 1; along += 0.05) {
        const Size size = shaper.target(1.0, 1.7, along);
        double deepest = 0;
        for (int i = 0; i <= 1000; ++i)
          deepest = std::min(deepest, profile::value(profile, 0.5e-3 * i * size.width, size.width, size.height));
        EXPECT_GE(deepest, -clearance * (1 + 1e-12));
      }
      const double expected = std::min(free, profile == Profile::wave ? clearance * 16 / 9 : clearance);
      EXPECT_DOUBLE_EQ(shaper.target(1.0, 1.7, 0.5).height, expected);
    }
  }
  Params params = params_of(HeightRule::profile, Profile::bspline);
  // A profile without valleys needs no clearance.
  params.shape.clearance = 0;
  EXPECT_GT(Shaper(params).target(1.0, 1.7, 0.5).height, 0);
}

TEST(Shape, ends_are_flat) {
  for (const Params& params : all_rules())
    for (const double compression : {1.0, 1.3, 2.0, 10.0})
      for (const double along : {0.0, 1.0}) {
        const Size size = Shaper(params).target(1.0, compression, along);
        EXPECT_EQ(size.height, 0);
        EXPECT_DOUBLE_EQ(size.width, 0.5 * Shaper(params).target(1.0, compression, 0.5).width);
        const Size theses = Shaper(verbatim(params)).target(1.0, compression, along);
        EXPECT_EQ(theses.height, 0);
        EXPECT_DOUBLE_EQ(theses.width, kFlat);
      }
}

TEST(Shape, the_middle_is_as_wide_as_the_compressed_cloth) {
  for (const Params& params : all_rules()) {
    // Arcs cannot hold the cloth of a cross-section narrower than 2/π of it.
    const double narrowest = params.shape.profile == Profile::arcs ? 2 * kMinWidth : kMinWidth;
    for (const double compression : {1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 1e6})
      EXPECT_NEAR(Shaper(params).target(1.0, compression, 0.5).width, std::clamp(kFlat / compression, narrowest, kFlat),
                  1e-12 * kFlat);
  }
}

TEST(Shape, width_and_height_fall_from_the_middle_to_the_ends_but_verbatim_the_width_grows) {
  for (const Params& given : all_rules())
    for (const Params& params : {given, verbatim(given)}) {
      const Shaper shaper(params);
      const double grows = params.verbatim ? 1 : -1;
      Size before = shaper.target(1.0, 1.7, 0.5);
      for (int i = 1; i <= 100; ++i) {
        const Size left = shaper.target(1.0, 1.7, 0.5 - 0.005 * i);
        const Size right = shaper.target(1.0, 1.7, 0.5 + 0.005 * i);
        EXPECT_NEAR(left.width, right.width, 1e-12 * kFlat);
        EXPECT_NEAR(left.height, right.height, 1e-6 * kFlat);
        EXPECT_GE(grows * (left.width - before.width), -1e-15);
        EXPECT_LE(left.height, before.height + 1e-15);
        before = left;
      }
    }
}

TEST(Shape, heights_are_those_of_the_theses_and_no_cross_section_is_steeper_than_the_middle) {
  for (const Params& params : all_rules()) {
    const Shaper shaper(params);
    const Shaper theses(verbatim(params));
    const Size middle = shaper.target(1.0, 1.7, 0.5);
    for (double along = 0; along <= 1; along += 0.05) {
      const Size size = shaper.target(1.0, 1.7, along);
      EXPECT_EQ(size.height, theses.target(1.0, 1.7, along).height);
      EXPECT_LE(size.height / size.width, middle.height / middle.width + 1e-3);
    }
  }
}

TEST(Shape, size_changes_smoothly_along_the_path) {
  // Neither width nor height jumps, and the height has no corner at the end, where the table's slope is steepest.
  for (const Params& params : all_rules()) {
    const Shaper shaper(params);
    constexpr int steps = 2000;
    for (int i = 1; i <= steps; ++i) {
      const Size a = shaper.target(1.0, 2.0, double(i - 1) / steps);
      const Size b = shaper.target(1.0, 2.0, double(i) / steps);
      EXPECT_LT(std::fabs(b.width - a.width), 5 * kFlat / steps);
      EXPECT_LT(std::fabs(b.height - a.height), 5 * kFlat / steps);
    }
    const double peak = shaper.target(1.0, 2.0, 0.5).height;
    EXPECT_LT(shaper.target(1.0, 2.0, 0.01).height, 0.01 * peak) << "the height ends level";
  }
}

TEST(Shape, the_cross_section_keeps_the_cloth_with_the_profile_rule) {
  for (const Profile profile :
       {Profile::quartic, Profile::sinusoidal, Profile::arcs, Profile::bspline, Profile::wave, Profile::crease}) {
    const Shaper shaper(verbatim(params_of(HeightRule::profile, profile)));
    for (const double compression : {1.01, 1.1, 1.2, 1.4})
      for (const double along : {0.05, 0.2, 0.35, 0.5}) {
        const Size size = shaper.target(1.0, compression, along);
        const double exact = profile::height_for(profile, size.width, kFlat);
        EXPECT_NEAR(size.height, exact, 1.1e-4 * kFlat) << "the table's stated error";
        EXPECT_NEAR(profile::arc_length(profile, size.width, size.height), kFlat, 3e-4 * kFlat);
      }
  }
}

TEST(Shape, the_height_is_that_of_a_circle_with_the_circle_rule) {
  const Shaper shaper(verbatim(params_of(HeightRule::circle, Profile::bspline)));
  for (const double compression : {1.01, 1.2, 1.5, 2.0, 3.0})
    for (const double along : {0.05, 0.2, 0.35, 0.5}) {
      const Size size = shaper.target(1.0, compression, along);
      EXPECT_NEAR(size.height, circle_height(size.width, kFlat), 1.1e-4 * kFlat);
    }
}

TEST(Shape, a_short_path_is_thinner_in_proportion) {
  for (const Params& params : all_rules()) {
    const Shaper shaper(params);
    const double full = params.shape.slenderness * kFlat;
    for (const double along : {0.0, 0.3, 0.5}) {
      const Size whole = shaper.target(full, 1.5, along);
      EXPECT_DOUBLE_EQ(shaper.target(2 * full, 1.5, along).width, whole.width) << "longer paths are all alike";
      for (const double share : {0.1, 0.5, 0.9}) {
        const Size size = shaper.target(share * full, 1.5, along);
        EXPECT_NEAR(size.width, share * whole.width, 1e-12 * kFlat);
        EXPECT_NEAR(size.height, share * whole.height, 1e-6 * kFlat);
      }
    }
    const Size point = shaper.target(0, 1.5, 0.5);
    EXPECT_GT(point.width, 0) << "a cross-section has some width";
    EXPECT_LT(point.width, 0.01 * kFlat);
    EXPECT_LT(point.height, 0.01 * kFlat);
  }
}

TEST(Shape, without_slenderness_or_verbatim_length_does_not_matter) {
  Params params = params_of(HeightRule::circle, Profile::bspline);
  const Size expected = Shaper(params).target(100 * kFlat, 1.5, 0.5);
  params.shape.slenderness = 0;
  EXPECT_EQ(Shaper(params).target(0.1 * kFlat, 1.5, 0.5).width, expected.width);
  EXPECT_EQ(Shaper(params).target(0.1 * kFlat, 1.5, 0.5).height, expected.height);
  params.shape.slenderness = 3;
  params.verbatim = true;
  EXPECT_EQ(Shaper(params).target(0.1 * kFlat, 1.5, 0.5).width, expected.width);
}

TEST(Shape, scales_with_the_unit_of_length) {
  for (const double unit : {1e-8, 1e8}) {
    Params params = params_of(HeightRule::circle, Profile::bspline);
    const Size plain = Shaper(params).target(0.3, 1.5, 0.4);
    params.min_width = unit * params.least_width();
    const Size scaled = Shaper(params).target(0.3 * unit, 1.5, 0.4);
    EXPECT_NEAR(scaled.width, unit * plain.width, 1e-12 * unit * kFlat);
    EXPECT_NEAR(scaled.height, unit * plain.height, 1e-6 * unit * kFlat);
  }
}

TEST(Shape, sizes_reach_their_targets_for_the_largest_compression_along_the_path) {
  const Shaper shaper(params_of(HeightRule::circle, Profile::bspline));
  Path path = straight_path(5, 1.0);
  settle(shaper, {1.1, 1.6, 1.3, 1.2, 9.0}, path);  // no segment lies in triangle 4
  for (std::size_t k = 0; k < 9; ++k) {
    const Size expected = shaper.target(1.0, 1.6, double(k) / 8);
    EXPECT_DOUBLE_EQ(path.wrinkle.knot_widths[k], expected.width);
    EXPECT_DOUBLE_EQ(path.wrinkle.knot_heights[k], expected.height);
  }
}

TEST(Shape, cloth_that_is_not_compressed_becomes_flat) {
  const Shaper shaper(params_of(HeightRule::circle, Profile::bspline));
  Path path = straight_path(5, 1.0);
  settle(shaper, {2, 2, 2, 2}, path);
  settle(shaper, {0.5, 1, 1, 1}, path);
  for (const double height : path.wrinkle.knot_heights) EXPECT_EQ(height, 0);
  EXPECT_DOUBLE_EQ(path.wrinkle.knot_widths[4], kFlat);
  EXPECT_DOUBLE_EQ(path.wrinkle.knot_widths[0], 0.5 * kFlat);
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t k = 0; k < a.size(); ++k) out = std::max(out, std::fabs(a[k] - b[k]));
  return out;
}

TEST(Shape, changes_at_the_stated_rates_and_no_faster) {
  const Params params = params_of(HeightRule::circle, Profile::bspline);
  const Shaper shaper(params);
  const std::vector<std::vector<double>> courses{{4, 4, 4, 4}, {1.1, 1, 1, 1}, {1.5, 3, 1, 1}};
  for (const double dt : {kDt, 0.25 * kDt}) {
    const double rise = params.shape.height_rate * kMinWidth * dt;
    const double widen = params.shape.width_rate * kMinWidth * dt;
    Path path = straight_path(5, 1.0);
    shaper.step(path.curve, courses[0], dt, {}, path.wrinkle);
    double steepest = 0;
    double widest = 0;
    for (int frame = 0; frame < 120; ++frame) {
      const Wrinkle before = path.wrinkle;
      shaper.step(path.curve, courses[std::size_t(frame / 7) % 3], dt, {}, path.wrinkle);
      steepest = std::max(steepest, largest_change(before.knot_heights, path.wrinkle.knot_heights));
      widest = std::max(widest, largest_change(before.knot_widths, path.wrinkle.knot_widths));
    }
    EXPECT_NEAR(steepest, rise, 1e-15) << "the rate is used up, but not passed";
    EXPECT_NEAR(widest, widen, 1e-15);
  }
}

TEST(Shape, an_end_tapers_over_as_many_flat_widths_as_given_and_the_rest_is_as_the_middle) {
  for (Params params : all_rules()) {
    const double length = 20 * kFlat;
    const Size middle = Shaper(params).target(length, 1.7, 0.5);
    for (const double taper : {0.5, 2.0, 7.5}) {
      params.shape.taper = taper;
      const Shaper shaper(params);
      for (double along = 0; along <= 1; along += 0.01) {
        const Size size = shaper.target(length, 1.7, along);
        const double end = std::min(along, 1 - along) * length / kFlat;
        // As a wrinkle that is only as long as its two tapers.
        Params short_one = params;
        short_one.shape.taper = 0;
        short_one.shape.slenderness = 0;
        const Size expected =
            end >= taper ? middle : Shaper(short_one).target(2 * taper * kFlat, 1.7, 0.5 * end / taper);
        EXPECT_NEAR(size.width, expected.width, 1e-9 * kFlat);
        EXPECT_NEAR(size.height, expected.height, 1e-7 * kFlat);
      }
      EXPECT_EQ(shaper.target(length, 1.7, 0).height, 0);
    }
    // No shorter path than both tapers, and none of the theses', is shaped otherwise.
    params.shape.taper = 12;
    for (const double along : {0.0, 0.1, 0.3, 0.5, 0.9}) {
      Params without = params;
      without.shape.taper = 0;
      const Size size = Shaper(params).target(length, 1.7, along);
      EXPECT_EQ(size.width, Shaper(without).target(length, 1.7, along).width);
      EXPECT_EQ(size.height, Shaper(without).target(length, 1.7, along).height);
      params.shape.taper = 2;
      EXPECT_EQ(Shaper(verbatim(params)).target(length, 1.7, along).height,
                Shaper(verbatim(without)).target(length, 1.7, along).height);
      params.shape.taper = 12;
    }
  }
}

TEST(Shape, an_end_that_runs_into_another_wrinkle_keeps_its_height_there) {
  for (const Params& params : all_rules()) {
    const Shaper shaper(params);
    const Size middle = shaper.target(1.0, 1.7, 0.5);
    for (const double share : {0.0, 0.25, 1.0, 3.0}) {
      const double kept = std::min(share, 1.0);
      const EndHeights ends{share * middle.height, 0};
      EXPECT_NEAR(shaper.target(1.0, 1.7, 0, ends).height, kept * middle.height, 1e-15);
      EXPECT_NEAR(shaper.target(1.0, 1.7, 0, ends).width, (0.5 + 0.5 * kept) * middle.width, 1e-15);
      for (double along = 0; along <= 1; along += 0.02) {
        const Size size = shaper.target(1.0, 1.7, along, ends);
        const Size free = shaper.target(1.0, 1.7, along);
        EXPECT_GE(size.height, free.height);
        EXPECT_LE(size.height, middle.height);
        if (along >= 0.5) {
          EXPECT_EQ(size.height, free.height);
          EXPECT_EQ(size.width, free.width);
        }
      }
      // Smooth in the middle and level at the end, however much is kept.
      EXPECT_NEAR(shaper.target(1.0, 1.7, 0.5 - 1e-6, ends).height, middle.height, 1e-7 * kFlat);
      EXPECT_NEAR(shaper.target(1.0, 1.7, 1e-5, ends).height, kept * middle.height, 1e-3 * kFlat);
    }
  }
}

TEST(Shape, a_new_wrinkle_rises_from_nothing) {
  const Params params = params_of(HeightRule::circle, Profile::bspline);
  Path path = straight_path(5, 1.0);
  Shaper(params).step(path.curve, {2, 2, 2, 2}, 1e-6, {}, path.wrinkle);
  for (const double height : path.wrinkle.knot_heights) EXPECT_LE(height, params.shape.height_rate * kMinWidth * 1e-6);
}

TEST(Shape, a_flat_wrinkle_takes_its_width_at_once) {
  const Params params = params_of(HeightRule::circle, Profile::bspline);
  const Shaper shaper(params);
  Path path = straight_path(5, 1.0);
  shaper.step(path.curve, {2, 2, 2, 2}, 1e-6, {}, path.wrinkle);
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_DOUBLE_EQ(path.wrinkle.knot_widths[k], shaper.target(1.0, 2, double(k) / 8).width);
}

TEST(Shape, verbatim_takes_its_size_at_once) {
  Params params = params_of(HeightRule::circle, Profile::bspline);
  params.verbatim = true;
  const Shaper shaper(params);
  Path path = straight_path(5, 1.0);
  shaper.step(path.curve, {2, 2, 2, 2}, 1e-9, {}, path.wrinkle);
  EXPECT_EQ(path.wrinkle.knot_heights[4], shaper.target(1.0, 2, 0.5).height);
  EXPECT_EQ(path.wrinkle.knot_widths[4], shaper.target(1.0, 2, 0.5).width);
  path.wrinkle.alive = false;
  shaper.step(path.curve, {2, 2, 2, 2}, 1e-9, {}, path.wrinkle);
  EXPECT_TRUE(is_gone(path.wrinkle));
}

TEST(Shape, a_dying_wrinkle_sinks_where_it_is_and_is_gone_in_time) {
  const Params params = params_of(HeightRule::circle, Profile::bspline);
  const Shaper shaper(params);
  Path path = straight_path(5, 1.0);
  settle(shaper, {2, 2, 2, 2}, path);
  const Wrinkle living = path.wrinkle;
  const double peak = *std::ranges::max_element(living.knot_heights);
  EXPECT_FALSE(is_gone(living));
  path.wrinkle.alive = false;
  const int frames = int(std::ceil(peak / (params.shape.height_rate * kMinWidth * kDt)));
  for (int frame = 0; frame < frames; ++frame) {
    EXPECT_FALSE(is_gone(path.wrinkle)) << "frame " << frame;
    const Wrinkle before = path.wrinkle;
    shaper.step(path.curve, {2, 2, 2, 2}, kDt, {}, path.wrinkle);
    EXPECT_EQ(path.wrinkle.knot_widths, living.knot_widths);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_LE(path.wrinkle.knot_heights[k], before.knot_heights[k]);
  }
  EXPECT_TRUE(is_gone(path.wrinkle));
}

TEST(Shape, a_flat_living_wrinkle_is_not_gone) { EXPECT_FALSE(is_gone(straight_path(3, 1.0).wrinkle)); }

TEST(Shape, a_path_without_length_is_flat) {
  Path path = straight_path(3, 0.0);
  settle(Shaper(params_of(HeightRule::circle, Profile::bspline)), {2, 2}, path);
  for (const double height : path.wrinkle.knot_heights) EXPECT_EQ(height, 0);
  for (const double width : path.wrinkle.knot_widths) EXPECT_TRUE(std::isfinite(width));
}

TEST(Shape, refuses_parameters_out_of_range) {
  Params params = params_of(HeightRule::circle, Profile::bspline);
  params.shape.height_rate = 0;
  EXPECT_THROW(Shaper{params}, InvalidArgument);
}

}  // namespace
}  // namespace pucker
