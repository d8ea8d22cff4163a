#include "pucker/scene/replay.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "io_temporary_folder.h"
#include "motion.h"

namespace pucker::scene {
namespace {

/// A run whose state says which frames it has seen, in which order; `work` counts frames and returns to saved ones.
struct Counted {
  std::int64_t frames = 0;
  int* work = nullptr;
  std::uint64_t seen = 0;
  std::int64_t broken = -1;

  std::int64_t frame_count() const { return frames; }
  void advance(std::int64_t frame) {
    if (frame == broken) throw std::runtime_error("broken");
    ++*work;
    seen = 31 * seen + std::uint64_t(frame) + 1;
  }
  std::uint64_t save() const { return seen; }
  void restore(std::uint64_t saved) {
    ++*work;
    seen = saved;
  }
};

std::uint64_t straight(std::int64_t frame) {
  std::uint64_t seen = 0;
  for (std::int64_t k = 0; k <= frame; ++k) seen = 31 * seen + std::uint64_t(k) + 1;
  return seen;
}

TEST(SceneReplay, AnyOrderOfFramesGivesTheStatesOfAStraightRun) {
  int work = 0;
  ReplayOf<Counted> replay(Counted{.frames = 100, .work = &work});
  EXPECT_EQ(replay.frame(), 0);
  std::mt19937_64 random(5);
  for (int k = 0; k < 200; ++k) {
    const auto frame = std::int64_t(random() % 100);
    EXPECT_TRUE(replay.seek(frame));
    EXPECT_EQ(replay.frame(), frame);
    ASSERT_EQ(replay.run().seen, straight(frame));
  }
}

TEST(SceneReplay, AFramePassedBeforeIsAtMostAStrideAway) {
  int work = 0;
  ReplayOf<Counted> replay(Counted{.frames = 100, .work = &work});
  replay.seek(99);
  EXPECT_EQ(work, 100);
  EXPECT_EQ(replay.saved_count(), 7);
  std::mt19937_64 random(6);
  for (int k = 0; k < 200; ++k) {
    work = 0;
    replay.seek(std::int64_t(random() % 100));
    ASSERT_LE(work, kReplayStride);
  }
  work = 0;
  replay.seek(replay.frame());
  EXPECT_EQ(work, 0);
}

TEST(SceneReplay, ABudgetThatIsSpentStillPaysForOneStep) {
  int work = 0;
  ReplayOf<Counted> replay(Counted{.frames = 100, .work = &work});
  constexpr std::chrono::duration<double> none{-1.0};
  work = 0;
  for (std::int64_t frame = 1; frame < 5; ++frame) {
    EXPECT_FALSE(replay.seek(5, none));
    EXPECT_EQ(replay.frame(), frame);
    EXPECT_EQ(work, frame);
  }
  EXPECT_TRUE(replay.seek(5, none));
  EXPECT_TRUE(replay.seek(50, std::chrono::duration<double>(1e9)));
}

TEST(SceneReplay, RefusesAFrameThatThereIsNot) {
  int work = 0;
  ReplayOf<Counted> replay(Counted{.frames = 9, .work = &work});
  for (const std::int64_t frame : {std::int64_t(-1), std::int64_t(9)})
    EXPECT_EQ(io::message_of<InvalidArgument>([&] { replay.seek(frame); }),
              message("frame must lie in [0, 9), not ", frame));
  EXPECT_EQ(replay.frame(), 0);
}

TEST(SceneReplay, GoesOnAfterAFrameThatFailed) {
  int work = 0;
  ReplayOf<Counted> replay(Counted{.frames = 40, .work = &work, .broken = 20});
  EXPECT_THROW(replay.seek(30), std::runtime_error);
  EXPECT_EQ(replay.frame(), 19);
  EXPECT_TRUE(replay.seek(3));
  EXPECT_EQ(replay.run().seen, straight(3));
}

/// A sheet that is squeezed, over a body whose first two vertices are one place.
io::Clip squeezed(std::int64_t frames) {
  const testing::RestShape sheet = testing::irregular_sheet(6, 0.3, 1);
  std::vector<double> positions;
  std::vector<double> times;
  for (std::int64_t k = 0; k < frames; ++k) {
    Array3 moved = sheet.positions;
    moved.col(0) *= 1.0 - 0.5 * double(k) / double(frames);
    positions.insert(positions.end(), moved.data(), moved.data() + moved.size());
    times.push_back(double(k) / 30);
  }
  return io::Clip::from_arrays(sheet.mesh->faces(), positions, times, std::nullopt, false, sheet.positions);
}

TEST(SceneReplay, OfAMethodGivesTheBitsOfARunOfIts) {
  const io::Clip clip = squeezed(40);
  const MethodType& type = *methods().front();
  const auto started = [&] { return type.start(start_of(clip), *type.params()); };
  Replay replay(ClipRun(clip, started()));
  const std::unique_ptr<Method> run = started();
  std::vector<std::string> expected;
  for (std::int64_t k = 0; k < clip.frame_count(); ++k) {
    run->advance(clip.positions(k), clip.data().times[std::size_t(k)]);
    expected.push_back(run->save());
  }
  for (const std::int64_t frame : {39, 2, 17, 16, 33, 0, 20}) {
    ASSERT_TRUE(replay.seek(frame));
    EXPECT_EQ(replay.run().method().state().frame, frame);
    EXPECT_EQ(replay.run().save(), expected[std::size_t(frame)]) << frame;
  }
}

TEST(SceneReplay, ARunStartsFromWhatTheClipKnows) {
  io::ClipData data = squeezed(2).data();
  const auto stored = (Index3(2, 3) << 0, 1, 2, 1, 3, 4).finished();
  data.body = {.faces = stored, .uv = UvArray(0, 2), .materials = {0, 0}, .weld = {0, 1, 2, 2, 3}};
  for (int k = 0; k < 30; ++k) data.body_positions.push_back(k);
  // Vertices 2 and 3 are one place.
  for (const std::size_t frame : {std::size_t(0), std::size_t(15)})
    for (std::size_t axis = 0; axis < 3; ++axis)
      data.body_positions[frame + 9 + axis] = data.body_positions[frame + 6 + axis];
  data.body_rest = Array3::Random(5, 3);
  data.materials.resize(1);
  data.garment.materials.assign(std::size_t(data.garment.faces.rows()), 0);
  const io::Clip clip{data};
  const StartInput start = start_of(clip);
  EXPECT_EQ(start.mesh, clip.mesh());
  EXPECT_EQ(start.first, clip.positions(0));
  EXPECT_EQ(start.rest, clip.rest());
  EXPECT_EQ(start.height, clip.height());
  EXPECT_FALSE(start.standing.has_value());
  const Wearer body = start.wearer();
  EXPECT_EQ(body.vertices, 4);
  EXPECT_EQ(body.faces, (Index3(2, 3) << 0, 1, 2, 1, 2, 3).finished());
  ASSERT_EQ(body.positions.size(), 2U * 4 * 3);
  EXPECT_EQ(body.positions[9], 12.0);
  EXPECT_EQ(body.positions[12], 15.0);
  EXPECT_EQ(body.rest.row(3), data.body_rest.row(4));
  EXPECT_EQ(body.standing.rows(), 0);
}

}  // namespace
}  // namespace pucker::scene
