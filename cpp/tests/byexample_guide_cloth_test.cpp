#include "pucker/byexample/guide_cloth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "byexample_shapes.h"
#include "pucker/byexample/by_example.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::byexample {
namespace {

constexpr int kLevels = 1;

Synthesis tube_synthesis() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.02);
  const std::vector<Array3> poses = {bent(0), bent(0.8), bent(-0.6, 0.2)};
  const LoopSubdivision loop(tube(), kLevels);
  std::vector<Array3> details;
  for (std::size_t k = 0; k < poses.size(); ++k)
    details.emplace_back(Array3::NullaryExpr(loop.fine()->vertex_count(), 3, [&] { return normal(random); }));
  return {tube(), kLevels, bent(0), poses, std::move(details), SynthesisOptions{}};
}

GuideCloth cloth() {
  drape::Params params;
  params.levels = 0;
  params.contact = false;
  params.swing = 0;
  params.edges_per_wave = 2.5;
  params.iterations = 5;
  return {.params = params, .cut = bent(0)};
}

Params swung(std::optional<double> swing) {
  Params params;
  params.swing = swing;
  return params;
}

Array3 frame_at(int frame) { return bent(0.7 * std::sin(0.3 * frame), 0.2 * std::cos(0.2 * frame)); }

TEST(GuideCloth, detail_is_that_of_its_balance) {
  ByExample run(tube_synthesis(), {}, {}, cloth());
  ByExample alone(tube_synthesis(), {});
  drape::Drape balance = cloth().on(tube(), {});
  for (int frame = 0; frame < 5; ++frame) {
    const ExampleState& found = run.advance(frame_at(frame), 0.1 * frame);
    const Array3 settled = balance.advance(frame_at(frame), 0.1 * frame).draped;
    const ExampleState& wanted = alone.advance(settled, 0.1 * frame);
    EXPECT_EQ(found.positions, frame_at(frame));
    EXPECT_EQ(found.balance(), settled);
    EXPECT_GT((settled - frame_at(frame)).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_EQ(found.surface().pose_weights, wanted.surface().pose_weights);
    EXPECT_EQ(found.surface().positions, wanted.surface().positions);
    EXPECT_EQ(found.normals(), wanted.normals());
  }
}

TEST(GuideCloth, the_balance_of_finer_cloth_is_its_least_squares_fit) {
  GuideCloth finer = cloth();
  finer.params.levels = 1;
  finer.params.iterations = 10;
  const std::vector<std::int32_t> shared = {3, 9};
  ByExample run(tube_synthesis(), {}, shared, finer);
  drape::Drape balance = finer.on(tube(), shared);
  const LoopSubdivision loop(tube(), 1);
  const Eigen::MatrixXd matrix(loop.matrix());
  for (int frame = 0; frame < 3; ++frame) {
    const Array3 found = run.advance(frame_at(frame), 0.1 * frame).balance();
    const Array3 draped = balance.advance(frame_at(frame), 0.1 * frame).draped;
    const Eigen::MatrixX3d wanted = matrix.colPivHouseholderQr().solve(draped.matrix());
    for (Eigen::Index v = 0; v < found.rows(); ++v) {
      const bool kept = v == 3 || v == 9;
      const Eigen::RowVector3d place = kept ? Eigen::RowVector3d(frame_at(frame).row(v)) : wanted.row(v);
      EXPECT_LT((found.matrix().row(v) - place).norm(), 1e-9) << "frame " << frame << ", vertex " << v;
    }
  }
  ByExample again = ByExample::restore(run.save());
  EXPECT_EQ(again.state().balance(), run.state().balance());
  EXPECT_EQ(again.advance(frame_at(3), 0.3).surface().positions, run.advance(frame_at(3), 0.3).surface().positions);
  EXPECT_EQ(again.save(), run.save());
}

TEST(GuideCloth, a_set_without_has_its_guide) {
  ByExample run(tube_synthesis(), {});
  EXPECT_EQ(run.cloth(), nullptr);
  EXPECT_EQ(run.advance(frame_at(1), 0).balance(), frame_at(1));
}

TEST(GuideCloth, a_restored_run_goes_on_with_the_same_bits) {
  ByExample run(tube_synthesis(), {}, {0, 1, 2, 3, 4, 5, 6, 7}, cloth());
  for (int frame = 0; frame < 3; ++frame) run.advance(frame_at(frame), 0.1 * frame);
  ByExample again = ByExample::restore(run.save());
  EXPECT_EQ(again.state().balance(), run.state().balance());
  EXPECT_EQ(again.state().surface().positions, run.state().surface().positions);
  EXPECT_EQ(again.save(), run.save());
  ByExample copy = run;
  for (int frame = 3; frame < 6; ++frame) {
    run.advance(frame_at(frame), 0.1 * frame);
    again.advance(frame_at(frame), 0.1 * frame);
    EXPECT_EQ(again.state().balance(), run.state().balance());
    EXPECT_EQ(again.state().surface().positions, run.state().surface().positions);
  }
  // A copy has cloth of its own.
  for (int frame = 3; frame < 6; ++frame) copy.advance(frame_at(frame), 0.1 * frame);
  EXPECT_EQ(copy.state().balance(), run.state().balance());
  ByExample begun = ByExample::restore(ByExample(tube_synthesis(), {}, {}, cloth()).save());
  EXPECT_NE(begun.cloth(), nullptr);
  EXPECT_GT((begun.advance(frame_at(2), 0).balance() - frame_at(2)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(GuideCloth, swings_as_draped_cloth_does) {
  GuideCloth swinging = cloth();
  swinging.params.swing = 0.05;
  const auto expect_swings = [](ByExample run, double swing) {
    GuideCloth each = cloth();
    each.params.swing = swing;
    drape::Drape wanted = each.on(tube(), {});
    for (int frame = 0; frame < 6; ++frame) {
      EXPECT_EQ(run.advance(frame_at(frame), 0.02 * frame).balance(),
                wanted.advance(frame_at(frame), 0.02 * frame).draped)
          << "swing " << swing << ", frame " << frame;
    }
    const Array3 moved = run.state().balance();
    // At a cut it begins anew.
    const Array3 away = frame_at(6).rowwise() + Eigen::RowVector3d(100, 0, 0);
    EXPECT_EQ(run.advance(away, 1).balance(), each.on(tube(), {}).advance(away, 0).draped);
    return moved;
  };
  const Array3 still = expect_swings(ByExample(tube_synthesis(), {}, {}, cloth()), 0);
  const Array3 taught = expect_swings(ByExample(tube_synthesis(), {}, {}, swinging), 0.05);
  EXPECT_GT((taught - still).cwiseAbs().maxCoeff(), 1e-3);
  expect_swings(ByExample(tube_synthesis(), swung(0.1), {}, cloth()), 0.1);
  expect_swings(ByExample(tube_synthesis(), swung(0.0), {}, swinging), 0);
  EXPECT_THROW(ByExample(tube_synthesis(), swung(-0.1), {}, cloth()), InvalidArgument);
}

TEST(GuideCloth, a_restored_run_swings_on_with_the_same_bits) {
  GuideCloth swinging = cloth();
  swinging.params.swing = 0.05;
  for (const std::optional<double> swing : {std::optional<double>(), std::optional(0.1)}) {
    ByExample run(tube_synthesis(), swung(swing), {}, swinging);
    for (int frame = 0; frame < 4; ++frame) run.advance(frame_at(frame), 0.02 * frame);
    ByExample again = ByExample::restore(run.save());
    for (int frame = 4; frame < 8; ++frame) {
      run.advance(frame_at(frame), 0.02 * frame);
      EXPECT_EQ(again.advance(frame_at(frame), 0.02 * frame).surface().positions, run.state().surface().positions);
    }
    EXPECT_EQ(again.save(), run.save());
  }
}

TEST(GuideCloth, shared_vertices_stay_on_the_guide) {
  ByExample run(tube_synthesis(), {}, {3, 9}, cloth());
  const ExampleState& state = run.advance(frame_at(3), 0);
  for (const Eigen::Index v : {3, 9}) EXPECT_EQ(state.balance().row(v), frame_at(3).row(v));
}

TEST(GuideCloth, what_is_no_cloth_of_a_guide_is_refused) {
  const auto refused = [](const auto& change) {
    GuideCloth given = cloth();
    change(given);
    EXPECT_THROW((void)given.on(tube(), {}), InvalidArgument);
  };
  refused([](GuideCloth& each) { each.params.levels = 2; });
  refused([](GuideCloth& each) { each.params.levels = -1; });
  refused([](GuideCloth& each) { each.params.contact = true; });
  refused([](GuideCloth& each) { each.params.stiffness_map = "map.npy"; });
  refused([](GuideCloth& each) { each.params.iterations = 10001; });
  refused([](GuideCloth& each) { each.params.creep = 2; });
  refused([](GuideCloth& each) { each.cut = each.cut.topRows(3).eval(); });
}

}  // namespace
}  // namespace pucker::byexample
