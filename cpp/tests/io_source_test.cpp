// Animations that were read elsewhere, and what of the point caches a C++ program sees.
#include "pucker/io/source.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io_temporary_folder.h"
#include "pucker/errors.h"
#include "pucker/io/load.h"

namespace pucker::io {
namespace {

Character triangle() {
  Character character;
  character.vertices = 3;
  character.faces = (Index3(1, 3) << 0, 1, 2).finished();
  character.face_pieces = {0};
  character.face_materials = {0};
  character.pieces = {{"shirt", "mesh"}};
  character.materials = {Material{}};
  character.uv.resize(0, 2);
  return character;
}

// The triangle lifted to height z.
Array3 lifted(double z) { return (Array3(3, 3) << 0, 0, z, 1, 0, z, 0, 1, z).finished(); }

FrameAnimation lifting(const std::vector<double>& heights, std::vector<double> times = {}) {
  FrameAnimation animation;
  animation.format = "test";
  animation.character = triangle();
  for (const double height : heights) animation.frames.push_back(lifted(height));
  animation.times = std::move(times);
  return animation;
}

std::vector<double> heights(const Clip& clip) {
  std::vector<double> result;
  for (std::int64_t k = 0; k < clip.frame_count(); ++k) result.push_back(clip.positions(k)(0, 2));
  return result;
}

using Numbers = std::vector<double>;

TEST(Frames, WithoutTimesRunAtTheRateAskedFor) {
  const auto source = open_frames("lift", lifting({0, 1, 2, 3}));
  EXPECT_EQ(heights(load(*source, {.fps = 24.0})), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(heights(load(*source, {.clip = "1:3", .fps = 24.0})), (Numbers{1, 2, 3}));
  EXPECT_EQ(heights(load(*source, {.clip = "0:3@48", .fps = 24.0})), (Numbers{0, 2}));
}

TEST(Frames, AreInterpolatedBetweenTheirTimes) {
  const auto source = open_frames("lift", lifting({0, 4, 6}, {10.0, 11.0, 13.0}));
  EXPECT_EQ(heights(load(*source, {.fps = 2.0})), (Numbers{0, 2, 4, 4.5, 5, 5.5, 6}));
  EXPECT_EQ(heights(load(*source, {.clip = "1:2", .fps = 1.0})), (Numbers{4, 5, 6}));
}

TEST(Frames, OfTimesRoundedToFloatsAreNotLost) {
  for (const double rate : {23.976, 24.0, 29.97, 30.0, 60.0}) {
    const double exact = rate == std::floor(rate) ? rate : std::ceil(rate) / 1.001;
    Numbers times;
    Numbers expected;
    for (int k = 0; k < 100; ++k) {
      times.push_back(double(float(7.0 + k / exact)));
      expected.push_back(k);
    }
    EXPECT_EQ(heights(load(*open_frames("lift", lifting(expected, times)), {.fps = exact})), expected) << rate;
  }
}

TEST(Frames, AreWeldedOnlyIfTheyCoincideAtRestToo) {
  FrameAnimation animation = lifting({0});
  animation.frames[0].row(1) = animation.frames[0].row(0);
  EXPECT_EQ(load(*open_frames("lift", animation)).vertex_count(), 2);
  animation.rest = lifted(0);
  EXPECT_EQ(load(*open_frames("lift", animation)).vertex_count(), 3);
}

TEST(Frames, ThatDoNotFitAreRefused) {
  const auto refusal = [](FrameAnimation animation) {
    return message_of<InvalidArgument>([&] { open_frames("lift", std::move(animation)); });
  };
  EXPECT_TRUE(contains(refusal(lifting({})), "at least one frame, got 0"));
  EXPECT_TRUE(contains(refusal(lifting({0, 1}, {0.0})), "one entry a frame (2), got 1"));
  EXPECT_TRUE(contains(refusal(lifting({0, 1}, {0.0, 0.0})), "strictly increase, got 0 after 0 for frame 1"));
  EXPECT_TRUE(contains(refusal(lifting({0, 1}, {0.0, INFINITY})), "must be finite, got inf for frame 1"));
  FrameAnimation animation = lifting({0});
  animation.frames[0].conservativeResize(2, 3);
  EXPECT_TRUE(contains(refusal(animation), "one row a vertex (3), got 2"));
  animation = lifting({0});
  animation.character.faces(0, 1) = 3;
  EXPECT_TRUE(contains(refusal(animation), "vertices in [0, 3), got 3 in face 0"));
  animation = lifting({0});
  animation.character.face_materials = {1};
  EXPECT_TRUE(contains(refusal(animation), "face_materials must be in [0, 1), got 1"));
  animation = lifting({0});
  animation.character.joints = {"hip"};
  EXPECT_TRUE(contains(refusal(animation), "influences must have one entry a vertex (3), got 0"));
  animation.character.influences.assign(3, {{1, 1.0}});
  EXPECT_TRUE(contains(refusal(animation), "joints of influences must be in [0, 1), got 1"));
  animation.character.influences.assign(3, {{0, -1.0}});
  EXPECT_TRUE(contains(refusal(animation), "finite and >= 0, got -1"));
}

PosedAnimation swinging() {
  PosedAnimation animation;
  animation.format = "test";
  animation.character = triangle();
  animation.rest = lifted(0);
  animation.clips = {{{"up", 1.0}, [](double time) { return lifted(time); }},
                     {{"down", 0.5}, [](double time) { return lifted(-time); }}};
  return animation;
}

TEST(Poses, AreAskedForAtTheTimesOfTheFrames) {
  const auto source = open_poses("swing", swinging());
  EXPECT_EQ(heights(load(*source, {.clip = "up", .fps = 4.0})), (Numbers{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(heights(load(*source, {.clip = "down", .fps = 4.0, .loops = 2})), (Numbers{0, -0.25, 0, -0.25, -0.5}));
  EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { load(*source); }), "choose one of: up, down"));
}

TEST(Poses, OfAnotherSizeAreRefused) {
  PosedAnimation animation = swinging();
  animation.clips[0].pose = [](double) { return Array3(Array3::Zero(2, 3)); };
  const auto source = open_poses("swing", std::move(animation));
  EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { load(*source, {.clip = "up"}); }), "must have 3 rows, got 2"));
}

TEST(Source, TellsWhichTrianglesAPartMeans) {
  const auto source = open_frames("lift", lifting({0}));
  EXPECT_EQ(select(*source, {"shirt"}), std::vector<bool>{true});
  EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { select(*source, {"hat"}); }), "'hat' names no triangle"));
}

TEST(Source, FormatsOfThePythonPackageAreTold) {
  const TemporaryFolder folder;
  for (const std::string name : {"cloth.usda", "cloth.npz"})
    EXPECT_TRUE(
        contains(message_of<Error>([&] { open_source(folder.write(name, "")); }), "by the Python package only"));
}

TEST(Contents, OfAFileThatIsNotOpenedAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.gltf", "{}");
  const auto refused = [&](const std::filesystem::path& opened, const std::filesystem::path& file) {
    const OpenOptions options{.contents = {{file, "{}"}}};
    return message_of<InvalidArgument>([&] { open_source(opened, options); });
  };
  EXPECT_TRUE(contains(refused(path, "b.gltf"),
                       "of a gltf, glb, vrm, vrma, fbx or dae file that is opened, got those of b.gltf"));
  const auto sequence = folder.write("a.md3", "");
  EXPECT_TRUE(contains(refused(sequence, sequence), "a.md3"));
}

TEST(Contents, AreLimitedAsFilesAre) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.gltf", "{}");
  const OpenOptions options{.limits = {.memory = 3}, .contents = {{path, "long"}}};
  EXPECT_TRUE(
      contains(message_of<Error>([&] { open_source(path, options); }), "a.gltf: has 4 bytes; the limit of memory"));
}

}  // namespace
}  // namespace pucker::io
