#include "pucker/scene/clip_scene.h"

#include <gtest/gtest.h>

#include "io_temporary_folder.h"
#include "pucker/errors.h"
#include "pucker/io/smoothed.h"

namespace pucker::scene {
namespace {

// A square of two triangles that bends upwards along its left side, x = 0, where a body of two triangles is sewn to it;
// the file stores the square's diagonal twice.
const Index3 kStored = (Index3(2, 3) << 0, 1, 2, 4, 3, 5).finished();

io::ClipData bending() {
  io::ClipData data;
  data.name = "bending";
  data.vertices = 4;
  data.garment = {.faces = kStored,
                  .uv = (UvArray(6, 2) << 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1).finished(),
                  .materials = {0, 1},
                  .weld = {0, 1, 2, 1, 2, 3}};
  data.body = {.faces = (Index3(2, 3) << 0, 1, 2, 3, 4, 5).finished(),
               .uv = UvArray(0, 2),
               .materials = {1, 1},
               .weld = {0, 1, 2, 0, 2, 3}};
  for (int frame = 0; frame < 3; ++frame) {
    data.times.push_back(frame / 30.0);
    const double up = 0.5 * frame;
    const double left = 7.0 * frame;
    for (const double x : {0.0, left, 0.0, 1.0, left, up, 0.0, left + 1.0, 0.0, 1.0, left + 1.0, up})
      data.positions.push_back(x);
    for (const double x : {0.0, left, 0.0, 0.0, left + 1.0, 0.0, -1.0, left, -0.2, 0.0, left, 0.0, -1.0, left, -0.2,
                           -1.0, left - 1.0, -0.2})
      data.body_positions.push_back(x);
  }
  data.materials.resize(2);
  data.materials[0].color = {1.0, 0.0, 0.0, 1.0};
  data.materials[1].color = {0.5, 0.5, 0.5, 0.5};
  data.materials[1].alpha.mode = AlphaMode::blend;
  return data;
}

struct Shown {
  io::Clip clip{bending()};
  std::vector<std::uint8_t> white = std::vector<std::uint8_t>(4, 255);
  ClipScene scene{clip, std::vector<std::int32_t>{kNone, 0}, std::vector<draw::Texels>{{1, 1, white}}};
};

std::vector<float> floats(draw::Surface& surface, draw::Block block) {
  for (const draw::Upload& upload : surface.take_uploads())
    if (upload.binding == std::size_t(block)) {
      const auto* begin = reinterpret_cast<const float*>(upload.bytes.data());
      return {begin, begin + upload.bytes.size() / sizeof(float)};
    }
  return {};
}

TEST(SceneClipScene, TrianglesHaveTheColoursAndTexturesOfTheirMaterials) {
  Shown shown;
  // The plain triangle first, then what is blended.
  const auto& ranges = shown.scene.garment()->ranges();
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].texture, kNone);
  EXPECT_EQ(ranges[0].alpha.mode, AlphaMode::opaque);
  EXPECT_EQ(ranges[1].texture, 0);
  EXPECT_EQ(ranges[1].alpha.mode, AlphaMode::blend);
  for (const draw::Upload& upload : shown.scene.garment()->take_uploads())
    if (upload.binding == std::size_t(draw::Block::colours)) {
      ASSERT_EQ(upload.bytes.size(), 8U);
      EXPECT_EQ(upload.bytes[0], std::byte(255));
      EXPECT_EQ(upload.bytes[1], std::byte(0));
      EXPECT_EQ(upload.bytes[7], std::byte(128));
    }
  EXPECT_TRUE(shown.scene.garment()->is_cloth());
  EXPECT_FALSE(shown.scene.body()->is_cloth());
  EXPECT_EQ(&shown.scene.garment()->mesh(), shown.clip.mesh().get());
  // Without texture coordinates there is no texture.
  for (const draw::DrawRange& range : shown.scene.body()->ranges()) EXPECT_EQ(range.texture, kNone);
}

TEST(SceneClipScene, SewnSurfacesHaveOneNormalAlongTheSeamAndOneOrigin) {
  Shown shown;
  for (const std::int64_t frame : {2, 0, 1}) {
    shown.scene.show(frame, false);
    EXPECT_EQ(shown.scene.garment()->positions(), Array3(shown.clip.positions(frame)));
    EXPECT_EQ(shown.scene.body()->positions(), Array3(shown.clip.body_positions(frame)));
    EXPECT_EQ(shown.scene.body()->origin(), shown.scene.garment()->origin());
    const std::vector<float> garment = floats(*shown.scene.garment(), draw::Block::normals);
    const std::vector<float> body = floats(*shown.scene.body(), draw::Block::normals);
    const io::ShadingNormals expected = shown.clip.shading_normals(frame, false);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(garment[axis], float(expected.garment(0, Eigen::Index(axis))));
      EXPECT_EQ(body[axis], garment[axis]);
      EXPECT_EQ(body[9 + axis], garment[axis]);
    }
  }
}

TEST(SceneClipScene, TheFilesNormalsAreThoseOfTheCorners) {
  io::ClipData data = bending();
  data.garment.normals = Array3::Zero(6, 3);
  data.garment.normals.col(2).setOnes();
  data.garment.normals.row(5) << 0.6, 0.0, 0.8;
  data.garment.normal_pose = Array3(6, 3);
  data.garment.normal_pose << 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0;
  const io::Clip clip{data};
  ClipScene scene(clip, std::vector<std::int32_t>{kNone, kNone}, {});
  scene.show(0, true);
  EXPECT_EQ(scene.garment()->first_corner_normal(), 4);
  const std::vector<float> normals = floats(*scene.garment(), draw::Block::normals);
  ASSERT_EQ(normals.size(), 3U * (4 + 6));
  // The last corner of the second triangle is stored vertex 5.
  EXPECT_NEAR(normals[3 * 9], 0.6, 1e-6);
  EXPECT_NEAR(normals[3 * 9 + 2], 0.8, 1e-6);
  scene.show(0, false);
  EXPECT_EQ(scene.garment()->first_corner_normal(), 0);
}

TEST(SceneClipScene, AFrameThatIsShownIsNotSentAgain) {
  Shown shown;
  shown.scene.show(1, false);
  (void)shown.scene.garment()->take_uploads();
  shown.scene.show(1, false);
  EXPECT_TRUE(shown.scene.garment()->take_uploads().empty());
}

TEST(SceneClipScene, AClipHasOneLightWhateverTheFrame) {
  Shown shown;
  const draw::Camera camera = fitted_camera(shown.clip, {20.0, 10.0}, 1.5, Focus::all);
  const draw::Style before = shown.scene.style({}, camera);
  shown.scene.show(2, false);
  const draw::Style after = shown.scene.style({}, camera);
  EXPECT_EQ(before.light->key_direction, after.light->key_direction);
  EXPECT_EQ(before.exposure, after.exposure);
  draw::Surface alone(
      {.mesh = shown.clip.mesh(), .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 0, .weld = {}});
  alone.set_positions(shown.clip.positions(0));
  EXPECT_EQ(draw::ClipStyle(alone, 1.0).of({}, camera).light->key_direction, before.light->key_direction);
}

TEST(SceneClipScene, AFittedCameraSeesAllFramesOfItsFocus) {
  const io::Clip clip{bending()};
  const auto outside = [](const draw::Camera& camera, const Array3& points) {
    const Eigen::MatrixXd seen = points.rowwise().homogeneous() * camera.view_projection(1.5).transpose();
    return (seen.leftCols<2>().cwiseAbs().array().colwise() / seen.col(3).array()).maxCoeff();
  };
  const Array3 all = points_of(clip);
  ASSERT_EQ(all.rows(), 3 * (4 + 6));
  EXPECT_EQ(all.topRows(4), Array3(clip.positions(0)));
  EXPECT_EQ(all.bottomRows(6), Array3(clip.body_positions(2)));
  const draw::Camera whole = fitted_camera(clip, {20.0, 10.0}, 1.5, Focus::all);
  EXPECT_LT(outside(whole, all), 1.0);
  const draw::Camera cloth = fitted_camera(clip, {20.0, 10.0}, 1.5, Focus::cloth);
  EXPECT_LT(outside(cloth, all.topRows(12)), 1.0);
  EXPECT_GT(outside(cloth, all), outside(whole, all));
  EXPECT_EQ(cloth, draw::holding(cloth, all));
}

TEST(SceneClipScene, AFittedCameraSeesTheFramesThatAreGiven) {
  const io::Clip clip{bending()};
  const Array3 last = Array3(clip.positions(2));
  const draw::Camera camera = fitted_camera(clip, {20.0, 10.0}, 1.5, Focus::all, FrameRange{2, 2});
  Array3 all(10, 3);
  all << last, Array3(clip.body_positions(2));
  EXPECT_EQ(camera, draw::fit(all, {20.0, 10.0}, 1.5));
  EXPECT_EQ(fitted_camera(clip, {20.0, 10.0}, 1.5, Focus::cloth, FrameRange{0, 2}),
            fitted_camera(clip, {20.0, 10.0}, 1.5, Focus::cloth));
  for (const FrameRange frames : {FrameRange{-1, 1}, FrameRange{0, 3}, FrameRange{2, 1}})
    EXPECT_EQ(io::message_of<InvalidArgument>([&] {
                (void)fitted_camera(clip, {20.0, 10.0}, 1.5, Focus::all, frames);
              }),
              message("frames must lie in [0, 3) and rise, not ", frames[0], " to ", frames[1]));
}

// The clip with two joints, bound at places.
io::Clip with_joints(const std::array<std::string, 2>& names, const std::array<Vector3, 2>& places) {
  io::ClipData data = bending();
  io::Skin skin{.joints = {names[0], names[1]},
                .inverse_binds = {},
                .matrices = {},
                .first = {0, 1, 2, 3, 4},
                .joint = {0, 0, 1, 1},
                .weight = {1.0, 1.0, 1.0, 1.0},
                .nodes = {0, 1}};
  for (const Vector3& place : places)
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 4; ++column)
        skin.inverse_binds.push_back(column == 3 ? -place[row] : double(row == column));
  for (std::size_t frame = 0; frame < data.times.size(); ++frame)
    for (const Vector3& place : places)
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
          skin.matrices.push_back(column == 3 ? place[row] : double(row == column));
  data.skeleton = {.nodes = skin.joints, .parents = {kNone, 0}, .matrices = skin.matrices};
  data.rest = Array3(Eigen::Map<const Array3>(data.positions.data(), 4, 3));
  data.body_rest = Array3(Eigen::Map<const Array3>(data.body_positions.data(), 6, 3));
  data.skin = std::move(skin);
  return io::Clip(std::move(data));
}

TEST(SceneClipScene, ViewsCountFromWhereTheCharacterFaces) {
  const Vector3 right(1.0, 0.0, 0.0);
  const Vector3 back(0.1, 0.0, -1.0);
  EXPECT_EQ(io::front_of(with_joints({"hand.l", "hand.r"}, {right, -right})), 0.0);
  EXPECT_EQ(io::front_of(with_joints({"RightHand", "LeftHand"}, {right, -right})), 180.0);
  EXPECT_EQ(io::front_of(with_joints({"L_Hand", "R_Hand"}, {back, -back})), 90.0);
  EXPECT_EQ(io::front_of(with_joints({"Bip01 L Foot", "Bip01 L Toe0"}, {Vector3::Zero(), back})), 180.0);
  EXPECT_EQ(io::front_of(with_joints({"one", "other"}, {right, -right})), 0.0);
  const io::Clip clip = with_joints({"RightHand", "LeftHand"}, {right, -right});
  EXPECT_EQ(io::front_of(io::smoothed(clip, 1)), 180.0);
  EXPECT_EQ(io::front_of(io::with_smooth_body(clip, 1)), 180.0);
  const io::Clip plain{bending()};
  EXPECT_EQ(fitted_camera(clip, {-160.0, 10.0}, 1.5, Focus::all), fitted_camera(plain, {20.0, 10.0}, 1.5, Focus::all));
}

TEST(SceneClipScene, RefusesWhatTheClipDoesNotHave) {
  const io::Clip clip{bending()};
  EXPECT_EQ(io::message_of<InvalidArgument>([&] { ClipScene(clip, std::vector<std::int32_t>{kNone}, {}); }),
            "textures must have 2 entries, one a material, not 1");
  Shown shown;
  for (const std::int64_t frame : {std::int64_t(-1), std::int64_t(3)})
    EXPECT_EQ(io::message_of<InvalidArgument>([&] { shown.scene.show(frame, false); }),
              message("frame must lie in [0, 3), not ", frame));
}

}  // namespace
}  // namespace pucker::scene
