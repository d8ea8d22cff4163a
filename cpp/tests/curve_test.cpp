#include "pucker/dynamic/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "motion.h"

namespace pucker {
namespace {

using testing::irregular_sheet;
using testing::params_for;
using testing::RestShape;

/// A wavy sheet squeezed along x, with the wrinkles it has got by then.
struct Example {
  RestShape sheet = irregular_sheet(8, 0.35, 4);
  Wrinkler run{sheet.mesh, params_for(0.02)};

  Example() {
    for (int frame = 0; frame < 15; ++frame) {
      Array3 positions = sheet.positions;
      positions.col(0) *= 1 - 0.03 * frame;
      positions.col(2) =
          0.15 * (6 * sheet.positions.col(0).array()).sin() * (4 * sheet.positions.col(1).array() + 0.1 * frame).cos();
      run.advance(positions, frame / 30.0);
    }
  }
  const std::vector<Wrinkle>& wrinkles() const { return run.state().wrinkles; }
  const PathCurve& curve(std::size_t w) const { return run.state().curves[w]; }
};

/// Calls `visit(wrinkle, curve)` for each wrinkle of the example.
template <class Visitor>
void for_each_curve(Visitor&& visit) {
  const Example example;
  std::size_t segments = 0;
  for (std::size_t w = 0; w < example.wrinkles().size(); ++w) {
    visit(example.wrinkles()[w], example.curve(w));
    segments += example.curve(w).size() - 1;
  }
  ASSERT_GT(segments, 50u);
}

/// The tangents of segment `i` of its Bézier curve at u = 0 or 1, unit, from the curve alone.
Vector3 tangent(const PathCurve& curve, std::size_t i, double u) {
  const double step = 1e-6;
  const double inner = u == 0 ? step : 1 - step;
  return ((curve_point(curve, i, inner) - curve_point(curve, i, u)) * (u == 0 ? 1 : -1)).normalized();
}

TEST(PathCurve, points_and_arc_lengths_are_those_of_the_path) {
  const Example example;
  for (std::size_t w = 0; w < example.wrinkles().size(); ++w) {
    const PathCurve& curve = example.curve(w);
    std::vector<double> lengths;
    arc_lengths(example.wrinkles()[w], example.run.positions(), lengths);
    for (std::size_t i = 0; i < curve.size(); ++i) {
      EXPECT_EQ(curve.points[i], position(example.wrinkles()[w].points[i], example.run.positions()));
      EXPECT_DOUBLE_EQ(curve.arc_lengths[i], lengths[i]);
    }
    EXPECT_DOUBLE_EQ(curve.length(), path_length(example.wrinkles()[w], example.run.positions()));
  }
}

TEST(PathCurve, tangents_are_unit_and_lead_onwards) {
  for_each_curve([](const Wrinkle&, const PathCurve& curve) {
    for (std::size_t i = 0; i < curve.size(); ++i) {
      EXPECT_NEAR(curve.tangents[i].norm(), 1, 1e-14);
      if (i > 0) {
        EXPECT_GT(curve.tangents[i].dot(curve.points[i] - curve.points[i - 1]), 0);
      }
      if (i + 1 < curve.size()) {
        EXPECT_GT(curve.tangents[i].dot(curve.points[i + 1] - curve.points[i]), 0);
      }
    }
  });
}

TEST(PathCurve, segments_lie_in_the_planes_of_their_normals) {
  for_each_curve([](const Wrinkle&, const PathCurve& curve) {
    for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
      EXPECT_NEAR(curve.normals[i].norm(), 1, 1e-14);
      EXPECT_NEAR(curve.normals[i].dot(curve.points[i + 1] - curve.points[i]), 0, 1e-14);
    }
  });
}

TEST(CurvePoint, joins_the_points_of_the_path) {
  for_each_curve([](const Wrinkle&, const PathCurve& curve) {
    for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
      EXPECT_EQ(curve_point(curve, i, 0), curve.points[i]);
      EXPECT_EQ(curve_point(curve, i, 1), curve.points[i + 1]);
    }
  });
}

TEST(CurvePoint, stays_in_the_plane_of_the_triangle) {
  for_each_curve([](const Wrinkle&, const PathCurve& curve) {
    for (std::size_t i = 0; i + 1 < curve.size(); ++i)
      for (double u = 0.05; u < 1; u += 0.05)
        EXPECT_NEAR(curve.normals[i].dot(curve_point(curve, i, u) - curve.points[i]), 0, 1e-14);
  });
}

TEST(CurvePoint, has_no_corner_where_two_triangles_are_unfolded) {
  // The angle of the tangent with the crossed edge is the same on both sides.
  const Example example;
  std::size_t crossings = 0;
  for (std::size_t w = 0; w < example.wrinkles().size(); ++w) {
    const Wrinkle& wrinkle = example.wrinkles()[w];
    const PathCurve& curve = example.curve(w);
    for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
      const PathPoint& p = wrinkle.points[i];
      const Vector3 edge = (example.run.positions().row(p.v1) - example.run.positions().row(p.v0)).normalized();
      const double before = std::acos(tangent(curve, i - 1, 1).dot(edge));
      const double after = std::acos(tangent(curve, i, 0).dot(edge));
      EXPECT_NEAR(before, after, 2e-5) << "wrinkle " << wrinkle.id << ", point " << i;
      ++crossings;
    }
  }
  EXPECT_GT(crossings, 50u);
}

TEST(CurvePoint, of_a_straight_path_is_the_path_however_the_cloth_is_folded) {
  // Two triangles with the common edge y; a path that is straight when they lie flat.
  for (const double fold : {-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0}) {
    PathCurve curve;
    Array3 positions(4, 3);
    positions << -1, 0, 0, 0, -1, 0, 0, 1, 0, std::cos(fold), 0, std::sin(fold);
    const Mesh mesh(shapes::faces({{0, 1, 2}, {1, 3, 2}}), 4);
    Wrinkle wrinkle;
    wrinkle.points = {inner_point(mesh, 0, Vector3(0.5, 0.4, 0.1), 1), edge_point(mesh, 0, 1, 0.5),
                      inner_point(mesh, 1, Vector3(0.1, 0.5, 0.4), 2)};
    wrinkle.triangles = {0, 1};
    path_curve(wrinkle, positions, local_frames(mesh, positions), curve);
    for (std::size_t i = 0; i < 2; ++i)
      for (double u = 0.1; u < 1; u += 0.1)
        EXPECT_LT((curve_point(curve, i, u) - (1 - u) * curve.points[i] - u * curve.points[i + 1]).norm(), 1e-15)
            << "fold " << fold;
  }
}

struct Pchip {
  std::vector<double> values;
  std::vector<double> slopes;
  std::array<double, 5> between;
};

TEST(MonotoneSlopes, agree_with_scipy) {
  // scipy.interpolate.PchipInterpolator(knots, values): its derivative at the knots, and itself at `at`.
  const std::vector<double> knots{0, 0.5, 0.8, 2.0, 2.25, 4.0};
  const std::array<double, 5> at{0.125, 0.7, 1.5, 2.1, 3.9};
  const std::array<std::size_t, 5> piece{0, 1, 2, 3, 4};
  const std::vector<Pchip> cases{
      {{3, 1, 1.5, 4, 4.25, 0.5},
       {-7.541666666666666, 0.0, 1.8115942028985506, 1.2550490478938257, 0.0, -4.892857142857142},
       {2.1572265625, 1.2898550724637678, 3.0662328486851336, 4.133181765724177, 0.9703002915451895}},
      {{1, 1, 2, 5, 5, 7},
       {0.0, 0.0, 2.9411764705882346, 0.0, 0.0, 2.142857142857143},
       {1.0, 1.6100217864923743, 4.228962418300654, 5.0, 6.790658892128279}},
      {{0.1, 2, 1.9, 0.2, 0.21, 0.0},
       {6.383333333333333, 0.0, -0.4802259887005653, 0.0, 0.0, -0.2599999999999999},
       {0.8457031249999999, 1.9472693032015067, 0.7811067953546765, 0.20352, 0.02509224489795917}},
      {{5, 0, 1, 2, 3, 9},
       {-18.333333333333332, 0.0, 1.5151515151515151, 1.6096207215541163, 3.764705882352941, 2.928571428571428},
       {2.9296875000000004, 0.6734006734006732, 1.5341165081278403, 2.319593404799478, 8.703402846853026}},
  };
  std::vector<double> slopes;
  for (const auto& [values, expected, between] : cases) {
    monotone_slopes(knots, values, slopes);
    ASSERT_EQ(slopes.size(), expected.size());
    for (std::size_t k = 0; k < slopes.size(); ++k) EXPECT_NEAR(slopes[k], expected[k], 1e-13);
    for (std::size_t j = 0; j < at.size(); ++j) {
      const std::size_t k = piece[j];
      EXPECT_NEAR(hermite(knots[k], knots[k + 1], values[k], values[k + 1], slopes[k], slopes[k + 1], at[j]),
                  between[j], 1e-13);
    }
  }
}

TEST(MonotoneSlopes, of_two_knots_are_those_of_the_straight_line) {
  std::vector<double> slopes;
  monotone_slopes(std::vector<double>{1, 3}, std::vector<double>{5, 9}, slopes);
  EXPECT_EQ(slopes, (std::vector<double>{2, 2}));
  EXPECT_DOUBLE_EQ(hermite(1, 3, 5, 9, 2, 2, 1.5), 6);
}

TEST(MonotoneSlopes, let_the_interpolation_pass_no_value) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<double> slopes;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> knots{0};
    std::vector<double> values{any(random)};
    for (int k = 0; k < 7; ++k) {
      knots.push_back(knots.back() + 0.01 + any(random));
      values.push_back(any(random) < 0.3 ? values.back() : any(random));
    }
    monotone_slopes(knots, values, slopes);
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
      double before = values[k];
      const double rising = values[k + 1] >= values[k] ? 1 : -1;
      for (double u = 0.05; u < 1; u += 0.05) {
        const double x = (1 - u) * knots[k] + u * knots[k + 1];
        const double y = hermite(knots[k], knots[k + 1], values[k], values[k + 1], slopes[k], slopes[k + 1], x);
        EXPECT_GE(rising * (y - before), -1e-14);
        before = y;
      }
      EXPECT_GE(rising * (values[k + 1] - before), -1e-14);
    }
  }
}

TEST(SampleCurve, samples_are_points_of_the_curve) {
  CurveSamples samples;
  for_each_curve([&](const Wrinkle& wrinkle, const PathCurve& curve) {
    sample_curve(curve, wrinkle, samples);
    ASSERT_EQ(samples.points.size(), (curve.size() - 1) * kCurveSamples + 1);
    for (std::size_t i = 0; i + 1 < curve.size(); ++i)
      for (std::size_t j = 0; j < kCurveSamples; ++j)
        EXPECT_LT((samples.points[i * kCurveSamples + j] - curve_point(curve, i, double(j) / kCurveSamples)).norm(),
                  1e-15);
    EXPECT_EQ(samples.points.back(), curve.points.back());
  });
}

TEST(SampleCurve, tangents_are_unit_and_those_of_the_path_at_its_points) {
  CurveSamples samples;
  for_each_curve([&](const Wrinkle& wrinkle, const PathCurve& curve) {
    sample_curve(curve, wrinkle, samples);
    for (std::size_t s = 0; s < samples.tangents.size(); ++s) {
      EXPECT_NEAR(samples.tangents[s].norm(), 1, 1e-14);
      if (s % kCurveSamples == 0) {
        EXPECT_EQ(samples.tangents[s], curve.tangents[s / kCurveSamples]);
      }
    }
  });
}

TEST(SampleCurve, sizes_pass_through_the_knots_and_stay_between_them) {
  CurveSamples samples;
  for_each_curve([&](const Wrinkle& wrinkle, const PathCurve& curve) {
    sample_curve(curve, wrinkle, samples);
    const std::size_t half = kCurveSamples / 2;
    const auto check = [&](const std::vector<double>& sampled, const std::vector<double>& knots) {
      for (std::size_t s = 0; s < sampled.size(); ++s) {
        const std::size_t k = s / half;
        if (s % half == 0) {
          EXPECT_NEAR(sampled[s], knots[k], 1e-15);
          continue;
        }
        EXPECT_GE(sampled[s], std::min(knots[k], knots[k + 1]) - 1e-15);
        EXPECT_LE(sampled[s], std::max(knots[k], knots[k + 1]) + 1e-15);
      }
    };
    check(samples.widths, wrinkle.knot_widths);
    check(samples.heights, wrinkle.knot_heights);
  });
}

TEST(SampleCurve, reuse_gives_what_new_samples_give) {
  CurveSamples reused;
  for_each_curve([&](const Wrinkle& wrinkle, const PathCurve& curve) {
    CurveSamples fresh;
    sample_curve(curve, wrinkle, fresh);
    sample_curve(curve, wrinkle, reused);
    EXPECT_EQ(reused.points, fresh.points);
    EXPECT_EQ(reused.widths, fresh.widths);
    EXPECT_EQ(reused.heights, fresh.heights);
  });
}

}  // namespace
}  // namespace pucker
