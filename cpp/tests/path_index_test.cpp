#include "pucker/dynamic/path_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "motion.h"

namespace pucker {
namespace {

/// A segment in the plane of a right triangle with legs of length 1, where barycentric coordinates are coordinates.
PathSegment flat_segment(const Vector2& a, const Vector2& b, std::int64_t wrinkle = 0) {
  return {wrinkle, 0, a, b, {1 - a.sum(), a.x()}, {1 - b.sum(), b.x()}};
}

class RandomSegments {
 public:
  PathSegment next() { return flat_segment(point(), point()); }
  Vector2 point() { return {coordinate_(random_), coordinate_(random_)}; }

 private:
  std::mt19937_64 random_{1};
  std::uniform_real_distribution<double> coordinate_{0, 1};
};

double distance(const PathSegment& segment, const Vector2& point) {
  double least = (segment.a - point).norm();
  constexpr int kSteps = 4000;
  for (int i = 1; i <= kSteps; ++i) least = std::min(least, (segment.at(double(i) / kSteps) - point).norm());
  return least;
}

TEST(PathIndex, a_segment_lies_where_its_barycentric_coordinates_say) {
  const testing::RestShape shape = testing::irregular_sheet(3, 0.3, 1);
  const LocalFrames frames = local_frames(*shape.mesh, shape.positions);
  const Vector3 from(0.2, 0.5, 0.3);
  const Vector3 to(0.7, 0.1, 0.2);
  for (std::int32_t t = 0; t < shape.mesh->triangle_count(); ++t) {
    const PathSegment segment = make_segment(frames, t, from, to, 7, 2.5);
    Vector3 length = Vector3::Zero();
    for (int k = 0; k < 3; ++k) length += (to - from)[k] * shape.positions.row(shape.mesh->faces()(t, k)).transpose();
    EXPECT_NEAR(segment.length(), length.norm(), 1e-15);
    EXPECT_EQ(segment.wrinkle, 7);
    EXPECT_EQ(segment.arc_length, 2.5);
  }
}

TEST(PathIndex, segments_cross_where_both_lines_meet) {
  RandomSegments random;
  int crossed = 0;
  for (int i = 0; i < 2000; ++i) {
    const PathSegment a = random.next();
    const PathSegment b = random.next();
    const auto u = crossing(a, b);
    const auto v = crossing(b, a);
    ASSERT_EQ(u.has_value(), v.has_value());
    if (!u) {
      // Without a crossing all of one lies on one side of the other, or the other way round.
      const auto side = [](const PathSegment& s, const Vector2& p) {
        const Vector2 along = s.b - s.a;
        return along.x() * (p - s.a).y() - along.y() * (p - s.a).x();
      };
      EXPECT_TRUE(side(a, b.a) * side(a, b.b) > 0 || side(b, a.a) * side(b, a.b) > 0);
      continue;
    }
    ++crossed;
    EXPECT_LT((a.at(*u) - b.at(*v)).norm(), 1e-9);
  }
  EXPECT_GT(crossed, 300);
}

TEST(PathIndex, touching_counts_as_crossing) {
  const PathSegment segment = flat_segment({0, 0.25}, {0.5, 0.25});
  EXPECT_EQ(crossing(segment, flat_segment({0.25, 0.25}, {0.25, 0.5})), 0.5);
  EXPECT_EQ(crossing(segment, flat_segment({0.5, 0.25}, {0.5, 0.5})), 1.0);
  EXPECT_EQ(crossing(segment, flat_segment({0.25, 0.3}, {0.25, 0.5})), std::nullopt);
  EXPECT_EQ(crossing(segment, flat_segment({0, 0.3}, {0.5, 0.3})), std::nullopt);
}

TEST(PathIndex, segments_of_one_line_cross_where_they_begin_to_overlap) {
  const PathSegment segment = flat_segment({0, 0.25}, {0.5, 0.25});
  EXPECT_EQ(crossing(segment, segment), 0.0);
  EXPECT_EQ(crossing(segment, flat_segment({0.5, 0.25}, {0, 0.25})), 0.0);
  EXPECT_EQ(crossing(segment, flat_segment({0.25, 0.25}, {0.75, 0.25})), 0.5);
  EXPECT_EQ(crossing(segment, flat_segment({0.75, 0.25}, {0.25, 0.25})), 0.5);
  EXPECT_EQ(crossing(segment, flat_segment({0.125, 0.25}, {0.25, 0.25})), 0.25);
  EXPECT_EQ(crossing(segment, flat_segment({0.5, 0.25}, {0.75, 0.25})), 1.0);
  EXPECT_EQ(crossing(segment, flat_segment({0.625, 0.25}, {0.75, 0.25})), std::nullopt);
}

TEST(PathIndex, parts_of_one_line_that_lie_apart_do_not_cross_whatever_rounding_makes_of_their_directions) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int i = 0; i < 100000; ++i) {
    const Vector2 from(uniform(random), uniform(random));
    const Vector2 to(uniform(random), uniform(random));
    std::array<double, 4> places{uniform(random), uniform(random), uniform(random), uniform(random)};
    std::ranges::sort(places);
    if (places[2] - places[1] < 1e-6) continue;
    const auto at = [&](double place) -> Vector2 { return (1 - place) * from + place * to; };
    EXPECT_EQ(crossing(flat_segment(at(places[0]), at(places[1])), flat_segment(at(places[2]), at(places[3]))),
              std::nullopt)
        << "line " << i;
  }
}

TEST(PathIndex, a_segment_without_length_crosses_where_it_lies) {
  const PathSegment segment = flat_segment({0, 0.25}, {0.5, 0.25});
  const PathSegment inside = flat_segment({0.25, 0.25}, {0.25, 0.25});
  const PathSegment outside = flat_segment({0.25, 0.5}, {0.25, 0.5});
  const PathSegment beyond = flat_segment({0.75, 0.25}, {0.75, 0.25});
  EXPECT_EQ(crossing(segment, inside), 0.5);
  EXPECT_EQ(crossing(inside, segment), 0.0);
  EXPECT_EQ(crossing(inside, inside), 0.0);
  for (const PathSegment& other : {outside, beyond}) {
    EXPECT_EQ(crossing(segment, other), std::nullopt);
    EXPECT_EQ(crossing(other, segment), std::nullopt);
    EXPECT_EQ(crossing(inside, other), std::nullopt);
  }
}

TEST(PathIndex, all_of_a_segment_that_lies_along_another_but_for_rounding_is_blocked) {
  RandomSegments random;
  std::mt19937_64 engine(2);
  std::uniform_real_distribution<double> share(0, 1);
  for (int trial = 0; trial < 20000; ++trial) {
    const PathSegment whole = random.next();
    const auto [from, to] = std::minmax({share(engine), share(engine)});
    const PathSegment part = flat_segment(whole.at(from), whole.at(to));
    const double distance = 1e-3 * whole.length();
    const auto blocked = blocked_interval(whole, part, distance);
    ASSERT_TRUE(blocked.has_value()) << trial;
    EXPECT_LE(blocked->low, from) << trial;
    EXPECT_GE(blocked->high, to) << trial;
    EXPECT_GE(blocked->low, from - 1.001e-3) << trial;
    EXPECT_LE(blocked->high, to + 1.001e-3) << trial;
  }
}

TEST(PathIndex, the_segments_inserted_last_are_taken_out_again) {
  SegmentIndex index(*testing::irregular_sheet(3, 0.3, 1).mesh);
  const auto in_triangle = [&](std::int32_t triangle) {
    std::vector<std::int64_t> out;
    index.visit(triangle, [&](const PathSegment& segment) { out.push_back(segment.wrinkle); });
    return out;
  };
  index.insert(3, flat_segment({0, 0}, {1, 0}, 1));
  index.insert(5, flat_segment({0, 0}, {1, 0}, 2));
  index.insert(3, flat_segment({0, 0}, {1, 0}, 3));
  index.shorten(2);
  EXPECT_EQ(in_triangle(3), std::vector<std::int64_t>{1});
  EXPECT_EQ(in_triangle(5), std::vector<std::int64_t>{2});
  index.insert(5, flat_segment({0, 0}, {1, 0}, 4));
  EXPECT_EQ(in_triangle(5), (std::vector<std::int64_t>{4, 2}));
  index.shorten(0);
  EXPECT_TRUE(index.empty());
  EXPECT_TRUE(in_triangle(3).empty());
}

TEST(PathIndex, the_blocked_part_is_where_the_other_segment_is_close) {
  RandomSegments random;
  int blocked_parts = 0;
  for (int i = 0; i < 200; ++i) {
    const PathSegment a = random.next();
    const PathSegment b = random.next();
    constexpr double kReach = 0.1;
    const auto blocked = blocked_interval(a, b, kReach);
    EXPECT_EQ(comes_near(a, b, kReach), blocked.has_value());
    if (blocked) ++blocked_parts;
    for (int k = 0; k <= 20; ++k) {
      const double u = k / 20.0;
      const double d = distance(b, a.at(u));
      if (std::fabs(d - kReach) < 1e-3) continue;  // as close as the samples of the distance can tell
      EXPECT_EQ(blocked && u >= blocked->low && u <= blocked->high, d < kReach);
    }
    if (!blocked) continue;
    for (const double end : {blocked->low, blocked->high}) {
      if (end > 0 && end < 1) {
        EXPECT_NEAR(distance(b, a.at(end)), kReach, 1e-3);
        // To the last digits, and never inside it.
        const double exact = std::sqrt(point_segment_square(a.at(end), b.a, b.b));
        EXPECT_NEAR(exact, kReach, 1e-14);
        EXPECT_GE(exact, (1 - 1e-15) * kReach);
      }
    }
  }
  EXPECT_GT(blocked_parts, 50);
}

TEST(PathIndex, at_no_distance_only_the_crossing_itself_is_blocked) {
  const PathSegment segment = flat_segment({0, 0.25}, {0.5, 0.25});
  const auto blocked = blocked_interval(segment, flat_segment({0.25, 0}, {0.25, 0.5}), 0);
  ASSERT_TRUE(blocked.has_value());
  EXPECT_EQ(blocked->low, 0.5);
  EXPECT_EQ(blocked->high, 0.5);
}

TEST(PathIndex, a_triangle_shows_the_segments_inserted_since_the_last_clearing) {
  const testing::RestShape shape = testing::irregular_sheet(2, 0, 1);
  SegmentIndex index(*shape.mesh);
  EXPECT_EQ(index.triangle_count(), 8);
  const auto wrinkles_of = [&](std::int32_t triangle) {
    std::vector<std::int64_t> out;
    index.visit(triangle, [&](const PathSegment& segment) { out.push_back(segment.wrinkle); });
    return out;
  };
  for (int round = 0; round < 2; ++round) {
    index.insert(3, flat_segment({0, 0}, {1, 0}, 1));
    index.insert(5, flat_segment({0, 0}, {1, 0}, 2));
    index.insert(3, flat_segment({0, 0}, {1, 0}, 3));
    EXPECT_EQ(wrinkles_of(3), (std::vector<std::int64_t>{3, 1}));
    EXPECT_EQ(wrinkles_of(5), (std::vector<std::int64_t>{2}));
    EXPECT_TRUE(wrinkles_of(4).empty());
    index.clear();
    EXPECT_TRUE(wrinkles_of(3).empty());
  }
}

/// A straight path in a plane that faces along `normal`.
PathCurve straight_curve(const Vector3& from, const Vector3& to, const Vector3& normal) {
  const Vector3 along = (to - from).normalized();
  return {{from, to}, {along, along}, {normal}, {0, (to - from).norm()}};
}

TEST(CurveIndex, a_point_is_near_if_it_is_closer_than_the_distance_to_some_curve) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> coordinate(-5, 5);
  const auto point = [&] { return Vector3(coordinate(random), coordinate(random), coordinate(random)); };
  const Vector3 up(0, 0, 1);
  for (const double radius : {0.05, 0.5, 3.0}) {
    CurveIndex index;
    for (int round = 0; round < 3; ++round) {
      index.reset(radius);
      std::vector<PathCurve> curves;
      for (int c = 0; c < 40; ++c) {
        const Vector3 from = point();
        // Short ones, and long ones that cross many cells; each in a plane that faces up.
        Vector3 to = c % 2 == 0 ? point() : Vector3(from + 0.1 * point());
        to.z() = from.z();
        curves.push_back(straight_curve(from, to, up));
        index.insert(curves.back());
      }
      for (int q = 0; q < 500; ++q) {
        const Vector3 query = point();
        double least = std::numeric_limits<double>::infinity();
        for (const PathCurve& curve : curves) {
          const Vector3 along = curve.points[1] - curve.points[0];
          const double u = std::clamp((query - curve.points[0]).dot(along) / along.squaredNorm(), 0.0, 1.0);
          least = std::min(least, (curve.points[0] + u * along - query).norm());
        }
        for (const double distance : {radius, 0.4 * radius, 0.0})
          EXPECT_EQ(index.near(query, up, distance), least < distance);
      }
    }
  }
}

TEST(CurveIndex, the_nearest_curve_is_the_nearest_of_all_that_count) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  const auto point = [&] { return Vector3(coordinate(random), coordinate(random), 0.2 * coordinate(random)); };
  const Vector3 up(0, 0, 1);
  CurveIndex index;
  constexpr double reach = 0.7;
  index.reset(1.3 * reach);
  std::vector<PathCurve> curves;
  for (int c = 0; c < 12; ++c) {
    const Vector3 from = point();
    Vector3 to = point();
    to.z() = from.z();
    curves.push_back(straight_curve(from, to, up));
    index.insert(curves.back(), c);
  }
  int found = 0;
  for (int q = 0; q < 500; ++q) {
    const Vector3 query = point();
    const auto counts = [&](std::int32_t owner) { return owner % 3 != q % 3; };
    double least = reach;
    std::int32_t owner = kNone;
    double along_owner = 0;
    for (std::int32_t c = 0; c < 12; ++c) {
      if (!counts(c)) continue;
      const Vector3& from = curves[std::size_t(c)].points[0];
      const Vector3 along = curves[std::size_t(c)].points[1] - from;
      const double u = std::clamp((query - from).dot(along) / along.squaredNorm(), 0.0, 1.0);
      const double away = (from + u * along - query).norm();
      if (!(away < least)) continue;
      least = away;
      owner = c;
      along_owner = u * along.norm();
    }
    const auto nearest = index.nearest(query, up, reach, counts);
    ASSERT_EQ(nearest.has_value(), owner != kNone);
    EXPECT_FALSE(index.nearest(query, -up, reach, counts).has_value());
    if (!nearest) continue;
    ++found;
    EXPECT_EQ(nearest->owner, owner);
    EXPECT_NEAR(nearest->arc_length, along_owner, 1e-12);
    EXPECT_NEAR((nearest->point - query).norm(), least, 1e-12);
  }
  EXPECT_GT(found, 200);
}

TEST(CurveIndex, cloth_that_faces_away_is_not_near) {
  CurveIndex index;
  index.reset(1);
  index.insert(straight_curve({0, 0, 0}, {1, 0, 0}, {0, 0, 1}));
  EXPECT_TRUE(index.near({0.5, 0, 0.1}, {0, 0, 1}, 1));
  EXPECT_TRUE(index.near({0.5, 0, 0.1}, {0, 0.9, 0.1}, 1));
  EXPECT_FALSE(index.near({0.5, 0, 0.1}, {0, 0, -1}, 1));
}

TEST(CurveIndex, nothing_is_near_without_curves_or_without_a_radius) {
  CurveIndex index;
  index.reset(1);
  EXPECT_FALSE(index.near({0, 0, 0}, {0, 0, 1}, 1));
  index.reset(0);
  index.insert(straight_curve({0, 0, 0}, {1, 0, 0}, {0, 0, 1}));
  EXPECT_FALSE(index.near({0, 0, 0}, {0, 0, 1}, 0));
}

TEST(CurveIndex, long_curves_far_from_a_point_are_not_looked_at) {
  const Vector3 up(0, 0, 1);
  for (const double length : {1e3, 1e6, 1e12}) {
    CurveIndex index;
    index.reset(1);
    constexpr std::int32_t count = 1000;
    for (std::int32_t c = 0; c < count; ++c)
      index.insert(straight_curve({0, c * length / 10, 0}, {length, c * length / 10, 0}, up), c);
    for (const std::int32_t c : {0, 17, count - 1}) {
      int asked = 0;
      const auto counts = [&](std::int32_t) { return ++asked > 0; };
      const auto found = index.nearest({0.4 * length, c * length / 10, 0.5}, up, 1, counts);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->owner, c);
      EXPECT_LE(asked, 100);
    }
  }
}

TEST(CurveIndex, the_smallest_radius_takes_no_more_memory) {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  CurveIndex index;
  index.reset(tiny);
  index.insert(straight_curve({0, 0, 0}, {1, 1, 0}, {0, 0, 1}), 3);
  EXPECT_FALSE(index.near({0.5, 0.5, 0}, {0, 0, 1}, tiny));
  EXPECT_FALSE(index.nearest({0.5, 0.5, 0.1}, {0, 0, 1}, tiny, [](std::int32_t) { return true; }).has_value());
}

TEST(CurveIndex, positions_far_outside_any_cell_are_still_compared) {
  CurveIndex index;
  index.reset(1e-3);
  index.insert(straight_curve({1e14, 0, 0}, {1e14, 1, 0}, {0, 0, 1}));
  EXPECT_TRUE(index.near({1e14, 0.5, 0}, {0, 0, 1}, 1e-3));
  EXPECT_FALSE(index.near({1e14, 2, 0}, {0, 0, 1}, 1e-3));
}

}  // namespace
}  // namespace pucker
