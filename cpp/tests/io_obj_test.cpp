#include <gtest/gtest.h>
#include <zip.h>

#include "io_temporary_folder.h"
#include "pucker/errors.h"
#include "pucker/io/load.h"

namespace pucker::io {
namespace {

const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

// A square lifted to height z.
std::string square(double z) {
  std::string text;
  for (const char* corner : {"0 0 ", "1 0 ", "1 1 ", "0 1 "}) text += "v " + (corner + std::to_string(z)) + "\n";
  return text + "f 1 2 3 4\n";
}

using Entries = std::vector<std::pair<std::string, std::string>>;

std::filesystem::path write_zip(const TemporaryFolder& folder, const Entries& entries) {
  const std::filesystem::path path = folder.path() / "frames.zip";
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  for (const auto& [name, text] : entries)
    zip_file_add(zip, name.c_str(), zip_source_buffer(zip, text.data(), text.size(), 0), ZIP_FL_ENC_UTF_8);
  EXPECT_EQ(zip_close(zip), 0);
  return path;
}

std::string refusal(const TemporaryFolder& folder, const std::string& obj) {
  folder.write("0.obj", obj);
  return message_of<Error>([&] { load(folder.path()); });
}

double height_of_first_vertex(const Clip& clip, std::int64_t frame) { return clip.positions(frame)(0, 2); }

TEST(ObjSequence, FramesAreSortedByTheNumbersInTheirNames) {
  const TemporaryFolder folder;
  for (const int k : {0, 1, 2, 9, 10, 11, 100}) folder.write("cloth" + std::to_string(k) + ".obj", square(k));
  folder.write("notes.txt", "not a frame");
  const Clip clip = load(folder.path(), {.fps = 24.0});
  ASSERT_EQ(clip.frame_count(), 7);
  const std::vector<double> expected{0, 1, 2, 9, 10, 11, 100};
  for (std::int64_t k = 0; k < 7; ++k) {
    EXPECT_EQ(height_of_first_vertex(clip, k), expected[std::size_t(k)]);
    EXPECT_DOUBLE_EQ(clip.data().times[std::size_t(k)], double(k) / 24.0);
  }
  EXPECT_EQ(clip.mesh()->faces(), (Index3(2, 3) << 0, 1, 2, 0, 2, 3).finished());
}

TEST(ObjSequence, ARateResamplesIt) {
  const TemporaryFolder folder;
  for (int k = 0; k < 10; ++k) folder.write(std::to_string(k) + ".obj", square(k));
  const Clip clip = load(folder.path(), {.clip = "0:9@90", .fps = 30.0});
  ASSERT_EQ(clip.frame_count(), 4);
  for (std::int64_t k = 0; k < 4; ++k) EXPECT_EQ(height_of_first_vertex(clip, k), 3.0 * double(k));
}

TEST(ObjSequence, AnArchiveGivesTheFolderWithSeveral) {
  const TemporaryFolder folder;
  const auto path =
      write_zip(folder, {{"rest/rest.obj", square(50)}, {"f/b.obj", square(2)}, {"f/a.obj", square(1)}, {"x.txt", ""}});
  const Clip clip = load(path);
  ASSERT_EQ(clip.frame_count(), 2);
  EXPECT_EQ(height_of_first_vertex(clip, 0), 1.0);
  EXPECT_EQ(height_of_first_vertex(clip, 1), 2.0);
}

TEST(ObjSequence, AnArchiveWithSeveralSequencesIsRefused) {
  const TemporaryFolder folder;
  const auto path = write_zip(folder, {{"a/0.obj", ""}, {"a/1.obj", ""}, {"b/0.obj", ""}, {"b/1.obj", ""}});
  EXPECT_TRUE(contains(message_of<Error>([&] { load(path); }), "it holds 2"));
}

TEST(ObjSequence, NothingToReadIsRefused) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.path()); }), "no OBJ file"));
  EXPECT_TRUE(contains(message_of<Error>([&] { load(write_zip(folder, {{"a.txt", "a"}})); }), "no OBJ file"));
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("a.zip", "no archive")); }), ".zip"));
}

TEST(ObjSequence, FacesThatChangeAreRefusedWithTheFilesName) {
  const TemporaryFolder folder;
  folder.write("0.obj", square(0));
  folder.write("1.obj", kTriangle);
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.path()); }), "1.obj: its faces differ from those of 0.obj"));
}

TEST(Obj, SplitsVerticesAtSeamsAndWeldsThemAgain) {
  const TemporaryFolder folder;
  folder.write(
      "0.obj",
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0.5 0.5\nf 1/1 2/2 3/3\nf 1/4 3/3 4/2\n");
  const Clip clip = load(folder.path());
  EXPECT_EQ(clip.report().stored_vertices, 5);
  EXPECT_EQ(clip.report().welded_vertices, 4);
  EXPECT_EQ(clip.mesh()->faces(), (Index3(2, 3) << 0, 1, 2, 0, 2, 3).finished());
  EXPECT_EQ(clip.data().garment.uv.row(clip.data().garment.faces(0, 0)), Eigen::RowVector2d(0.0, 0.0));
  EXPECT_EQ(clip.data().garment.uv.row(clip.data().garment.faces(1, 0)), Eigen::RowVector2d(0.5, 0.5));
}

TEST(Obj, ObjectsGroupsAndMaterialsAreParts) {
  const TemporaryFolder folder;
  folder.write("0.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\no shirt front\nusemtl red\nf 1 2 3\r\ng sleeve\nf 1 3 4\n"
               "usemtl blue\nf 2 3 4\n");
  EXPECT_EQ(load(folder.path(), {.parts = {"shirt front"}}).report().triangles, 1);
  EXPECT_EQ(load(folder.path(), {.parts = {"sleeve"}}).report().triangles, 2);
  EXPECT_EQ(load(folder.path(), {.parts = {"red"}}).report().triangles, 2);
  EXPECT_EQ(load(folder.path(), {.parts = {"blue", "shirt*"}}).report().triangles, 2);
}

TEST(Obj, CountsBackFromNegativeNumbers) {
  const TemporaryFolder folder;
  folder.write("0.obj", "# comment\nv 0 0 0\nv 1 0 0\n\tv 0 1 0 1.0\nvn 0 0 1\n\nf -3//-1 -2//-1 -1//-1\n");
  EXPECT_EQ(load(folder.path()).mesh()->faces(), (Index3(1, 3) << 0, 1, 2).finished());
}

TEST(Obj, ErrorsNameFileAndLine) {
  const TemporaryFolder folder;
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_TRUE(contains(refusal(folder, points + "f 1 2 4\n"), "0.obj, line 4: vertex 4 does not exist, there are 3"));
  EXPECT_TRUE(contains(refusal(folder, points + "f 1 2 -4\n"), "line 4: vertex -4"));
  EXPECT_TRUE(contains(refusal(folder, points + "f 1 2 0\n"), "line 4: vertex 0"));
  EXPECT_TRUE(contains(refusal(folder, points + "f 1/1 2/1 3/1\n"), "line 4: texture coordinate 1"));
  EXPECT_TRUE(contains(refusal(folder, points + "f 1 2\n"), "line 4: a face needs at least 3"));
  EXPECT_TRUE(contains(refusal(folder, points + "f 1 2 x\n"), "line 4: expected a vertex number, got 'x'"));
  EXPECT_TRUE(contains(refusal(folder, "v 0 0\n"), "line 1: expected a finite number for a position, got ''"));
  EXPECT_TRUE(contains(refusal(folder, "\nv 0 nan 0\n"), "line 2: expected a finite number for a position, got 'nan'"));
  EXPECT_TRUE(contains(refusal(folder, "v 0 1e999 0\n"), "got '1e999'"));
  EXPECT_TRUE(contains(refusal(folder, points), "has no face"));
  EXPECT_TRUE(contains(refusal(folder, ""), "has no face"));
}

TEST(Obj, OneFileAloneHasNoAnimation) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(message_of<Error>([&] { load(folder.write("0.obj", kTriangle)); }), "no animation"));
}

}  // namespace
}  // namespace pucker::io
