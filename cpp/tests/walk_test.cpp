#include "pucker/mesh/walk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "motion.h"

namespace pucker {
namespace {

using testing::RestShape;

double corner_angle(const Array3& positions, const Index3& faces, std::int32_t t, int k) {
  const auto corner = [&](int c) -> Vector3 { return positions.row(faces(t, c % 3)).transpose(); };
  const Vector3 a = (corner(k + 1) - corner(k)).normalized();
  const Vector3 b = (corner(k + 2) - corner(k)).normalized();
  return std::acos(a.dot(b));
}

Vector3 place(const RestShape& shape, std::int32_t t, const Vector3& barycentrics) {
  Vector3 out = Vector3::Zero();
  for (int k = 0; k < 3; ++k) out += barycentrics[k] * shape.positions.row(shape.mesh->faces()(t, k)).transpose();
  return out;
}

class RandomCursors {
 public:
  SurfacePoint next(std::int32_t triangle) {
    const Vector3 drawn(weight_(random_), weight_(random_), weight_(random_));
    const double angle = angle_(random_);
    return {triangle, drawn / drawn.sum(), kNone, {std::cos(angle), std::sin(angle)}};
  }

 private:
  std::mt19937_64 random_{5};
  std::exponential_distribution<double> weight_;
  std::uniform_real_distribution<double> angle_{0, 2 * std::numbers::pi};
};

TEST(Leave, the_way_out_is_straight_ahead_on_an_edge) {
  const RestShape shape = testing::tube(9, 5);
  const LocalFrames frames = local_frames(*shape.mesh, shape.positions);
  RandomCursors random;
  for (std::int32_t t = 0; t < shape.mesh->triangle_count(); ++t)
    for (int i = 0; i < 20; ++i) {
      const SurfacePoint point = random.next(t);
      const auto crossing = next_crossing(frames, point);
      ASSERT_TRUE(crossing.has_value());
      EXPECT_EQ(crossing->barycentrics[(crossing->corner + 2) % 3], 0);
      EXPECT_GE(crossing->barycentrics.minCoeff(), 0);
      EXPECT_NEAR(crossing->barycentrics.sum(), 1, 1e-15);
      const Vector3 way = place(shape, t, crossing->barycentrics) - place(shape, t, point.barycentrics);
      const Vector3 along = frames.frames[std::size_t(t)].to_space(point.direction);
      EXPECT_NEAR(way.dot(along), way.norm(), 1e-12);
    }
}

TEST(Leave, a_direction_that_leads_back_out_of_the_entry_has_no_way) {
  const RestShape shape = testing::irregular_sheet(2, 0, 1);
  const LocalFrames frames = local_frames(*shape.mesh, shape.positions);
  // On the middle of edge 0 of triangle 0, whose x axis lies along that edge.
  const Vector3 middle(0.5, 0.5, 0);
  EXPECT_FALSE(next_crossing(frames, {0, middle, 0, {0, -1}}).has_value());
  EXPECT_FALSE(next_crossing(frames, {0, middle, 0, {1, 0}}).has_value());
  EXPECT_TRUE(next_crossing(frames, {0, middle, 0, {0, 1}}).has_value());
  EXPECT_FALSE(next_crossing(frames, {0, middle, kNone, {0, 0}}).has_value());
}

TEST(Unfold, keeps_the_angle_to_the_edge_and_the_length) {
  const RestShape shape = testing::ball();
  const LocalFrames frames = local_frames(*shape.mesh, shape.positions);
  RandomCursors random;
  for (std::int32_t t = 0; t < shape.mesh->triangle_count(); ++t)
    for (int corner = 0; corner < 3; ++corner) {
      const std::int32_t neighbour = shape.mesh->triangle_neighbours()(t, corner);
      ASSERT_NE(neighbour, kNone);
      const Vector2 direction = random.next(t).direction;
      const Vector2 carried = unfold(*shape.mesh, frames, t, corner, neighbour, direction);
      EXPECT_NEAR(carried.norm(), 1, 1e-12);
      const Vector3 edge = (shape.positions.row(shape.mesh->faces()(t, (corner + 1) % 3)) -
                            shape.positions.row(shape.mesh->faces()(t, corner)))
                               .transpose()
                               .normalized();
      const Vector3 before = frames.frames[std::size_t(t)].to_space(direction);
      const Vector3 after = frames.frames[std::size_t(neighbour)].to_space(carried);
      EXPECT_NEAR(before.dot(edge), after.dot(edge), 1e-12);
      // Both triangles face outwards, so the sense of rotation stays too.
      EXPECT_NEAR(before.cross(edge).dot(frames.frames[std::size_t(t)].normal),
                  after.cross(edge).dot(frames.frames[std::size_t(neighbour)].normal), 1e-12);
      const int back =
          shape.mesh->edge_corner(neighbour, shape.mesh->faces()(t, corner), shape.mesh->faces()(t, (corner + 1) % 3));
      EXPECT_LT((unfold(*shape.mesh, frames, neighbour, back, t, carried) - direction).norm(), 1e-12);
    }
}

TEST(Unfold, a_straight_line_round_a_vertex_turns_by_the_angles_it_passes) {
  // Carried round a vertex of the ball, a direction turns by what its angles lack to 2π.
  const RestShape shape = testing::ball();
  const LocalFrames frames = local_frames(*shape.mesh, shape.positions);
  for (const std::int32_t vertex : {0, 10, 40}) {
    const Fan fan = shape.mesh->fan(vertex, 0);
    ASSERT_TRUE(fan.closed);
    double angles = 0;
    Vector2 direction(1, 0);
    for (std::size_t k = 0; k < fan.triangles.size(); ++k) {
      const std::int32_t t = fan.triangles[k];
      const std::int32_t next = fan.triangles[(k + 1) % fan.triangles.size()];
      angles += corner_angle(shape.positions, shape.mesh->faces(), t, shape.mesh->corner(t, vertex));
      int corner = kNone;
      for (int c = 0; c < 3; ++c)
        if (shape.mesh->triangle_neighbours()(t, c) == next) corner = c;
      direction = unfold(*shape.mesh, frames, t, corner, next, direction);
    }
    EXPECT_NEAR(std::fabs(std::atan2(direction.y(), direction.x())), 2 * std::numbers::pi - angles, 1e-12);
  }
}

TEST(FlatMeeting, is_where_the_straight_line_in_the_plane_crosses_the_edge) {
  // Both triangles already lie in one plane: the line in space is the line in the unfolded plane.
  const RestShape shape = testing::irregular_sheet(5, 0.3, 3);
  const LocalFrames frames = local_frames(*shape.mesh, shape.positions);
  RandomCursors random;
  for (std::int32_t t = 0; t < shape.mesh->triangle_count(); ++t)
    for (int corner = 0; corner < 3; ++corner) {
      const std::int32_t neighbour = shape.mesh->triangle_neighbours()(t, corner);
      if (neighbour == kNone) continue;
      const Vector3 from = random.next(t).barycentrics;
      const Vector3 to = random.next(neighbour).barycentrics;
      const auto meeting = unfolded_intersection(*shape.mesh, frames, t, from, neighbour, to);
      ASSERT_TRUE(meeting.has_value());
      const std::int32_t a = std::min(shape.mesh->faces()(t, corner), shape.mesh->faces()(t, (corner + 1) % 3));
      const std::int32_t b = std::max(shape.mesh->faces()(t, corner), shape.mesh->faces()(t, (corner + 1) % 3));
      const Vector3 hit =
          *meeting * shape.positions.row(a).transpose() + (1 - *meeting) * shape.positions.row(b).transpose();
      const Vector3 p = place(shape, t, from);
      const Vector3 q = place(shape, neighbour, to);
      EXPECT_NEAR((hit - p).cross(q - p).norm(), 0, 1e-12);
    }
}

TEST(FlatMeeting, is_none_for_triangles_without_a_common_edge) {
  const RestShape shape = testing::irregular_sheet(3, 0, 1);
  const LocalFrames frames = local_frames(*shape.mesh, shape.positions);
  const Vector3 middle = Vector3::Constant(1 / 3.0);
  EXPECT_FALSE(unfolded_intersection(*shape.mesh, frames, 0, middle, 17, middle).has_value());
}

}  // namespace
}  // namespace pucker
