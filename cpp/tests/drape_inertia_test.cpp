#include "pucker/drape/inertia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pucker/drape/drape.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::drape {
namespace {

constexpr double kSwing = 0.05;

/// A point with a mass on a spring to the origin, from which it starts with a velocity, in steps of these lengths that
/// repeat: how far it is from sin(t / s) at most, until the time `end`.
double error_of(const std::vector<double>& lengths, double end) {
  Inertia inertia(kSwing, {}, 10);
  Array3 place{{0, 0, 0}};
  Array3 target;
  double time = 0;
  double worst = 0;
  for (std::size_t k = 0; time < end; ++k) {
    const double passed = lengths[k % lengths.size()];
    const Pull pull = inertia.pull(place, passed, target);
    // The first step is put where the point then is, as it has no velocity to begin with.
    Array3 next{{std::sin(passed / kSwing), 0, 0}};
    if (pull.weight > 0) next = pull.weight / (1 + pull.weight) * *pull.to;
    inertia.step(place, next, passed);
    place = next;
    time += passed;
    worst = std::max(worst, std::fabs(place(0, 0) - std::sin(time / kSwing)));
  }
  return worst;
}

TEST(DrapeInertia, a_mass_on_a_spring_swings_as_the_sine_to_second_order) {
  constexpr double end = 0.6;
  const double coarse = error_of({0.002}, end);
  const double fine = error_of({0.001}, end);
  EXPECT_LT(fine, 0.02);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
  // Steps of unequal lengths keep the order.
  const double uneven = error_of({0.002, 0.0012, 0.0018}, end);
  EXPECT_NEAR(uneven / error_of({0.001, 0.0006, 0.0009}, end), 4, 0.4);
  EXPECT_LT(uneven, coarse);
}

TEST(DrapeInertia, steps_that_grow_fast_are_of_first_order_and_stay_bounded) {
  EXPECT_LT(error_of({0.0001, 0.004, 0.02, 0.0002}, 3), 2.5);
}

TEST(DrapeInertia, there_is_none_before_a_velocity_is_known_without_swing_and_after_a_jump) {
  Inertia none(0, {}, 10);
  Inertia some(kSwing, {}, 10);
  const Array3 place{{1, 0, 0}};
  Array3 target;
  EXPECT_EQ(some.pull(place, 0.1, target).weight, 0);
  none.step(place, 2 * place, 0.1);
  some.step(place, 2 * place, 0.1);
  EXPECT_EQ(none.pull(2 * place, 0.1, target).weight, 0);
  EXPECT_GT(some.pull(2 * place, 0.1, target).weight, 0);
  EXPECT_EQ((*some.pull(2 * place, 0.1, target).to)(0, 0), 3);
  // 10 a second would go 20 in two seconds.
  EXPECT_EQ(some.pull(2 * place, 2, target).weight, 0);
  EXPECT_EQ(some.pull(2 * place, 0.1, target).weight, 0);
  some.step(place, place, 0.1);
  EXPECT_EQ(some.pull(place, 1e-300, target).weight, 0);
  some.step(place, place, 0.1);
  some.start();
  EXPECT_EQ(some.pull(place, 0.1, target).weight, 0);
}

TEST(DrapeInertia, refuses_masses_that_are_none) {
  EXPECT_THROW(Inertia(-1, {}, 1), InvalidArgument);
  EXPECT_THROW(Inertia(std::numeric_limits<double>::infinity(), {}, 1), InvalidArgument);
  EXPECT_THROW(Inertia(1, {1, -1}, 1), InvalidArgument);
}

constexpr std::int32_t kAcross = 6;

std::shared_ptr<const Mesh> sheet() {
  return std::make_shared<const Mesh>(shapes::grid(kAcross, kAcross), (kAcross + 1) * (kAcross + 1));
}

Array3 flat() {
  Array3 out((kAcross + 1) * (kAcross + 1), 3);
  for (std::int32_t y = 0; y <= kAcross; ++y)
    for (std::int32_t x = 0; x <= kAcross; ++x) out.row(y * (kAcross + 1) + x) << x / 6.0, y / 6.0, 0;
  return out;
}

Params swinging() {
  Params params;
  params.levels = 1;
  params.thickness = 0;
  params.depth = 10;
  params.swing = kSwing;
  params.memory = 0.03;
  return params;
}

/// Where the sheet is after the guide has been moved along by these shifts, one a frame.
template <class Shift>
std::vector<double> moved(const Params& params, double rate, int frames, const Shift& shift) {
  Drape run(sheet(), flat(), params);
  std::vector<double> out;
  for (int frame = 0; frame < frames; ++frame) {
    const double time = frame / rate;
    const DrapeState& state = run.advance(flat().rowwise() + Eigen::RowVector3d(0, 0, shift(time)), time);
    // It moves as a whole.
    EXPECT_LT(state.balanced.col(2).maxCoeff() - state.balanced.col(2).minCoeff(), 1e-4);
    out.push_back(state.balanced.col(2).mean());
  }
  return out;
}

TEST(DrapeInertia, a_sheet_whose_guide_swings_is_a_driven_oscillator) {
  // `memory` is of first order in time.
  // s² ẍ + m (ẋ − ġ) + x − g = 0 with g = A sin ωt has x = A |H| sin(ωt + arg H), H = (1 + i m ω) / (1 − s² ω² + i m
  // ω).
  constexpr double omega = 25;
  constexpr double size = 0.02;
  const Params params = swinging();
  const auto guide = [&](double time) { return size * std::sin(omega * time); };
  const std::vector<double> places = moved(params, 400, 500, guide);
  const std::complex<double> damped(0, params.memory * omega);
  const std::complex<double> response = (1.0 + damped) / (1 - kSwing * kSwing * omega * omega + damped);
  for (std::size_t frame = 350; frame < places.size(); ++frame) {
    const double expected = size * std::abs(response) * std::sin(omega * double(frame) / 400 + std::arg(response));
    EXPECT_NEAR(places[frame], expected, 0.04 * size) << frame;
  }
}

TEST(DrapeInertia, a_guide_that_moves_evenly_is_followed_without_delay) {
  const std::vector<double> places = moved(swinging(), 24, 30, [](double time) { return 0.1 * time; });
  for (std::size_t frame = 0; frame < places.size(); ++frame)
    EXPECT_NEAR(places[frame], 0.1 * double(frame) / 24, 1e-5);
}

TEST(DrapeInertia, what_is_held_closer_swings_less) {
  // Half the fold size holds four times as hard: of the same mass it swings in half the time.
  const Params params = swinging();
  Drape loose(sheet(), flat(), params);
  const double before = loose.setting().lengths.fold_sizes[0];
  EXPECT_NEAR(before, params.fold_size * loose.setting().lengths.extent, 1e-12);
  const Mesh& mesh = *loose.setting().levels->whole().fine();
  Balance balance(loose.setting().levels, flat(), loose.setting().lengths, {}, {.creep = 1, .compression = 2});
  std::vector<double> shares(std::size_t(mesh.vertex_count()), 0.25);
  Guide guide(loose.setting().levels);
  guide.step(flat());
  const Array3 up = guide.positions().rowwise() + Eigen::RowVector3d(0, 0, 0.1);
  const Pull pull{.to = &up, .weight = 4, .shares = shares};
  balance.aim(guide.positions(), guide.normals(), std::span(&pull, 1), 10);
  Array3 x = guide.positions();
  balance.solve(x, 200, 1e-9);
  // A weight of 4 of which each vertex has a quarter: as far from the one as from the other.
  EXPECT_NEAR(x.col(2).mean(), 0.05, 1e-5);
  shares.pop_back();
  EXPECT_THROW(balance.aim(guide.positions(), guide.normals(), std::vector<Pull>{{&up, 4, shares}}, 10),
               InvalidArgument);
}

TEST(DrapeInertia, a_restored_run_swings_on_with_the_same_bits) {
  for (const int saved : {1, 2, 3, 5}) {
    Drape run(sheet(), flat(), swinging());
    const auto at = [](int frame) {
      return Array3(flat().rowwise() + Eigen::RowVector3d(0, 0.01 * frame * frame, 0.1 * std::sin(frame)));
    };
    for (int frame = 0; frame < saved; ++frame) run.advance(at(frame), 0.1 * frame);
    Drape other = Drape::restore(run.save());
    EXPECT_EQ(other.save(), run.save());
    for (int frame = saved; frame < saved + 4; ++frame)
      EXPECT_EQ(run.advance(at(frame), 0.1 * frame).draped, other.advance(at(frame), 0.1 * frame).draped);
  }
}

TEST(DrapeInertia, what_was_before_a_start_is_not_saved) {
  // One run has swung before the guide jumped, the other begins there.
  Drape one(sheet(), flat(), swinging());
  Drape other(sheet(), flat(), swinging());
  for (int frame = 0; frame < 4; ++frame) one.advance(flat(), 0.1 * frame);
  for (int frame = 4; frame < 7; ++frame) {
    const Array3 at = flat().rowwise() + Eigen::RowVector3d(0, 0, 40 + 0.01 * frame);
    one.advance(at, 0.1 * frame);
    other.advance(at, 0.1 * frame);
    EXPECT_EQ(one.save().size(), other.save().size()) << frame;
  }
}

TEST(DrapeInertia, frames_of_no_length_and_jumps_of_the_guide_are_survived) {
  Drape run(sheet(), flat(), swinging());
  double time = 0;
  for (int frame = 0; frame < 12; ++frame) {
    const DrapeState& state = run.advance(flat().rowwise() + Eigen::RowVector3d(0, 0, 0.3 * (frame % 3)), time);
    EXPECT_TRUE(state.balanced.allFinite()) << frame;
    EXPECT_LT((state.balanced - state.guide).cwiseAbs().maxCoeff(), 2) << frame;
    time += frame == 0 ? 1e-60 : 0.04;
  }
}

}  // namespace
}  // namespace pucker::drape
