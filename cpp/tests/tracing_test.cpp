#include "pucker/dynamic/tracing.h"

#include <gtest/gtest.h>

#include <ctime>

#include "motion.h"
#include "pucker/dynamic/path.h"

namespace pucker {
namespace {

using testing::RestShape;

/// Seconds of computing that count as for ever: sanitizers take most of a hundred times as long.
constexpr double kForEver =
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    10 *
#endif
#endif
    100;

TEST(Rows, do_not_go_on_where_cloth_has_exploded) {
  // Eight triangles with room for any number of narrow wrinkles, of which rows would make thousands: what starts is
  // what is scattered, at most four in each of them.
  const RestShape shape = testing::irregular_sheet(2, 0.3, 2);
  Params params = testing::params_for(0.01);
  params.tracing.seeding = Seeding::trains;
  Wrinkler run(shape.mesh, params);
  run.advance(shape.positions, 0);
  const testing::RandomMotion motion(shape.positions, 0.3, 3);
  std::mt19937_64 random(30);
  std::normal_distribution<double> far(0, 100);
  Array3 exploded;
  const std::clock_t begin = std::clock();
  for (int frame = 1; frame < 3; ++frame) {
    exploded = Array3::NullaryExpr(shape.positions.rows(), 3, [&] { return far(random); });
    exploded += motion.at(frame / 30.0);
    run.advance(exploded, frame / 30.0);
  }
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, kForEver);
  EXPECT_GT(run.state().wrinkles.size(), 0u);
  std::int64_t living = 0;
  for (const Wrinkle& wrinkle : run.state().wrinkles) living += wrinkle.alive ? 1 : 0;
  EXPECT_LE(living, 2 * params.tracing.seeds_per_triangle * shape.mesh->triangle_count());
  testing::expect_valid(*shape.mesh, run.state(), exploded);
}

}  // namespace
}  // namespace pucker
