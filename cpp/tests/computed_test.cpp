#include "pucker/waves/computed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "pucker/draw/content.h"
#include "waves_shapes.h"

namespace pucker::waves {
namespace {

Params on_gpu() {
  Params out;
  out.compute = Compute::gpu;
  out.unit = WavelengthUnit::clip;
  out.wavelength = 0.2;
  out.relax.start = Start::random;
  out.relax.start_rounds = 5;
  out.relax.rounds = 2;
  return out;
}

/// A sheet that is squeezed more and more.
class Computed : public testing::Test {
 protected:
  std::shared_ptr<const ComputedState> advance(ComputedField& run) const {
    const std::int64_t frame = next(run);
    run.advance(sheet_.rest * squeeze(1 - 0.02 * double(frame), 0.3).transpose(), double(frame) / 30);
    return run.share_state();
  }
  static std::int64_t next(const ComputedField& run) {
    try {
      return run.state().frame + 1;
    } catch (const InvalidArgument&) {
      return 0;
    }
  }
  /// For who has run the programs of `done`.
  static draw::Content content(const ComputedState& state, const ComputedState* done) {
    const auto left = done == nullptr ? nullptr : done->detail().draw_content(Vector3::Zero(), nullptr).continued;
    return state.detail().draw_content(Vector3::Zero(), left.get());
  }
  static std::int64_t frames_of(const draw::Content& content) {
    return std::count_if(content.programs.begin(), content.programs.end(),
                         [](const draw::Program& program) { return program.name == "place"; });
  }
  static bool kept(const draw::Content& content) {
    return std::all_of(content.buffers.begin(), content.buffers.end() - 1,
                       [](const draw::Buffer& buffer) { return buffer.kept; });
  }

  std::mt19937_64 random_{11};
  Sheet sheet_ = irregular_sheet(random_);
  ComputedField run_{sheet_.mesh, sheet_.rest, on_gpu()};
};

TEST_F(Computed, RunsTheProgramsOfFramesThatAreYetToCome) {
  const auto first = advance(run_);
  const auto second = advance(run_);
  const auto third = advance(run_);
  EXPECT_EQ(frames_of(content(*third, nullptr)), 3);
  EXPECT_FALSE(kept(content(*third, nullptr)));
  EXPECT_EQ(frames_of(content(*third, first.get())), 2);
  EXPECT_TRUE(kept(content(*third, first.get())));
  EXPECT_TRUE(content(*third, third.get()).programs.empty());
  EXPECT_FALSE(content(*third, third.get()).places_vertices);
  // Back to an earlier one, and over to another run: from the first frame on.
  EXPECT_EQ(frames_of(content(*second, third.get())), 2);
  EXPECT_FALSE(kept(content(*second, third.get())));
  ComputedField other(sheet_.mesh, sheet_.rest, on_gpu());
  EXPECT_FALSE(kept(content(*third, advance(other).get())));
}

TEST_F(Computed, HasTheRoundsOfTheReferenceAndEndsThemWhereTheyAreDrawnFrom) {
  const auto first = advance(run_);
  const auto second = advance(run_);
  for (const auto& [state, rounds] : {std::pair{content(*first, nullptr), 5}, {content(*second, first.get()), 2}}) {
    std::vector<std::int32_t> sides;
    for (const draw::Program& program : state.programs)
      if (program.name == "relax") sides.push_back(std::get<std::int32_t>(program.uniforms.front().value));
    ASSERT_EQ(std::int64_t(sides.size()), rounds);
    EXPECT_EQ(sides.back(), 1);
    for (std::size_t k = 1; k < sides.size(); ++k) EXPECT_NE(sides[k], sides[k - 1]);
  }
}

TEST_F(Computed, CarriesPhasesOnOnceInEachFrameBeforeItsRounds) {
  Params params = on_gpu();
  for (const Start start : {Start::carried, Start::random}) {
    params.relax.start = start;
    ComputedField run(sheet_.mesh, sheet_.rest, params);
    advance(run);
    std::vector<std::string_view> around;
    for (const draw::Program& program : content(*advance(run), nullptr).programs)
      if (program.name == "align" || program.name == "carry" || program.name == "place") around.push_back(program.name);
    const std::vector<std::string_view> frame = start == Start::carried
                                                    ? std::vector<std::string_view>{"place", "align", "carry"}
                                                    : std::vector<std::string_view>{"place", "align"};
    std::vector<std::string_view> wanted = frame;
    wanted.insert(wanted.end(), frame.begin(), frame.end());
    EXPECT_EQ(around, wanted);
  }
}

TEST_F(Computed, SendsPositionsOrTwelveNumbersAJoint) {
  const auto state = advance(run_);
  EXPECT_EQ(content(*state, nullptr).buffers.back().bytes.size(), 12 * std::size_t(sheet_.rest.rows()));
  ComputedField skinned(sheet_.mesh, sheet_.rest, on_gpu());
  const auto count = std::size_t(sheet_.rest.rows());
  Bones bones{.joints = std::vector<std::int32_t>(4 * count, 1),
              .weights = std::vector<double>(4 * count, 0.25),
              .matrices = std::vector<double>(2 * 3 * 12, 0.5),
              .joint_count = 3};
  skinned.set_bones(bones);
  EXPECT_EQ(content(*advance(skinned), nullptr).buffers.back().bytes.size(), 4 * 3 * 12U);
  EXPECT_EQ(content(*advance(skinned), nullptr).buffers.back().bytes.size(), 2 * 4 * 3 * 12U);
  EXPECT_THROW(advance(skinned), InvalidArgument);
  EXPECT_EQ(skinned.state().frame, 1);

  ComputedField unstarted(sheet_.mesh, sheet_.rest, on_gpu());
  bones.joints.front() = 3;
  EXPECT_THROW(unstarted.set_bones(bones), InvalidArgument);
  bones.joints.front() = 0;
  bones.matrices.pop_back();
  EXPECT_THROW(unstarted.set_bones(bones), InvalidArgument);
  EXPECT_THROW(skinned.set_bones(bones), InvalidArgument);
  EXPECT_EQ(cut_warning(bones), "");
  bones.vertices_cut = 2;
  EXPECT_NE(cut_warning(bones).find("2 of " + std::to_string(count) + " vertices"), std::string::npos);
}

TEST_F(Computed, GivesTheNumbersOfAWaveFieldInAnyOrder) {
  WaveField field(sheet_.mesh, sheet_.rest, on_gpu());
  std::vector<std::shared_ptr<const ComputedState>> states;
  std::vector<std::shared_ptr<const WaveState>> wanted;
  for (int frame = 0; frame < 5; ++frame) {
    states.push_back(advance(run_));
    field.advance(states.back()->positions, states.back()->time);
    wanted.push_back(field.share_state());
  }
  for (const std::size_t k : {3U, 1U, 4U, 4U, 0U}) {
    EXPECT_EQ(states[k]->reference().phases, wanted[k]->phases);
    EXPECT_EQ(states[k]->detail().feature_sizes(), wanted[k]->detail().feature_sizes());
    EXPECT_EQ(states[k]->detail().feature_size(), wanted[k]->detail().feature_size());
  }
}

TEST_F(Computed, KnowsAFrameFromOneThatLayInTheSameMemory) {
  advance(run_);
  // Each frame is let go of before the next is made, which the allocator then puts in the same place.
  for (int k = 0; k < 8; ++k) {
    const double share = 1 - 0.03 * k;
    ComputedField other = run_;
    other.advance(sheet_.rest * squeeze(share, 0.3).transpose(), 1.0);
    WaveField field(sheet_.mesh, sheet_.rest, on_gpu());
    field.advance(run_.state().positions, run_.state().time);
    field.advance(sheet_.rest * squeeze(share, 0.3).transpose(), 1.0);
    ASSERT_EQ(other.state().reference().positions, field.state().positions) << "frame " << k;
    ASSERT_EQ(other.state().reference().phases, field.state().phases) << "frame " << k;
  }
}

TEST_F(Computed, GoesOnFromASavedRun) {
  advance(run_);
  advance(run_);
  ComputedField again = ComputedField::restore(run_.save());
  EXPECT_EQ(again.save(), run_.save());
  const draw::Content wanted = content(*advance(run_), nullptr);
  const draw::Content found = content(*advance(again), nullptr);
  ASSERT_EQ(found.buffers.size(), wanted.buffers.size());
  for (std::size_t k = 0; k < wanted.buffers.size(); ++k) EXPECT_EQ(found.buffers[k].bytes, wanted.buffers[k].bytes);
  EXPECT_EQ(found.programs.size(), wanted.programs.size());
  std::string damaged = run_.save();
  damaged[damaged.size() / 2] = char(damaged[damaged.size() / 2] + 1);
  EXPECT_THROW(ComputedField::restore(damaged), Error);
}

TEST_F(Computed, LetsGoOfAnyNumberOfFrames) {
  const auto mesh = std::make_shared<const Mesh>(Index3(0, 3), 1);
  ComputedField run(mesh, Array3::Zero(1, 3), on_gpu());
  for (int frame = 0; frame < 300'000; ++frame) run.advance(Array3::Zero(1, 3), frame);
  EXPECT_EQ(run.state().frame, 299'999);
}

TEST_F(Computed, RefusesPhasesOfLeastError) {
  Params params = on_gpu();
  params.relax.start = Start::solved;
  EXPECT_THROW(ComputedField(sheet_.mesh, sheet_.rest, params), InvalidArgument);
}

}  // namespace
}  // namespace pucker::waves
