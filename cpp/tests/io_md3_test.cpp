#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "io_temporary_folder.h"
#include "pucker/errors.h"
#include "pucker/io/load.h"

namespace pucker::io {
namespace {

// Two surfaces of one and two triangles over four frames, with numbers that tell every field apart.
struct SurfaceSource {
  std::string name;
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::int32_t vertices;
};

const std::vector<SurfaceSource> kSurfaces{{"hem", {{0, 1, 2}}, 3}, {"skirt", {{0, 1, 2}, {2, 1, 3}}, 4}};
constexpr std::int32_t kFrames = 4;

std::array<std::int16_t, 3> stored_position(std::int32_t surface, std::int32_t frame, std::int32_t vertex) {
  return {std::int16_t(100 * surface + 64 * vertex), std::int16_t(-640 * frame + 7 * vertex * vertex),
          std::int16_t(33 * vertex - 16 * frame * frame)};
}

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(Number));
}

void append_name(std::string& bytes, const std::string& name) {
  bytes += name;
  bytes.append(64 - name.size(), '\0');
}

std::string surface_bytes(std::int32_t index) {
  const SurfaceSource& surface = kSurfaces[std::size_t(index)];
  const std::int32_t triangles = std::int32_t(surface.triangles.size());
  std::string body;
  const auto offset = [&] { return 108 + std::int32_t(body.size()); };
  const std::int32_t triangles_at = offset();
  for (const auto& triangle : surface.triangles)
    for (const std::int32_t vertex : triangle) append(body, vertex);
  const std::int32_t shaders_at = offset();
  append_name(body, "models/" + surface.name + ".png");
  append(body, std::int32_t(0));
  const std::int32_t uv_at = offset();
  for (std::int32_t vertex = 0; vertex < surface.vertices; ++vertex) {
    append(body, 0.125F * float(vertex));
    append(body, 0.25F * float(vertex));
  }
  const std::int32_t positions_at = offset();
  for (std::int32_t frame = 0; frame < kFrames; ++frame)
    for (std::int32_t vertex = 0; vertex < surface.vertices; ++vertex) {
      for (const std::int16_t value : stored_position(index, frame, vertex)) append(body, value);
      append(body, std::int16_t(0));
    }
  std::string bytes = "IDP3";
  append_name(bytes, surface.name);
  for (const std::int32_t field :
       {0, kFrames, 1, surface.vertices, triangles, triangles_at, shaders_at, uv_at, positions_at, offset()})
    append(bytes, field);
  return bytes + body;
}

std::string file_bytes() {
  std::string bytes = "IDP3";
  append(bytes, std::int32_t(15));
  append_name(bytes, "model");
  const std::string first = surface_bytes(0);
  const std::string second = surface_bytes(1);
  for (const std::int32_t field :
       {0, kFrames, 0, 2, 0, 108, 108, 108, 108 + std::int32_t(first.size() + second.size())})
    append(bytes, field);
  return bytes + first + second;
}

// The file with one 32-bit number replaced.
std::string patched(std::size_t offset, std::int32_t value) {
  std::string bytes = file_bytes();
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  return bytes;
}

Vector3 expected_position(std::int32_t surface, std::int32_t frame, std::int32_t vertex) {
  const auto stored = stored_position(surface, frame, vertex);
  return Vector3(stored[1], stored[2], stored[0]) / 64.0;
}

TEST(Md3, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const Clip clip = load(folder.write("model.md3", file_bytes()), {.fps = 15.0});
  ASSERT_EQ(clip.frame_count(), kFrames);
  ASSERT_EQ(clip.data().garment.weld.size(), 7U);
  for (std::int32_t frame = 0; frame < kFrames; ++frame) {
    EXPECT_DOUBLE_EQ(clip.data().times[std::size_t(frame)], frame / 15.0);
    for (std::int32_t stored = 0; stored < 7; ++stored) {
      const Vector3 position = clip.positions(frame).row(clip.data().garment.weld[std::size_t(stored)]);
      EXPECT_EQ(position, expected_position(stored < 3 ? 0 : 1, frame, stored < 3 ? stored : stored - 3));
    }
  }
  EXPECT_EQ(clip.data().garment.faces, (Index3(3, 3) << 2, 1, 0, 5, 4, 3, 6, 4, 5).finished());
  EXPECT_EQ(clip.data().garment.uv.row(5), Eigen::RowVector2d(0.25, 0.5));
  EXPECT_EQ(clip.data().garment.materials, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(clip.data().materials[1].name, "skirt");
  EXPECT_EQ(clip.data().materials[1].texture_name, "models/skirt.png");
}

TEST(Md3, FindsATextureNextToTheModel) {
  const TemporaryFolder folder;
  folder.write("skirt.png", "picture");
  const Clip clip = load(folder.write("model.md3", file_bytes()));
  EXPECT_TRUE(clip.data().materials[0].texture.empty());
  EXPECT_EQ(std::string(clip.data().materials[1].texture.begin(), clip.data().materials[1].texture.end()), "picture");
}

TEST(Md3, InterpolatesBetweenFrames) {
  const TemporaryFolder folder;
  const Clip clip = load(folder.write("model.md3", file_bytes()), {.parts = {"skirt"}, .fps = 30.0});
  ASSERT_EQ(clip.frame_count(), 7);
  for (std::int32_t vertex = 0; vertex < 4; ++vertex) {
    const Vector3 between = 0.5 * (expected_position(1, 1, vertex) + expected_position(1, 2, vertex));
    const Vector3 position = clip.positions(3).row(clip.data().garment.weld[std::size_t(vertex)]);
    EXPECT_LT((position - between).norm(), 1e-12);
  }
}

TEST(Md3, PlaysARangeOfFramesAtARate) {
  const TemporaryFolder folder;
  const auto path = folder.write("model.md3", file_bytes());
  const Clip at_own_rate = load(path, {.clip = "1:3", .parts = {"hem"}, .fps = 15.0});
  EXPECT_EQ(at_own_rate.frame_count(), 3);
  EXPECT_EQ(Vector3(at_own_rate.positions(0).row(0)), expected_position(0, 1, 0));
  const Clip slower = load(path, {.clip = "1:3@5", .parts = {"hem"}, .fps = 15.0});
  EXPECT_EQ(slower.frame_count(), 7);
  EXPECT_EQ(Vector3(slower.positions(6).row(0)), expected_position(0, 3, 0));
  EXPECT_EQ(load(path, {.clip = "2:2"}).frame_count(), 1);
}

TEST(Md3, RefusesARangeOutsideItsFrames) {
  const TemporaryFolder folder;
  const auto path = folder.write("model.md3", file_bytes());
  for (const std::string clip :
       {"0:4", "2:1", "0:1@0", "0:1@-3", "0:1@inf", "0:1@nan", "1", "a:b", "0:1@", ":", "run", ""})
    EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { load(path, {.clip = clip}); }), "'" + clip + "'")) << clip;
}

TEST(Md3, SurfacesAreItsParts) {
  const TemporaryFolder folder;
  const auto path = folder.write("model.md3", file_bytes());
  const FileInfo info = inspect(path);
  ASSERT_EQ(info.nodes.size(), 2U);
  EXPECT_EQ(info.nodes[1].name, "skirt");
  EXPECT_EQ(info.nodes[1].triangles, 2);
  const Clip clip = load(path, {.parts = {"sk*"}});
  EXPECT_EQ(clip.report().triangles, 2);
  EXPECT_EQ(clip.report().body_triangles, 1);
  const std::string text = message_of<InvalidArgument>([&] { load(path, {.parts = {"sleeve"}}); });
  EXPECT_TRUE(contains(text, "'sleeve'") && contains(text, "hem, skirt")) << text;
}

TEST(Md3, RefusesEveryTruncation) {
  const TemporaryFolder folder;
  const std::string bytes = file_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(load(folder.write("model.md3", bytes.substr(0, size))), Error) << size << " bytes";
}

TEST(Md3, RefusesDamagedNumbers) {
  const TemporaryFolder folder;
  constexpr std::size_t surface = 108;
  const std::vector<std::size_t> counts_and_offsets{76,           84,           100,           surface + 72,
                                                    surface + 76, surface + 80, surface + 84,  surface + 88,
                                                    surface + 92, surface + 96, surface + 100, surface + 104};
  for (const std::size_t offset : counts_and_offsets)
    for (const std::int32_t value : {-1, -2000000000, 2147483647})
      EXPECT_THROW(load(folder.write("model.md3", patched(offset, value))), Error) << value << " at " << offset;
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("model.md3", patched(4, 16))); }), "version 16"));
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("model.md3", patched(0, 0))); }), "IDP3"));
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("model.md3", patched(surface, 0))); }), "byte 108"));
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("model.md3", patched(216, 3))); }), "vertex 3 of 3"));
}

}  // namespace
}  // namespace pucker::io
