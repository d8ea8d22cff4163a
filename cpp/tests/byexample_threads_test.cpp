#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "byexample_shapes.h"
#include "pucker/byexample/by_example.h"
#include "pucker/rehearsal.h"
#include "pucker/threads.h"

namespace pucker::byexample {
namespace {

// Enough vertices for several threads to have blocks of their own.
constexpr int kLevels = 4;
constexpr int kDetails = 3;

enum class Weights { dense, sparse, regression };

Array3 random_rows(std::mt19937_64& random, Eigen::Index rows, double size) {
  std::normal_distribution<double> normal(0, size);
  return Array3::NullaryExpr(rows, 3, [&] { return normal(random); });
}

Synthesis synthesis(Weights weights) {
  std::mt19937_64 random(9);
  const std::vector<Array3> poses{bent(0.8), bent(-0.6, 0.2), bent(0.2, -0.3)};
  std::vector<Array3> details;
  details.reserve(std::size_t(kDetails));
  const LoopSubdivision loop(tube(), kLevels);
  for (int k = 0; k < kDetails; ++k) details.push_back(random_rows(random, loop.fine()->vertex_count(), 0.02));
  if (weights != Weights::regression) {
    SynthesisOptions options;
    options.places = weights == Weights::dense ? WeightPlaces::dense : WeightPlaces::sparse;
    return {tube(), kLevels, bent(0), poses, std::move(details), options};
  }
  std::normal_distribution<double> normal;
  RegressionTables learned{
      .points = {0, 21, 44}, .velocities = {}, .coefficients = {}, .width = 0.3, .motion = 0.1, .displacements = {}};
  for (std::size_t k = 0; k < poses.size(); ++k) learned.velocities.push_back(random_rows(random, 3, 1));
  for (std::size_t k = 0; k < learned.points.size(); ++k)
    learned.coefficients.emplace_back(
        Table::NullaryExpr(Eigen::Index(poses.size()) + 1, kDetails - 1, [&] { return normal(random); }));
  return {tube(), kLevels, bent(0), poses, std::move(details), std::move(learned)};
}

struct Shown {
  std::vector<Array3> positions, normals;
};

/// All that a run gave, frame by frame.
Shown run_on(Weights weights, std::size_t count) {
  set_threads(count);
  ByExample run(synthesis(weights), {});
  Shown out;
  for (int frame = 0; frame < 4; ++frame) {
    const ExampleState& state = run.advance(bent(0.2 * frame, 0.05 * frame), frame / 30.0);
    out.positions.push_back(state.surface().positions);
    out.normals.push_back(state.normals());
  }
  set_threads(1);
  return out;
}

/// Counts the loops that are shared, by stage.
class Counted final : public Rehearsal {
 public:
  explicit Counted(std::size_t stages) : shared(stages, 0) {}
  void begin_loop(std::size_t /*blocks*/, std::size_t /*limit*/, Taking /*taking*/,
                  BlockFunction /*function*/) override {
    ++loops_;
  }
  void end_block() override {}
  void end_loop() override {}
  void end_stage(std::size_t stage) override { shared[stage] += std::exchange(loops_, 0); }
  std::vector<int> shared;

 private:
  int loops_ = 0;
};

class ByExampleThreads : public ::testing::TestWithParam<Weights> {};
INSTANTIATE_TEST_SUITE_P(Weights, ByExampleThreads,
                         ::testing::Values(Weights::dense, Weights::sparse, Weights::regression));

TEST_P(ByExampleThreads, give_the_same_bits_however_many_there_are) {
  const Shown alone = run_on(GetParam(), 1);
  for (const std::size_t count : {2U, 3U, 8U}) {
    const Shown shared = run_on(GetParam(), count);
    EXPECT_TRUE(shared.positions == alone.positions) << count << " threads";  // not printed: they are long
    EXPECT_TRUE(shared.normals == alone.normals) << count << " threads";
  }
}

TEST_P(ByExampleThreads, share_subdivision_details_and_normals) {
  set_threads(2);
  ByExample run(synthesis(GetParam()), {});
  Counted counted(run.stages().size());
  rehearse(&counted);
  run.advance(bent(0.3), 0);
  rehearse(nullptr);
  set_threads(1);
  EXPECT_GE(counted.shared[1], 2) << "the smooth surface, then what lies on it";
  EXPECT_GE(counted.shared[2], 1);
}

}  // namespace
}  // namespace pucker::byexample
