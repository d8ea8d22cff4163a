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

TEST(Trains, on_cloth_that_has_exploded_under_default_counts_end) {
  // Eight triangles with room for any number of narrow wrinkles; without a bound of what is tried beside those there
  // are, and with each compared with all of its triangle to the end, a frame took minutes of computing.
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
  EXPECT_GT(run.state().wrinkles.size(), 1000u);
  testing::expect_valid(*shape.mesh, run.state(), exploded);
}

}  // namespace
}  // namespace pucker
