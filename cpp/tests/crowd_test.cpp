#include "pucker/crowd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "motion.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/errors.h"

namespace pucker {
namespace {

using ::testing::HasSubstr;
using testing::irregular_sheet;
using testing::params_for;
using testing::RandomMotion;
using testing::RestShape;

constexpr std::size_t kCharacters = 7;

class Characters : public ::testing::TestWithParam<std::size_t> {
 protected:
  Characters() {
    for (std::size_t c = 0; c < kCharacters; ++c) {
      shapes.push_back(irregular_sheet(5 + int(c % 3), 0.3, c));
      wrinklers.emplace_back(shapes.back().mesh, params_for(0.02));
    }
  }

  /// Advances all characters to the frame, and returns their saved runs.
  std::vector<std::string> step(Crowd& crowd, int frame) {
    std::vector<Array3> positions;
    for (std::size_t c = 0; c < kCharacters; ++c)
      positions.push_back(RandomMotion(shapes[c].positions, 0.1, c).at(frame / 30.0));
    std::vector<CrowdStep> steps;
    for (std::size_t c = 0; c < kCharacters; ++c)
      steps.push_back({&wrinklers[c], {positions[c].data(), positions[c].rows(), 3}, frame / 30.0});
    crowd.advance(steps);
    std::vector<std::string> saved;
    for (const Wrinkler& wrinkler : wrinklers) saved.push_back(wrinkler.save());
    return saved;
  }

  std::vector<RestShape> shapes;
  std::vector<Wrinkler> wrinklers;
};

INSTANTIATE_TEST_SUITE_P(Crowd, Characters, ::testing::Values(1, 2, 3, 16));

TEST_P(Characters, advance_together_to_the_same_bits_as_alone) {
  Crowd crowd(GetParam());
  EXPECT_EQ(crowd.thread_count(), GetParam());
  std::vector<Wrinkler> alone;
  for (const RestShape& shape : shapes) alone.emplace_back(shape.mesh, params_for(0.02));
  for (int frame = 0; frame < 30; ++frame) {
    const std::vector<std::string> saved = step(crowd, frame);
    for (std::size_t c = 0; c < kCharacters; ++c) {
      alone[c].advance(RandomMotion(shapes[c].positions, 0.1, c).at(frame / 30.0), frame / 30.0);
      ASSERT_EQ(saved[c], alone[c].save()) << "character " << c << ", frame " << frame;
    }
  }
}

TEST_P(Characters, stay_as_they_are_when_one_frame_is_refused) {
  Crowd crowd(GetParam());
  const std::vector<std::string> before = step(crowd, 0);
  std::vector<CrowdStep> steps;
  for (std::size_t c = 0; c < kCharacters; ++c)
    steps.push_back({&wrinklers[c], {shapes[c].positions.data(), shapes[c].positions.rows(), 3}, c == 3 ? 0.0 : 1.0});
  try {
    crowd.advance(steps);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("step 3 of the crowd: time must grow"));
  }
  for (std::size_t c = 0; c < kCharacters; ++c) EXPECT_EQ(wrinklers[c].save(), before[c]);
}

TEST_P(Characters, are_named_once) {
  Crowd crowd(GetParam());
  const CrowdStep step{&wrinklers[0], {shapes[0].positions.data(), shapes[0].positions.rows(), 3}, 0.0};
  const std::vector<CrowdStep> steps = {step, step};
  EXPECT_THROW(crowd.advance(steps), InvalidArgument);
  EXPECT_THROW(wrinklers[0].state(), InvalidArgument);
}

TEST(Crowd, of_nobody_does_nothing) { EXPECT_NO_THROW(Crowd().advance({})); }

TEST(Crowd, has_a_thread_a_core_unless_told_otherwise) { EXPECT_GE(Crowd().thread_count(), 1u); }

/// A run that only notes when it is advanced.
class Noted final : public Method {
 public:
  Noted(double seconds, std::vector<double>& advanced) : seconds_(seconds), advanced_(advanced) {}
  std::string_view name() const override { return "noted"; }
  std::span<const std::string_view> stages() const override { return {}; }
  const std::shared_ptr<const Mesh>& mesh() const override { return mesh_; }
  const State& advance(const ConstArray3&, double) override {
    advanced_.push_back(seconds_);
    throw Error("it has no state");
  }
  void require_frame(const ConstArray3&, double) const override {}
  double last_seconds() const override { return seconds_; }
  const State& state() const override { throw Error("it has no state"); }
  std::string save() const override { return {}; }
  std::unique_ptr<Method> restored(std::string_view) const override { return nullptr; }

 private:
  double seconds_;
  std::vector<double>& advanced_;
  std::shared_ptr<const Mesh> mesh_;
};

TEST(Crowd, begins_with_those_that_took_longest) {
  std::vector<double> advanced;
  std::vector<Noted> runs;
  for (const double seconds : {0.2, 0.7, 0.0, 0.7, 0.5}) runs.emplace_back(seconds, advanced);
  std::vector<CrowdStep> steps;
  steps.reserve(runs.size());
  for (Noted& run : runs) steps.push_back({&run, {nullptr, 0, 3}, 0.0});
  EXPECT_THROW(Crowd(1).advance(steps), Error);
  EXPECT_EQ(advanced, (std::vector<double>{0.7, 0.7, 0.5, 0.2, 0.0}));
}

TEST(Crowd, refuses_too_many_threads) { EXPECT_THROW(Crowd(1025), InvalidArgument); }

}  // namespace
}  // namespace pucker
