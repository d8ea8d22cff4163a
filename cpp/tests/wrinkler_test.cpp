#include "pucker/dynamic/wrinkler.h"

#include <gtest/gtest.h>

#include "motion.h"
#include "pucker/errors.h"

namespace pucker {
namespace {

using testing::expect_valid;
using testing::irregular_sheet;
using testing::params_for;
using testing::RandomMotion;
using testing::RestShape;
using testing::tube;

class EveryMethod : public ::testing::TestWithParam<PersistenceMethod> {
 protected:
  Params params() const {
    Params out = params_for(0.02);
    out.persistence.method = GetParam();
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Wrinkler, EveryMethod,
                         ::testing::Values(PersistenceMethod::edges, PersistenceMethod::projection),
                         [](const auto& method) {
                           return method.param == PersistenceMethod::edges ? "edges" : "projection";
                         });

TEST_P(EveryMethod, paths_stay_valid_over_thousands_of_random_frames) {
  std::size_t seen = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RestShape shape = seed % 2 == 0 ? irregular_sheet(7, 0.35, seed) : tube(9, 6);
    const RandomMotion motion(shape.positions, 0.1, seed);
    Wrinkler run(shape.mesh, params());
    for (int frame = 0; frame < 100; ++frame) {
      const WrinklerState& state = run.advance(motion.at(frame / 30.0), frame / 30.0);
      seen += state.wrinkles.size();
      expect_valid(*shape.mesh, state, run.positions());
      if (HasFailure()) FAIL() << "seed " << seed << ", frame " << frame;
    }
  }
  EXPECT_GT(seen, 10000u);
}

TEST_P(EveryMethod, has_no_field_before_the_first_frame) {
  const RestShape shape = tube(9, 6);
  Wrinkler run(shape.mesh, params());
  EXPECT_THROW(run.field(), InvalidArgument);
  run.advance(shape.positions, 0);
  EXPECT_EQ(run.field().positions.rows(), shape.positions.rows());
}

TEST_P(EveryMethod, a_clip_that_stops_comes_to_rest_bit_for_bit) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const RestShape shape = irregular_sheet(7, 0.35, seed);
    const RandomMotion motion(shape.positions, 0.1, seed);
    Wrinkler run(shape.mesh, params());
    const int stop = 40;
    std::vector<Wrinkle> before;
    int changed = 0;
    for (int frame = 0; frame < stop + 120; ++frame) {
      const WrinklerState& state = run.advance(motion.at(std::min(frame, stop) / 30.0), frame / 30.0);
      std::vector<Wrinkle> now = state.wrinkles;
      for (Wrinkle& wrinkle : now) wrinkle.age = 0;
      if (now != before) changed = frame;
      before = now;
    }
    EXPECT_FALSE(before.empty());
    EXPECT_LT(changed, stop + 60) << "seed " << seed;
  }
}

TEST_P(EveryMethod, no_interval_makes_a_turn_a_deformation) {
  // A ratio of stretches that is 1 but for rounding, raised to a power without bounds.
  const RestShape shape = irregular_sheet(7, 0.35, 3);
  for (const double interval : {1e-300, 1e-6, 1e6, 1e300}) {
    Params usual = params();
    usual.interval = interval;
    Wrinkler run(shape.mesh, usual);
    for (int frame = 0; frame < 20; ++frame) {
      const double angle = 0.3 * frame;
      const Array3 turned = shape.positions * Eigen::AngleAxisd(angle, Vector3(1, 2, 3).normalized()).matrix();
      ASSERT_NO_THROW(run.advance(turned, frame / 30.0)) << "interval " << interval << ", frame " << frame;
    }
  }
}

TEST_P(EveryMethod, no_weight_of_the_alignment_loses_a_path) {
  // Sums of its terms go beyond what numbers hold.
  for (const double alpha : {1e100, 1e200, 1e300, 1.7e308}) {
    Params usual = params();
    usual.persistence.alpha = alpha;
    const RestShape shape = irregular_sheet(7, 0.35, 2);
    const RandomMotion motion(shape.positions, 0.1, 2);
    Wrinkler run(shape.mesh, usual);
    std::size_t seen = 0;
    for (int frame = 0; frame < 40; ++frame) {
      const double time = 0.15 * frame;  // alignment grows with the time between frames
      ASSERT_NO_THROW(run.advance(motion.at(time), time)) << "alpha " << alpha << ", frame " << frame;
      expect_valid(*shape.mesh, run.state(), run.positions());
      if (HasFailure()) FAIL() << "alpha " << alpha << ", frame " << frame;
      seen += run.state().wrinkles.size();
    }
    EXPECT_GT(seen, 50u) << "alpha " << alpha;
  }
}

}  // namespace
}  // namespace pucker
