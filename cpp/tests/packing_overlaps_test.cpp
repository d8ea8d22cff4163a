#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <set>

#include "pucker/dynamic/packing.h"
#include "pucker/mesh/distance.h"
#include "wrinkled_runs.h"

namespace pucker {
namespace {

using testing::irregular_sheet;
using testing::RestShape;
using testing::wrinkled_runs;

struct Triangle {
  Vector3 a, b, c;
  Vector3 at(double u, double v) const { return (1 - u - v) * a + u * b + v * c; }
};

Triangle corners(const Mesh& mesh, const Array3& positions, std::int64_t t) {
  const auto corner = [&](int k) { return Vector3(positions.row(mesh.faces()(t, k))); };
  return {corner(0), corner(1), corner(2)};
}

/// The nearest projection of a point to a smoothed wrinkle, over all its pieces, that lies within half its width
/// (Gillette 2015, equations 7.1 to 7.3).
struct Projection {
  std::size_t piece = 0;
  double distance = std::numeric_limits<double>::infinity();
  double height = 0;
};

Projection project(const Vector3& p, const CurveSamples& samples) {
  Projection out;
  for (std::size_t s = 0; s + 1 < samples.points.size(); ++s) {
    const Vector3 z = samples.points[s + 1] - samples.points[s];
    const Vector3 turn = samples.tangents[s + 1] - samples.tangents[s];
    const Vector3 off = samples.points[s] - p;
    const double constant = off.dot(samples.tangents[s]);
    const double linear = z.dot(samples.tangents[s]) + off.dot(turn);
    const double quadratic = z.dot(turn);
    const double discriminant = linear * linear - 4 * quadratic * constant;
    if (discriminant < 0) continue;
    const double q = -0.5 * (linear + std::copysign(std::sqrt(discriminant), linear));
    for (const double root : {constant / q, q / quadratic}) {
      if (!(root >= 0 && root <= 1)) continue;
      const double distance = (off + root * z).norm();
      const double half_width = 0.5 * ((1 - root) * samples.widths[s] + root * samples.widths[s + 1]);
      if (distance < half_width && distance < out.distance)
        out = {s, distance, (1 - root) * samples.heights[s] + root * samples.heights[s + 1]};
    }
  }
  return out;
}

/// Whether triangle `t` lists the segment between points `segment` and segment + 1.
bool lists(const PackedWrinkles& packed, std::int64_t t, std::uint32_t segment) {
  const std::uint32_t* list = packed.overlaps.data() + 2 * packed.triangles[std::size_t(2 * t + 1)];
  for (std::uint32_t k = 0; k < packed.triangles[std::size_t(2 * t)]; ++k)
    if (list[2 * k] <= segment && segment < list[2 * k + 1]) return true;
  return false;
}

/// Points of a grid of `steps` steps on triangle `t` that the wrinkle of `samples` displaces, all of whose segments
/// must be listed there, from `base` on; returns how many they are.
std::size_t expect_listed(const PackedWrinkles& packed, std::int64_t t, const Triangle& triangle, int steps,
                          const CurveSamples& samples, std::uint32_t base) {
  std::size_t displaced = 0;
  for (int i = 0; i <= steps; ++i)
    for (int j = 0; i + j <= steps; ++j) {
      const Projection at = project(triangle.at(double(i) / steps, double(j) / steps), samples);
      if (!(at.height > 0)) continue;
      ++displaced;
      EXPECT_TRUE(lists(packed, t, base + std::uint32_t(at.piece / kCurveSamples)))
          << "triangle " << t << " is displaced and does not list it";
    }
  return displaced;
}

RestShape packed_sheet() { return irregular_sheet(64, 0.35, 1); }

/// One wrinkle of a single segment, begun in a triangle of packed_sheet(), along curves of any tangents.
class Segment {
 public:
  Segment(const Vector3& from, const Vector3& to, std::int32_t triangle) : ends_{from, to} {
    wrinkle_.triangles = {triangle};
    wrinkle_.points.resize(2);
    wrinkle_.knot_widths.assign(3, 0.01);
    wrinkle_.knot_heights.assign(3, 0.01);
  }

  /// Points of all triangles that the wrinkle displaces with these unit tangents, all of which must be listed.
  std::size_t expect_all_listed(const Vector3& first, const Vector3& second) {
    const PathCurve curve{ends_, {first, second}, {Vector3::UnitZ()}, {0, (ends_[1] - ends_[0]).norm()}};
    PackedWrinkles packed;
    Packer(*sheet_.mesh).pack({*sheet_.mesh, sheet_.positions, frames_, stretch_, none_}, {wrinkle_}, {curve}, packed);
    sample_curve(curve, wrinkle_, samples_);
    SCOPED_TRACE(message("tangents ", first.transpose(), " and ", second.transpose()));
    std::size_t displaced = 0;
    for (std::int64_t t = 0; t < sheet_.mesh->triangle_count(); ++t)
      displaced += expect_listed(packed, t, corners(*sheet_.mesh, sheet_.positions, t), 4, samples_, 0);
    return displaced;
  }

 private:
  RestShape sheet_ = packed_sheet();
  LocalFrames frames_ = local_frames(*sheet_.mesh, sheet_.positions);
  Stretch stretch_;
  std::vector<double> none_ = std::vector<double>(std::size_t(sheet_.mesh->triangle_count()), 1);
  std::vector<Vector3> ends_;
  Wrinkle wrinkle_;
  CurveSamples samples_;
};

TEST(PackingOverlaps, overlaps_never_misses_a_displaced_point) {
  CurveSamples samples;
  for (const Wrinkler& run : wrinkled_runs()) {
    std::uint32_t base = 0;
    std::size_t displaced = 0;
    for (std::size_t w = 0; w < run.state().wrinkles.size(); ++w) {
      const Wrinkle& wrinkle = run.state().wrinkles[w];
      sample_curve(run.state().curves[w], wrinkle, samples);
      SCOPED_TRACE(message("wrinkle ", wrinkle.id));
      for (std::int64_t t = 0; t < run.mesh()->triangle_count(); ++t) {
        const int steps = run.mesh()->triangle_count() > 500 ? 4 : 12;
        displaced +=
            expect_listed(run.state().packed, t, corners(*run.mesh(), run.positions(), t), steps, samples, base);
      }
      base += std::uint32_t(wrinkle.size());
    }
    EXPECT_GT(displaced, 500u);
  }
}

TEST(PackingOverlaps, overlaps_never_misses_a_displaced_point_of_a_path_that_turns_back) {
  // The curve of a segment whose tangent points backwards swings out beyond the segment's end.
  const RestShape sheet = packed_sheet();
  Eigen::Index middle = 0;
  (sheet.positions.rowwise() - sheet.positions.colwise().mean()).rowwise().squaredNorm().minCoeff(&middle);
  const Vector3 from = sheet.positions.row(middle);
  Segment segment(from, from + Vector3(0.4, 0, 0), sheet.mesh->ring(std::int32_t(middle))[0]);
  std::mt19937_64 random(8);
  std::normal_distribution<double> angle(0, 0.02);
  const auto direction = [&](bool back) -> Vector3 {
    return Eigen::AngleAxisd(angle(random) + (back ? std::numbers::pi : 0), Vector3::UnitZ()) * Vector3::UnitX();
  };
  std::size_t displaced = 0;
  for (int i = 0; i < 16; ++i) {
    const Vector3 first = direction(i % 2 == 0);
    displaced += segment.expect_all_listed(first, direction(i % 4 < 2));
  }
  EXPECT_GT(displaced, 1000u);
}

TEST(PackingOverlaps, overlaps_never_misses_a_displaced_point_of_a_curve_that_bulges) {
  // Tangents aside of the segment: its curve deviates by up to a quarter of its length, many cells here.
  const RestShape sheet = packed_sheet();
  const Vector3 from(0.3, 0.5, 0);
  const auto triangle_at = [&](const Vector3& p) {
    std::int32_t nearest = 0;
    double least = 1;
    for (std::int32_t t = 0; t < sheet.mesh->triangle_count(); ++t) {
      const auto [a, b, c] = corners(*sheet.mesh, sheet.positions, t);
      const double distance = (p - (a + b + c) / 3).norm();
      if (distance < least) {
        least = distance;
        nearest = t;
      }
    }
    return nearest;
  };
  Segment segment(from, from + Vector3(0.4, 0, 0), triangle_at(from));
  std::size_t displaced = 0;
  for (const double first : {1.55, -1.55, 0.0})
    for (const double second : {1.55, -1.55}) {
      const auto direction = [](double angle) { return Vector3(std::cos(angle), std::sin(angle), 0); };
      displaced += segment.expect_all_listed(direction(first), direction(second));
    }
  EXPECT_GT(displaced, 300u);
}

TEST(PackingOverlaps, overlaps_are_at_most_half_as_much_again_as_the_exact_set) {
  CurveSamples samples;
  for (const Wrinkler& run : wrinkled_runs()) {
    std::size_t exact = 0;
    for (std::size_t w = 0; w < run.state().wrinkles.size(); ++w) {
      const Wrinkle& wrinkle = run.state().wrinkles[w];
      sample_curve(run.state().curves[w], wrinkle, samples);
      std::set<std::int64_t> touched;
      for (std::int64_t t = 0; t < run.mesh()->triangle_count(); ++t) {
        const auto [a, b, c] = corners(*run.mesh(), run.positions(), t);
        for (std::size_t s = 0; s + 1 < samples.points.size() && !touched.contains(t); ++s) {
          const double half_width = 0.5 * std::min(samples.widths[s], samples.widths[s + 1]);
          if (std::max(samples.heights[s], samples.heights[s + 1]) > 0 &&
              segment_triangle_distance(samples.points[s], samples.points[s + 1], a, b, c) < half_width)
            touched.insert(t);
        }
      }
      exact += touched.size();
    }
    const std::size_t listed = run.state().packed.overlaps.size() / 2;
    EXPECT_GE(listed, exact);
    EXPECT_LE(double(listed), 1.5 * double(exact)) << run.mesh()->triangle_count() << " triangles";
  }
}

TEST(PackingOverlaps, overlaps_no_page_through_the_air) {
  // A book all but shut: two triangles on an edge, and a path on one of them that the other comes nearer than it is
  // wide.
  Array3 positions(4, 3);
  positions << 0, 0, 0, 10, -5, 0, 10, 5, 0, 0, 0, 0.1;
  Index3 faces(2, 3);
  faces << 0, 1, 2, 1, 3, 2;
  const auto mesh = std::make_shared<Mesh>(faces, positions.rows());
  const LocalFrames frames = local_frames(*mesh, positions);
  const Stretch none = stretch(frames.matrices, frames.matrices);
  const std::vector<double> compression(2, 1.0);
  const auto listed = [&](double share) {
    Wrinkle path;
    for (const double side : {0.4, 0.6})
      path.points.push_back(inner_point(*mesh, 0, Vector3(1 - share, share * side, share * (1 - side)), 0));
    path.triangles = {0};
    path.knot_widths.assign(3, 1.0);
    path.knot_heights.assign(3, 0.1);
    std::vector<PathCurve> curves(1);
    path_curve(path, positions, frames, curves[0]);
    PackedWrinkles packed;
    Packer(*mesh).pack({*mesh, positions, frames, none, compression}, {path}, curves, packed);
    return std::pair(packed.triangles[0], packed.triangles[2]);
  };
  EXPECT_EQ(listed(0.5), std::pair(1u, 0u)) << "far from the edge";
  EXPECT_EQ(listed(0.97), std::pair(1u, 1u)) << "reaching over the edge";
}

}  // namespace
}  // namespace pucker
