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

TEST(SampleCurve, sizes_agree_with_scipy) {
  // scipy.interpolate: CubicHermiteSpline with the slopes of PchipInterpolator, but for 0 at both ends.
  PathCurve curve;
  curve.points = {Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(2.6, 0, 0), Vector3(3, 0, 0)};
  curve.tangents.assign(4, Vector3::UnitX());
  curve.normals.assign(3, Vector3::UnitZ());
  curve.arc_lengths = {0, 1, 2.6, 3};
  const std::array<std::size_t, 9> at{1, 3, 6, 9, 11, 14, 17, 19, 22};
  struct Sizes {
    std::vector<double> knots;
    std::array<double, 9> sampled;
  };
  const std::vector<Sizes> cases{
      {{3, 1, 1.5, 4, 4.25, 0.5, 2},
       {2.6875, 1.3125, 1.1589125560538116, 2.0332755809213205, 3.6001070118222587, 4.181818181818182,
        3.664062500000002, 1.085937499999997, 1.25}},
      {{1, 1, 2, 5, 5, 7, 0},
       {1, 1, 1.340686274509804, 2.755514705882353, 4.626838235294118, 5, 5.312499999999998, 6.687500000000002, 3.5}},
      {{0.1, 2, 1.9, 0.2, 0.21, 0, 0.3},
       {0.3968749999999999, 1.703125, 1.9714813374805598, 1.5957085925349923, 0.4527361975116637, 0.205,
        0.1771875000000001, 0.032812499999999856, 0.15}}};
  CurveSamples samples;
  for (const auto& [knots, sampled] : cases) {
    sample_curve(curve, knots, knots, samples);
    for (std::size_t j = 0; j < at.size(); ++j) {
      EXPECT_NEAR(samples.widths[at[j]], sampled[j], 1e-13) << at[j];
      EXPECT_NEAR(samples.heights[at[j]], sampled[j], 1e-13) << at[j];
    }
  }
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
