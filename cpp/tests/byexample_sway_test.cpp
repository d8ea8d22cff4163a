#include "pucker/byexample/sway.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "byexample_followers.h"

namespace pucker::byexample {
namespace {

constexpr double kPeriod = 0.4;

/// A mass going on from `mass` by steps of equal length, the guide at `places`.
Sway after(const Sway& mass, const std::vector<double>& places, double seconds, double damping) {
  return followed(mass, places, seconds, kPeriod, damping);
}

Sway at_rest() { return resting<Sway>(); }

/// The equation of motion by the classical Runge-Kutta method, the guide going evenly from one place to the next.
double integrated(const std::vector<double>& places, double seconds, double damping) {
  constexpr int kSteps = 4000;
  const double pulse = 2 * std::numbers::pi / kPeriod;
  double x = places.front();
  double v = 0;
  for (std::size_t k = 1; k < places.size(); ++k) {
    const double h = seconds / kSteps;
    for (int step = 0; step < kSteps; ++step) {
      const auto pull = [&](double share, double where, double speed) {
        const double guide = places[k - 1] + (places[k] - places[k - 1]) * (step + share) / kSteps;
        return pulse * pulse * (guide - where) - 2 * damping * pulse * speed;
      };
      const double v1 = v, a1 = pull(0, x, v);
      const double v2 = v + h / 2 * a1, a2 = pull(0.5, x + h / 2 * v1, v2);
      const double v3 = v + h / 2 * a2, a3 = pull(0.5, x + h / 2 * v2, v3);
      const double v4 = v + h * a3, a4 = pull(1, x + h * v3, v4);
      x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
  }
  return x - places.back();
}

TEST(Sway, is_the_solution_of_the_equation_of_motion) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, 0.3);
  for (const double damping : {0.01, 0.2, 0.7, 0.999999, 1.0})
    for (const double seconds : {0.004, 1.0 / 30, 0.3}) {
      std::vector<double> places{0.7};
      for (int frame = 0; frame < 6; ++frame) places.push_back(places.back() + normal(random));
      const Sway found = after(at_rest(), places, seconds, damping);
      EXPECT_NEAR(found.offsets(0, 0), integrated(places, seconds, damping), 1e-9) << damping << ", " << seconds;
      EXPECT_NEAR(found.offsets(0, 1), -2 * found.offsets(0, 0), 1e-12);
      EXPECT_EQ(found.offsets(0, 2), 0);
    }
}

TEST(Sway, swings_freely_as_a_damped_oscillator_does) {
  const double pulse = 2 * std::numbers::pi / kPeriod;
  for (const double damping : {0.05, 0.3, 1.0}) {
    Sway mass = at_rest();
    mass.offsets(0, 0) = 1;
    for (int frame = 1; frame <= 60; ++frame) {
      const double time = frame / 60.0;
      Sway next;
      next.step(mass, at(0), at(0), 1.0 / 60, kPeriod, damping);
      mass = next;
      const double ringing = pulse * std::sqrt(1 - damping * damping);
      const double sine = damping < 1 ? std::sin(ringing * time) / ringing : time;
      const double expected = std::exp(-damping * pulse * time) * (std::cos(ringing * time) + damping * pulse * sine);
      EXPECT_NEAR(mass.offsets(0, 0), expected, 1e-12);
    }
  }
}

TEST(Sway, goes_on_smoothly_where_its_series_begins) {
  // By the closed form in long double, whose differences keep enough digits on both sides of the step.
  for (const double damping : {0.05, 0.5, 1.0})
    for (const double angle : {0.3e-3, 0.9999e-3, 1.0001e-3, 2e-3}) {
      const long double zeta = damping;
      const long double theta = angle;
      const long double ringing = std::sqrt(1 - zeta * zeta) * theta;
      const long double decay = std::exp(-zeta * theta);
      const long double sine = decay * theta * (ringing > 0 ? std::sin(ringing) / ringing : 1.0L);
      const long double free_offset = decay * std::cos(ringing) + zeta * sine;
      const long double offset = (2 * zeta * free_offset - sine - 2 * zeta) / theta;
      const long double speed = (1 - 2 * zeta * sine - (decay * std::cos(ringing) - zeta * sine)) / theta;
      Sway next;
      next.step(at_rest(), at(0), at(1), kPeriod * angle / (2 * std::numbers::pi), kPeriod, damping);
      EXPECT_NEAR(next.offsets(0, 0), double(offset), 1e-12) << damping << ", " << angle;
      EXPECT_NEAR(next.speeds(0, 0), double(speed), 2e-10) << damping << ", " << angle;
    }
}

TEST(Sway, frames_between_on_the_same_line_change_nothing) {
  const std::vector<double> places{0, 0.2, 0.1, 0.6, 0.6};
  for (const double damping : {0.1, 1.0}) {
    const Sway whole = after(at_rest(), places, 0.1, damping);
    for (const int parts : {2, 7, 1000}) {
      std::vector<double> finer{0};
      for (std::size_t k = 1; k < places.size(); ++k)
        for (int part = 1; part <= parts; ++part)
          finer.push_back(places[k - 1] + (places[k] - places[k - 1]) * part / parts);
      const Sway found = after(at_rest(), finer, 0.1 / parts, damping);
      EXPECT_LT((found.offsets - whole.offsets).norm(), 1e-11);
      EXPECT_LT((found.speeds - whole.speeds).norm(), 1e-11);
    }
  }
}

TEST(Sway, follows_a_steady_guide_at_a_steady_distance) {
  std::vector<double> places;
  for (int frame = 0; frame <= 300; ++frame) places.push_back(0.05 * frame);
  for (const double damping : {0.3, 1.0}) {
    const Sway found = after(at_rest(), places, 1.0 / 30, damping);
    EXPECT_NEAR(found.offsets(0, 0), -damping * kPeriod / std::numbers::pi * 1.5, 1e-9);
  }
}

TEST(Sway, any_step_is_stable) {
  for (const double damping : {0.01, 0.5, 1.0})
    for (const double seconds : {5e-324, 1e-300, 1e-12, 1.0, 1e3, 1e9, 1e300, 1.7e308})
      for (const double period : {5e-324, 1e-6, 0.4, 1e6, 1.7e308}) {
        Sway mass = at_rest();
        for (int frame = 0; frame < 20; ++frame) {
          Sway next;
          next.step(mass, at(frame % 3), at((frame + 1) % 3), seconds, period, damping);
          mass = next;
          ASSERT_TRUE(mass.offsets.allFinite() && mass.speeds.allFinite()) << seconds << ", " << period;
          ASSERT_LE(mass.offsets.cwiseAbs().maxCoeff(), 1e3);
        }
      }
  // A soft spring leaves the mass where it is, a hard one takes it along.
  EXPECT_NEAR(after(at_rest(), {0, 1}, 1e-9, 0.5).offsets(0, 0), -1, 1e-9);
  EXPECT_NEAR(after(at_rest(), {0, 1}, 1e9, 0.5).offsets(0, 0), 0, 1e-9);
}

}  // namespace
}  // namespace pucker::byexample
