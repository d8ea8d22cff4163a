#include "pucker/byexample/by_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "byexample_runs.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::byexample {
namespace {

void expect_equal(const ExampleState& a, const ExampleState& b) {
  EXPECT_EQ(a.frame, b.frame);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.surface().pose_weights, b.surface().pose_weights);
  EXPECT_EQ(a.surface().positions, b.surface().positions);
  EXPECT_EQ(a.sway().offsets, b.sway().offsets);
  EXPECT_EQ(a.sway().speeds, b.sway().speeds);
  EXPECT_EQ(a.normals(), b.normals());
}

TEST(ByExample, frames_are_those_of_the_synthesis) {
  ByExample run(tube_synthesis(), {});
  Synthesis alone = tube_synthesis();
  Synthesised expected;
  for (int frame = 0; frame < 6; ++frame) {
    const ExampleState& state = run.advance(frame_at(0.1 * frame), 0.1 * frame);
    alone.step(frame_at(0.1 * frame), expected);
    EXPECT_EQ(state.frame, frame);
    EXPECT_EQ(state.surface().positions, expected.positions);
    EXPECT_EQ(state.surface().pose_weights, expected.pose_weights);
  }
}

TEST(ByExample, a_surface_that_is_made_when_it_is_asked_for_has_the_same_bits) {
  std::vector<std::int32_t> ring(8);
  std::iota(ring.begin(), ring.end(), 0);
  Params params{.trained = "", .gain = 1.5, .lag = 0.1, .reach = 0.05, .sway = 0.4, .damping = 0.3, .sewn = true};
  ByExample with_each(tube_synthesis(), params, ring);
  params.compute = Compute::gpu;
  ByExample asked(tube_synthesis(), params, ring);
  EXPECT_EQ(asked.stages().size(), 1U);
  std::vector<std::shared_ptr<const ExampleState>> wanted, found;
  for (int frame = 0; frame < 5; ++frame) {
    with_each.advance(frame_at(0.1 * frame), 0.1 * frame);
    asked.advance(frame_at(0.1 * frame), 0.1 * frame);
    if (frame == 1) asked = ByExample::restore(asked.save());
    wanted.push_back(with_each.share_state());
    found.push_back(asked.share_state());
    EXPECT_EQ(found.back()->seconds.size(), 1U);
    EXPECT_EQ(found.back()->pose_weights(), wanted.back()->pose_weights());
  }
  // In any order, and after the run has gone on.
  for (const std::size_t frame : std::initializer_list<std::size_t>{3, 0, 4, 1, 2, 0})
    expect_equal(*found[frame], *wanted[frame]);
  // Memory that is used again is made anew.
  found.clear();
  for (int frame = 5; frame < 9; ++frame)
    expect_equal(asked.advance(frame_at(0.1 * frame), 0.1 * frame),
                 with_each.advance(frame_at(0.1 * frame), 0.1 * frame));
}

TEST(ByExample, surfaces_may_be_asked_for_in_several_threads) {
  Params params;
  params.compute = Compute::gpu;
  ByExample run(tube_synthesis(), params);
  ByExample alone(tube_synthesis(), {});
  std::vector<std::shared_ptr<const ExampleState>> states, wanted;
  for (int frame = 0; frame < 8; ++frame) {
    run.advance(frame_at(0.1 * frame), 0.1 * frame);
    states.push_back(run.share_state());
    alone.advance(frame_at(0.1 * frame), 0.1 * frame);
    wanted.push_back(alone.share_state());
  }
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (std::size_t k = 0; k < states.size(); ++k) states[(k + thread) % states.size()]->surface();
    });
  for (int frame = 8; frame < 40; ++frame) run.advance(frame_at(0.1 * frame), 0.1 * frame);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < states.size(); ++k) expect_equal(*states[k], *wanted[k]);
}

TEST(ByExample, gain_multiplies_the_detail) {
  ByExample once(tube_synthesis(), {});
  ByExample twice(tube_synthesis(), {.trained = "", .gain = 2, .lag = 0, .sewn = true});
  ByExample none(tube_synthesis(), {.trained = "", .gain = 0, .lag = 0, .sewn = true});
  const Array3 smooth = SmoothSurface(tube(), kLevels, bent(0.4)).positions();
  const Array3 detail = once.advance(bent(0.4), 0).surface().positions - smooth;
  EXPECT_LT((twice.advance(bent(0.4), 0).surface().positions - smooth - 2 * detail).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(none.advance(bent(0.4), 0).surface().positions, smooth);
}

TEST(ByExample, detail_fades_where_no_pose_is_near) {
  const Array3 unlearned = 1.3 * bent(0.4);
  Params params;
  ByExample whole(tube_synthesis(), params);
  const ExampleState& all = whole.advance(unlearned, 0);
  const std::vector<double> distances = whole.synthesis().pose_space().nearest();
  const double nearest = *std::ranges::min_element(distances);
  const double farthest = *std::ranges::max_element(distances);
  ASSERT_GT(nearest, 0);
  for (const double share : {0.4, 0.9, 1.4}) {
    params.reach = share * farthest;
    ByExample faded(tube_synthesis(), params);
    const Table weights = faded.advance(unlearned, 0).surface().pose_weights;
    for (Eigen::Index v = 0; v < weights.rows(); ++v) {
      const double s = std::min(std::max(distances[std::size_t(v)] / params.reach - 1, 0.0), 1.0);
      EXPECT_LT((weights.row(v) - (1 - s * s * (3 - 2 * s)) * all.surface().pose_weights.row(v)).norm(), 1e-12);
    }
  }
  params.reach = 0.5 * nearest;
  ByExample gone(tube_synthesis(), params);
  EXPECT_EQ(gone.advance(unlearned, 0).surface().detail.norm(), 0);
  // At a pose it is as it was learned.
  EXPECT_EQ(gone.advance(bent(0), 1).surface().pose_weights, whole.advance(bent(0), 1).surface().pose_weights);
}

TEST(ByExample, weights_follow_a_step_exponentially_at_any_frame_rate) {
  const double lag = 0.3;
  for (const double rate : {10.0, 25.0, 60.0}) {
    ByExample run(tube_synthesis(), {.trained = "", .gain = 1, .lag = lag, .sewn = true});
    const Table before = run.advance(bent(0), 0).surface().pose_weights;
    ByExample there(tube_synthesis(), {});
    const Table after = there.advance(bent(0.5), 0).surface().pose_weights;
    for (int frame = 1; frame <= int(rate); ++frame) {
      const Table& found = run.advance(bent(0.5), frame / rate).surface().pose_weights;
      const Table expected = after + std::exp(-frame / rate / lag) * (before - after);
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((found.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
    }
  }
}

TEST(ByExample, sways_by_the_subdivided_offsets_of_its_masses) {
  Params params;
  params.sway = 0.5;
  params.damping = 0.2;
  ByExample plain(tube_synthesis(), {});
  ByExample run(tube_synthesis(), params);
  Sway mass;
  mass.rest(frame_at(0).rows());
  Array3 carried;
  for (int frame = 0; frame < 8; ++frame) {
    if (frame > 0) {
      Sway next;
      next.step(mass, frame_at(0.1 * (frame - 1)), frame_at(0.1 * frame), 0.1, params.sway, params.damping);
      mass = next;
    }
    const ExampleState& state = run.advance(frame_at(0.1 * frame), 0.1 * frame);
    const ExampleState& still = plain.advance(frame_at(0.1 * frame), 0.1 * frame);
    multiply(run.synthesis().subdivision().matrix(), mass.offsets, carried);
    EXPECT_LT((state.sway().offsets - mass.offsets).norm(), 1e-12);
    EXPECT_LT((state.surface().positions - still.surface().positions - carried).norm(), 1e-12);
    EXPECT_EQ(carried.norm() > 0.01, frame > 0);
    EXPECT_EQ(state.surface().detail, still.surface().detail);
    EXPECT_EQ(still.sway().offsets.size(), 0);
  }
  // Put elsewhere, its masses are at rest.
  const Array3 away = frame_at(0.8).rowwise() + Eigen::RowVector3d(50, 0, 0);
  EXPECT_EQ(run.advance(away, 0.8).sway().offsets.norm(), 0);
  EXPECT_EQ(run.state().surface().positions, plain.advance(away, 0.8).surface().positions);
  EXPECT_GT(run.advance(away.rowwise() + Eigen::RowVector3d(0.1, 0, 0), 0.9).sway().offsets.norm(), 0.1);
}

TEST(ByExample, masses_forget_a_jump_beyond_the_extent_of_the_cloth) {
  Params params;
  params.sway = 0.5;
  // The diagonal of the box round the rest pose, in each of three directions.
  const Array3 rest = bent(0);
  const double extent = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
  for (int axis = 0; axis < 3; ++axis)
    for (const double share : {0.99, 1.01}) {
      ByExample run(tube_synthesis(), params);
      run.advance(rest, 0);
      Array3 away = rest;
      away.col(axis).array() += share * extent;
      EXPECT_EQ(run.advance(away, 0.1).sway().offsets.norm() > 0, share < 1) << axis << ", " << share;
    }
}

TEST(ByExample, sways_as_far_at_any_frame_rate) {
  // Frames between two lie on the line between them.
  Params params;
  params.sway = 0.3;
  for (const int parts : {2, 5}) {
    ByExample whole(tube_synthesis(), params);
    ByExample finer(tube_synthesis(), params);
    whole.advance(frame_at(0), 0);
    finer.advance(frame_at(0), 0);
    for (int frame = 1; frame < 5; ++frame) {
      const Array3 from = frame_at(0.1 * (frame - 1));
      const Array3 to = frame_at(0.1 * frame);
      whole.advance(to, 0.1 * frame);
      for (int part = 1; part <= parts; ++part)
        finer.advance(from + double(part) / parts * (to - from), 0.1 * (frame - 1 + double(part) / parts));
      EXPECT_LT((finer.state().sway().offsets - whole.state().sway().offsets).norm(), 1e-10);
    }
  }
}

TEST(ByExample, a_run_goes_on_from_its_bytes_with_the_same_bits) {
  for (const double lag : {0.0, 0.2}) {
    Params params{.trained = "set.npz", .gain = 1.5, .lag = lag, .sewn = true};
    params.sway = lag;
    ByExample run(tube_synthesis(), params);
    ByExample early = ByExample::restore(run.save());
    for (int frame = 0; frame < 4; ++frame) run.advance(frame_at(0.1 * frame), 0.1 * frame);
    for (int frame = 0; frame < 4; ++frame) early.advance(frame_at(0.1 * frame), 0.1 * frame);
    expect_equal(early.state(), run.state());
    ByExample late = ByExample::restore(run.save());
    EXPECT_EQ(late.params().trained, "set.npz");
    EXPECT_EQ(late.params().gain, 1.5);
    expect_equal(late.state(), run.state());
    EXPECT_EQ(late.save(), run.save());
    expect_equal(late.advance(frame_at(0.5), 0.5), run.advance(frame_at(0.5), 0.5));
  }
}

TEST(ByExample, other_bytes_are_refused) {
  ByExample run(tube_synthesis(), {});
  run.advance(bent(0.1), 0);
  const std::string whole = run.save();
  EXPECT_THROW(ByExample::restore("pucker waves 1\n"), Error);
  for (std::size_t length = 0; length < whole.size(); length += whole.size() / 50)
    EXPECT_THROW(ByExample::restore(std::string_view(whole).substr(0, length)), Error);
  for (std::size_t place = 20; place < whole.size(); place += whole.size() / 50) {
    std::string damaged = whole;
    damaged[place] = char(damaged[place] ^ 1);
    EXPECT_THROW(ByExample::restore(damaged), Error);
  }
}

TEST(ByExample, a_refused_frame_changes_nothing) {
  ByExample run(tube_synthesis(), {.trained = "", .gain = 1, .lag = 0.1, .sewn = true});
  EXPECT_THROW(run.state(), InvalidArgument);
  run.advance(bent(0.2), 1);
  const std::string before = run.save();
  Array3 broken = bent(0.3);
  broken(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(run.advance(broken, 2), InvalidArgument);
  EXPECT_THROW(run.advance(bent(0.3), 1), InvalidArgument);
  EXPECT_THROW(run.advance(bent(0.3).topRows(3), 2), InvalidArgument);
  EXPECT_EQ(run.save(), before);
  EXPECT_THROW(ByExample(tube_synthesis(), {.trained = "", .gain = -1, .lag = 0, .sewn = true}), InvalidArgument);
  EXPECT_THROW(ByExample(tube_synthesis(), {.trained = "", .gain = 1, .lag = -0.1, .sewn = true}), InvalidArgument);
}

TEST(ByExample, frames_take_no_new_memory_and_a_held_one_stays) {
  ByExample run(tube_synthesis(), {});
  run.advance(frame_at(0), 0);
  const std::shared_ptr<const ExampleState> held = run.share_state();
  const Array3 kept = held->surface().positions;
  std::vector<const double*> seen;
  for (int frame = 1; frame < 8; ++frame)
    seen.push_back(run.advance(frame_at(0.1 * frame), 0.1 * frame).surface().positions.data());
  EXPECT_EQ(held->surface().positions, kept);
  for (std::size_t k = 2; k + 2 < seen.size(); ++k) EXPECT_EQ(seen[k], seen[k + 2]);
}

TEST(ByExample, a_shared_border_stays_and_one_triangle_on_everything_moves) {
  // The lowest ring of vertices.
  std::vector<std::int32_t> ring(8);
  std::iota(ring.begin(), ring.end(), 0);
  const Array3 positions = bent(0.4, 0.1);
  ByExample free(tube_synthesis(), {});
  ByExample sewn(tube_synthesis(), {}, ring);
  ByExample loose(tube_synthesis(), {.trained = "", .gain = 1, .lag = 0, .sewn = false}, ring);
  const Array3 whole = free.advance(positions, 0).surface().positions;
  EXPECT_EQ(loose.advance(positions, 0).surface().positions, whole);
  const ExampleState& state = sewn.advance(positions, 0);
  const LoopSubdivision& loop = *state.detail().subdivision();
  Array3 base;
  multiply(loop.barycentrics(), positions, base);
  int held = 0;
  int untouched = 0;
  for (Eigen::Index v = 0; v < whole.rows(); ++v) {
    double hold = 0;
    for (const std::int32_t c : ring) hold += loop.barycentrics().coeff(v, c);
    const Eigen::RowVector3d expected = whole.row(v) + hold * (base.row(v) - whole.row(v));
    EXPECT_LT((state.surface().positions.row(v) - expected).norm(), 1e-12);
    held += hold == 1 ? 1 : 0;
    untouched += hold == 0 ? 1 : 0;
  }
  EXPECT_EQ(held, 8 << kLevels);
  EXPECT_GT(untouched, whole.rows() / 2);
  EXPECT_THROW(ByExample(tube_synthesis(), {}, {48}), InvalidArgument);
  EXPECT_THROW(ByExample(tube_synthesis(), {}, {-1}), InvalidArgument);
  ByExample again = ByExample::restore(sewn.save());
  expect_equal(again.state(), state);
  expect_equal(again.advance(frame_at(1), 1), sewn.advance(frame_at(1), 1));
}

TEST(ByExample, no_gain_makes_a_normal_that_is_not_finite) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_THROW(ByExample(tube_synthesis(), {.trained = "", .gain = most, .lag = 0, .sewn = true}), InvalidArgument);
  ByExample run(tube_synthesis(), {.trained = "", .gain = 1e6, .lag = 0, .sewn = true});
  EXPECT_TRUE(run.advance(frame_at(0.3), 0).normals().allFinite());
}

}  // namespace
}  // namespace pucker::byexample
