#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io_temporary_folder.h"
#include "pucker/errors.h"
#include "pucker/io/load.h"

namespace pucker::io {
namespace {

const std::filesystem::path kData = PUCKER_DATA_DIR;

// Two triangles with a seam: vertices 1 and 3, and 2 and 4, coincide.
Index3 seam_faces() { return (Index3(2, 3) << 0, 1, 2, 4, 3, 5).finished(); }
std::vector<double> seam_positions() { return {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0}; }

ClipData seam_data() { return Clip::from_arrays(seam_faces(), seam_positions(), {0.0}).data(); }

template <class Change>
std::string refusal(Change change) {
  ClipData data = seam_data();
  change(data);
  return message_of<InvalidArgument>([&] { Clip{std::move(data)}; });
}

TEST(Clip, WeldsArrays) {
  const Clip clip = Clip::from_arrays(seam_faces(), seam_positions(), {0.0});
  EXPECT_EQ(clip.data().garment.weld, (std::vector<std::int32_t>{0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(clip.mesh()->faces(), (Index3(2, 3) << 0, 1, 2, 2, 1, 3).finished());
  EXPECT_EQ(clip.data().garment.faces, seam_faces());
  EXPECT_EQ(clip.positions(0), (Array3(4, 3) << 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0).finished());
  EXPECT_EQ(clip.height(), 2.0);
  EXPECT_EQ(clip.report().mesh.boundary_edges, 4);
}

TEST(Clip, LeavesArraysAloneIfAskedTo) {
  const Clip clip = Clip::from_arrays(seam_faces(), seam_positions(), {0.0}, std::nullopt, false);
  EXPECT_EQ(clip.vertex_count(), 6);
  EXPECT_EQ(clip.data().positions, seam_positions());
  EXPECT_EQ(clip.mesh()->faces(), seam_faces());
}

TEST(Clip, CountsTrianglesWithoutAreaAndDuplicates) {
  const Index3 faces = (Index3(4, 3) << 0, 1, 2, 2, 0, 1, 0, 1, 3, 0, 2, 1).finished();
  const Clip clip = Clip::from_arrays(faces, {0, 0, 0, 1, 1, 1, 1, 0, 0, 0.3, 0.3, 0.3}, {0.0});
  EXPECT_EQ(clip.report().duplicate_faces, 2);
  EXPECT_EQ(clip.report().zero_area_triangles, 1);
}

TEST(Clip, CountsNoAreaAlikeAtAnyScale) {
  for (const double scale : {1e-8, 1.0, 1e8}) {
    std::vector<double> positions{0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1e-3, 0};
    for (double& value : positions) value *= scale;
    const Clip clip = Clip::from_arrays((Index3(2, 3) << 0, 1, 2, 0, 1, 3).finished(), positions, {0.0});
    EXPECT_EQ(clip.report().zero_area_triangles, 1) << scale;
  }
}

TEST(Clip, RefusesArraysThatDoNotFit) {
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.times.clear(); }), "at least one frame"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.times = {0.0, 1.0}; }), "2 frames"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.times = {std::nan("")}; }), "times must be finite"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.positions.pop_back(); }), "got 11 numbers"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.positions[7] = std::nan(""); }), "frame 0, vertex 2"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.rest = Array3::Zero(3, 3); }), "one row a vertex (4), got 3"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.vertices = -1; }), "got -1"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.garment.faces(1, 2) = 6; }), "got 6 in face 1"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.garment.faces(0, 0) = -1; }), "got -1 in face 0"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.garment.weld[3] = 4; }), "weld must be in [0, 4), got 4"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.garment.materials[1] = 1; }), "materials must be in [0, 1), got 1"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.garment.materials.pop_back(); }), "one entry a triangle"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.garment.uv = UvArray::Zero(5, 2); }), "uv"));
  EXPECT_TRUE(contains(refusal([](ClipData& d) { d.body_positions = {1.0}; }), "body positions"));
}

TEST(Clip, RefusesTimesThatDoNotIncrease) {
  std::vector<double> positions = seam_positions();
  positions.insert(positions.end(), positions.begin(), positions.end());
  for (const double second : {0.0, -1.0})
    EXPECT_TRUE(contains(message_of<InvalidArgument>([&] {
                           Clip::from_arrays(seam_faces(), positions, {0.0, second});
                         }),
                         "times must strictly increase"));
}

TEST(Load, RefusesRatesAndLoopsThatAreNotPositive) {
  const auto path = kData / "kyonshi_lower.md3";
  for (const double fps : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { load(path, {.fps = fps}); }), "fps"));
  for (const int loops : {0, -1})
    EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { load(path, {.loops = loops}); }), "loops"));
}

TEST(Load, RefusesWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.path() / "none.glb"); }), "no such file"));
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("a.blend", "BLENDER")); }), "unknown format 'blend'"));
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("a", "")); }), "unknown format ''"));
  for (const std::string name : {"a.gltf", "a.glb", "a.fbx", "a.dae", "a.md3", "a.zip"})
    EXPECT_THROW(load(folder.write(name, "\x89PNG\r\n\x1a\n and more bytes of a picture")), Error) << name;
}

TEST(Load, SameFileGivesTheSameBits) {
  const LoadOptions options{.clip = "Walk", .parts = {"Clothes", "Band"}};
  const Clip a = load(kData / "kimono_male.gltf", options);
  const Clip b = load(kData / "kimono_male.gltf", options);
  EXPECT_EQ(a.data().positions, b.data().positions);
  EXPECT_EQ(a.data().body_positions, b.data().body_positions);
  EXPECT_EQ(a.mesh()->faces(), b.mesh()->faces());
}

// Zero length must not depend on a second run of the clip.
TEST(Load, APoseIsOneFrameHoweverOftenItIsLooped) {
  for (const int loops : {1, 3})
    EXPECT_EQ(load(kData / "mage.glb", {.clip = "T-Pose", .parts = {"Mage_Body"}, .loops = loops}).frame_count(), 1);
}

TEST(Load, RefusesEveryTruncation) {
  const TemporaryFolder folder;
  for (const std::string name : {"kimono_male.gltf", "mage.glb", "female_dress.fbx", "cowboy.dae", "kyonshi_lower.md3",
                                 "kyonshi_upper.md3", "tshirt_wind.zip"}) {
    std::ifstream file(kData / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    ASSERT_FALSE(bytes.empty()) << name;
    for (const std::size_t size : {std::size_t(0), std::size_t(1), std::size_t(11), std::size_t(27), std::size_t(120),
                                   std::size_t(1000), bytes.size() / 3, bytes.size() / 2, bytes.size() - 400})
      EXPECT_THROW(inspect(folder.write(name, bytes.substr(0, size))), Error) << name << ", " << size << " bytes";
  }
}

}  // namespace
}  // namespace pucker::io
