#include "pucker/byexample/trail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "byexample_followers.h"

namespace pucker::byexample {
namespace {

constexpr double kTime = 0.02;

/// A trail that began at rest, after steps of equal length, the guide at `places`.
Trail after(const std::vector<double>& places, double seconds) {
  return followed(resting<Trail>(), places, seconds, kTime);
}

TEST(Trail, SolvesItsEquation) {
  const std::vector<double> places = {0, 0.4, 0.1, 0.1, -0.7};
  constexpr double seconds = 1.0 / 30;
  constexpr int kSteps = 200000;
  double x = places.front();
  for (std::size_t k = 1; k < places.size(); ++k) {
    const double h = seconds / kSteps;
    for (int step = 0; step < kSteps; ++step) {
      const double guide = places[k - 1] + (places[k] - places[k - 1]) * (step + 0.5) / kSteps;
      // The midpoint rule, x′ = (g − x) / time.
      const double middle = x + h / 2 * (guide - x) / kTime;
      x += h * (guide - middle) / kTime;
    }
  }
  const Trail found = after(places, seconds);
  EXPECT_NEAR(found.offsets(0, 0), x - places.back(), 1e-9);
  EXPECT_NEAR(found.offsets(0, 1), -2 * (x - places.back()), 1e-9);
  EXPECT_EQ(found.offsets(0, 2), 0);
}

TEST(Trail, FollowsASteadyGuideByItsTime) {
  std::vector<double> places(60);
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = 0.3 * double(k);
  constexpr double seconds = 1.0 / 24;
  EXPECT_NEAR(after(places, seconds).offsets(0, 0), -0.3 / seconds * kTime, 1e-12);
}

TEST(Trail, IsTheSameByMoreFramesOnTheSameLines) {
  const Trail coarse = after({0, 1, -1}, 0.1);
  const Trail fine = after({0, 0.25, 0.5, 0.75, 1, 0.5, 0, -0.5, -1}, 0.025);
  EXPECT_NEAR(coarse.offsets(0, 0), fine.offsets(0, 0), 1e-14);
}

TEST(Trail, IsLeftBehindWhollyWithoutTime) {
  EXPECT_EQ(after({0, 1}, 0).offsets(0, 0), -1);
  EXPECT_NEAR(after({0, 1}, 1e-12).offsets(0, 0), -1, 1e-9);
}

}  // namespace
}  // namespace pucker::byexample
