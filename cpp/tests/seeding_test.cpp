#include "pucker/dynamic/seeding.h"

#include <gtest/gtest.h>

#include <vector>

#include "motion.h"
#include "pucker/dynamic/path.h"

namespace pucker {
namespace {

using testing::RestShape;

TEST(SeedsBeside, are_at_most_those_of_one_place_where_a_path_is_too_short_to_have_a_length_in_space) {
  // Next to corner 0, whose barycentric coordinate is 1 there: the others tell places apart that are one in space.
  const RestShape shape{std::make_shared<Mesh>(shapes::faces({{2, 0, 1}}), 3),
                        (Array3(3, 3) << 1, 1, 0, 2, 1, 0, 1, 2, 0).finished()};
  Wrinkler run(shape.mesh, testing::params_for(0.01));
  run.advance(shape.positions, 0);
  Array3 squeezed = shape.positions;
  squeezed.col(1) *= 0.5;
  const WrinklerState& state = run.advance(squeezed, 1 / 30.0);
  const CompressionField field{*shape.mesh, squeezed, state.frames, state.stretch, state.compression};
  Wrinkle wrinkle;
  wrinkle.points = {{0, 2, 1e-20}, {1, 2, 1e-20}};
  wrinkle.triangles = {0};
  ASSERT_EQ(path_length(wrinkle, squeezed), 0);
  visit_segments(field, wrinkle, [](std::size_t, const PathSegment& segment) { ASSERT_GT(segment.length(), 0); });
  std::vector<Seed> beside;
  Seeder(shape.mesh, run.params()).beside(field, wrinkle, beside);
  EXPECT_LE(beside.size(), 2u);
}

}  // namespace
}  // namespace pucker
