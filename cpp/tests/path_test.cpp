#include "pucker/dynamic/path.h"

#include <gtest/gtest.h>

#include "motion.h"

namespace pucker {
namespace {

using testing::RestShape;

TEST(AnchorEnds, changes_no_place_only_what_an_end_slides_along) {
  const RestShape shape = testing::irregular_sheet(7, 0.35, 2);
  Wrinkler run(shape.mesh, testing::params_for(0.02));
  run.advance(shape.positions, 0);
  const testing::RandomMotion motion(shape.positions, 0.1, 3);
  std::size_t inside = 0;
  for (int frame = 1; frame < 60; ++frame)
    for (const Wrinkle& wrinkle : run.advance(motion.at(frame / 30.0), frame / 30.0).wrinkles) {
      Wrinkle anchored = wrinkle;
      anchor_ends(*shape.mesh, anchored);
      for (const bool first : {true, false}) {
        const PathPoint& end = first ? anchored.points.front() : anchored.points.back();
        const PathPoint& inner = first ? anchored.points[1] : anchored.points[anchored.size() - 2];
        const PathPoint& before = first ? wrinkle.points.front() : wrinkle.points.back();
        EXPECT_LT((position(end, run.positions()) - position(before, run.positions())).norm(), 1e-5);
        if (end.on_edge() || !inner.on_edge()) continue;
        ++inside;
        EXPECT_TRUE(end.v0 == inner.v0 && end.v1 == inner.v1);
      }
    }
  EXPECT_GT(inside, 100u);
}

TEST(ReversePath, twice_is_the_path_itself) {
  Wrinkle wrinkle;
  wrinkle.points = {{0, 2, 0.25}, {1, 2, 0.5}, {1, 2, 0.75, 3, 0.4}};
  wrinkle.triangles = {0, 1};
  wrinkle.knot_widths = {1, 2, 3, 4, 5};
  wrinkle.knot_heights = {0, 1, 2, 3, 4};
  Wrinkle reversed = wrinkle;
  reverse_path(reversed);
  EXPECT_EQ(reversed.points.front(), wrinkle.points.back());
  EXPECT_EQ(reversed.triangles, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(reversed.knot_widths, (std::vector<double>{5, 4, 3, 2, 1}));
  reverse_path(reversed);
  EXPECT_EQ(reversed, wrinkle);
}

TEST(SelfDistance, grows_with_the_way_between_up_to_the_distance_of_other_paths) {
  EXPECT_EQ(self_distance(1, 0), 0);
  EXPECT_EQ(self_distance(1, 2), 0.5);
  EXPECT_EQ(self_distance(1, 100), 1);
}

}  // namespace
}  // namespace pucker
