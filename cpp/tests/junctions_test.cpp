#include "pucker/dynamic/junctions.h"

#include <gtest/gtest.h>

#include <numbers>

namespace pucker {
namespace {

constexpr double kMinWidth = 0.02;
constexpr double kFlat = std::numbers::pi * kMinWidth;

Params params_of(double reach) {
  Params params;
  params.min_width = kMinWidth;
  params.shape.junctions = reach;
  return params;
}

/// Straight wrinkles in the plane z = 0, which faces up.
struct Wrinkles {
  std::vector<Wrinkle> wrinkles;
  std::vector<PathCurve> curves;

  void add(std::int64_t id, const Vector3& from, const Vector3& to, const std::vector<double>& heights) {
    const Vector3 along = (to - from).normalized();
    curves.push_back({{from, to}, {along, along}, {Vector3(0, 0, 1)}, {0, (to - from).norm()}});
    Wrinkle wrinkle;
    wrinkle.id = id;
    wrinkle.alive = true;
    wrinkle.points.resize(2);
    wrinkle.triangles = {0};
    wrinkle.knot_widths.assign(3, kFlat);
    wrinkle.knot_heights = heights;
    wrinkles.push_back(wrinkle);
  }

  EndHeights ends(const Params& params, std::size_t number) const {
    const Junctions junctions(params);
    CurveIndex index;
    // A wider index serves as well.
    index.reset(1.5 * junctions.reach());
    insert_living(wrinkles, curves, index);
    std::vector<EndHeights> out;
    junctions.find(index, wrinkles, curves, out);
    EXPECT_EQ(out.size(), wrinkles.size());
    return out[number];
  }
};

/// An old wrinkle along x, 0 at one end and 1 at the other, and a young one that comes from above and ends over it.
Wrinkles meeting(double x, double gap, double slope = 0) {
  Wrinkles out;
  out.add(3, {0, 0, 0}, {1, 0, 0}, {0, 0.5, 1});
  out.add(7, {x + slope * 0.5, gap + 0.5, 0}, {x, gap, 0}, {0, 0.2, 0});
  return out;
}

TEST(Junctions, an_end_keeps_the_height_of_the_wrinkle_that_it_leads_to) {
  for (const double x : {0.1, 0.5, 0.8}) {
    const EndHeights ends = meeting(x, 0.3 * kFlat).ends(params_of(0.5), 1);
    EXPECT_EQ(ends.first, 0);
    EXPECT_NEAR(ends.last, x, 1e-12);
  }
  // The same path run through the other way.
  Wrinkles turned = meeting(0.3, 0.3 * kFlat);
  std::swap(turned.curves[1].points[0], turned.curves[1].points[1]);
  for (Vector3& tangent : turned.curves[1].tangents) tangent = -tangent;
  EXPECT_NEAR(turned.ends(params_of(0.5), 1).first, 0.3, 1e-12);
  EXPECT_EQ(turned.ends(params_of(0.5), 1).last, 0);
}

TEST(Junctions, only_within_reach_and_only_what_lies_ahead) {
  EXPECT_GT(meeting(0.5, 0.49 * kFlat).ends(params_of(0.5), 1).last, 0);
  EXPECT_EQ(meeting(0.5, 0.51 * kFlat).ends(params_of(0.5), 1).last, 0);
  // The foot on the old wrinkle lies straight down: 60 degrees off where the young one points.
  const double least = std::tan(std::numbers::pi / 3);
  EXPECT_GT(meeting(0.3, 0.2 * kFlat, 0.99 * least).ends(params_of(0.5), 1).last, 0);
  EXPECT_EQ(meeting(0.3, 0.2 * kFlat, 1.01 * least).ends(params_of(0.5), 1).last, 0);
}

TEST(Junctions, the_older_wrinkle_never_runs_into_the_younger) {
  Wrinkles pair = meeting(0.5, 0.3 * kFlat);
  std::swap(pair.wrinkles[0].id, pair.wrinkles[1].id);
  EXPECT_EQ(pair.ends(params_of(0.5), 1).last, 0);
}

TEST(Junctions, nothing_runs_into_what_dies_or_lies_on_the_other_side_or_with_the_switch_off) {
  Wrinkles pair = meeting(0.5, 0.3 * kFlat);
  for (std::size_t dying : {0u, 1u}) {
    pair.wrinkles[dying].alive = false;
    EXPECT_EQ(pair.ends(params_of(0.5), 1).last, 0);
    pair.wrinkles[dying].alive = true;
  }
  pair.curves[0].normals[0] = Vector3(0, 0, -1);
  EXPECT_EQ(pair.ends(params_of(0.5), 1).last, 0);
  pair.curves[0].normals[0] = Vector3(0, 0, 1);
  EXPECT_GT(pair.ends(params_of(0.5), 1).last, 0);
  EXPECT_EQ(pair.ends(params_of(0), 1).last, 0);
  Params theses = params_of(0.5);
  theses.verbatim = true;
  EXPECT_EQ(pair.ends(theses, 1).last, 0);
}

TEST(Junctions, the_height_of_a_wrinkle_is_linear_between_its_knots) {
  Wrinkles one;
  one.add(0, {0, 0, 0}, {2, 0, 0}, {0, 3, 1});
  for (const auto& [arc_length, height] :
       std::vector<std::pair<double, double>>{{0, 0}, {0.25, 0.75}, {0.5, 1.5}, {1, 3}, {1.5, 2}, {2, 1}, {2.1, 1}})
    EXPECT_NEAR(height_at(one.wrinkles[0], one.curves[0], arc_length), height, 1e-15);
}

}  // namespace
}  // namespace pucker
