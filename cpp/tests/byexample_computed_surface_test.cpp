#include "pucker/byexample/computed_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "byexample_shapes.h"
#include "pucker/byexample/by_example.h"
#include "pucker/draw/picture.h"
#include "pucker/draw/surface.h"

namespace pucker::byexample {
namespace {

constexpr int kLevels = 2;
constexpr std::size_t kPoses = 3;

ByExample on_gpu(double size = 1) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.02 * size);
  const LoopSubdivision loop(tube(), kLevels);
  std::vector<Array3> details;
  for (std::size_t k = 0; k < kPoses; ++k)
    details.emplace_back(Array3::NullaryExpr(loop.fine()->vertex_count(), 3, [&] { return normal(random); }));
  const std::vector<Array3> poses{size * bent(0), size * bent(0.8), size * bent(-0.6, 0.2)};
  Params params;
  params.compute = Compute::gpu;
  return {Synthesis(tube(), kLevels, poses.front(), poses, std::move(details), SynthesisOptions{}), params};
}

std::size_t sent(const draw::Content& content) {
  std::size_t out = 0;
  for (const draw::Buffer& buffer : content.buffers) out += buffer.bytes.size();
  return out;
}

TEST(ComputedSurface, after_its_first_frame_feature_positions_and_weights_are_sent_and_no_more) {
  ByExample run = on_gpu();
  const draw::Content first = run.advance(bent(0.2), 0).detail().draw_content(Vector3::Zero(), nullptr);
  const draw::Content next = run.advance(bent(0.3), 1).detail().draw_content(Vector3::Zero(), first.continued.get());
  const std::size_t frame = 12 * 48 + 4 * 48 * kPoses;
  EXPECT_EQ(sent(next), frame);
  const auto fine = std::size_t(run.synthesis().subdivision().fine()->vertex_count());
  EXPECT_GT(sent(first), frame + (64 + 12 * kPoses) * fine);
  ASSERT_EQ(first.buffers.size(), next.buffers.size());
  for (std::size_t k = 0; k < first.buffers.size(); ++k) {
    EXPECT_EQ(first.buffers[k].block, next.buffers[k].block);
    EXPECT_EQ(first.buffers[k].bytes.size() + first.buffers[k].room,
              next.buffers[k].bytes.size() + next.buffers[k].room);
    EXPECT_EQ(next.buffers[k].kept, k > 0);
  }
  // What another run has left is of no use.
  ByExample other = on_gpu();
  const draw::Content others =
      other.advance(bent(0.3), 0).detail().draw_content(Vector3::Zero(), first.continued.get());
  EXPECT_EQ(sent(others), sent(first));
  // Copies of a run have it together.
  ByExample copy = run;
  EXPECT_EQ(sent(copy.advance(bent(0.3), 2).detail().draw_content(Vector3::Zero(), first.continued.get())), frame);
}

TEST(ComputedSurface, unit_and_place_do_not_count) {
  ByExample run = on_gpu();
  const draw::Content plain = run.advance(bent(0.3), 0).detail().draw_content(Vector3::Zero(), nullptr);
  for (const double size : {0x1p-90, 0x1p70}) {
    ByExample scaled = on_gpu(size);
    const Array3 positions = size * bent(0.3);
    const draw::Content found = scaled.advance(positions, 0).detail().draw_content(Vector3::Zero(), nullptr);
    for (std::size_t k = 0; k + 1 < plain.buffers.size(); ++k)
      EXPECT_EQ(found.buffers[k].bytes, plain.buffers[k].bytes);
  }
  const Vector3 away(3e5, -2e5, 1e6);
  const Array3 moved = bent(0.3).rowwise() + away.transpose();
  const draw::Content found = run.advance(moved, 1).detail().draw_content(away, plain.continued.get());
  const auto floats = [](const draw::Buffer& buffer) {
    std::vector<float> out(buffer.bytes.size() / sizeof(float));
    std::memcpy(out.data(), buffer.bytes.data(), buffer.bytes.size());
    return out;
  };
  const std::vector<float> there = floats(found.buffers.front());
  const std::vector<float> here = floats(plain.buffers.front());
  for (std::size_t k = 0; k < here.size(); ++k) EXPECT_NEAR(there[k], here[k], 1e-6);
}

TEST(ComputedSurface, is_drawn_as_a_mesh_of_its_own) {
  using namespace draw;
  ByExample run = on_gpu();
  Surface surface({.mesh = tube(), .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 0, .weld = {}});
  const Subdivision& own = *run.advance(bent(0.2), 0).detail().own_mesh();
  const auto sizes = [&] {
    std::array<std::int64_t, kSurfaceBindings> out;
    out.fill(-1);
    for (const Upload& upload : surface.take_uploads()) out[upload.binding] = std::int64_t(upload.bytes.size());
    return out;
  };
  const auto programs = [&] {
    Surface* const all[] = {&surface};
    std::vector<std::string> out;
    for (const Step& step : picture(all, Camera{}, Style{}, {64, 64}).steps) out.push_back(step.program);
    return out;
  };
  const std::vector<std::string> made{"byexample/subdivide", "byexample/displace", "byexample/normals",
                                      "plain/surface"};
  for (int frame = 0; frame < 3; ++frame) {
    surface.set_positions(bent(0.2 + 0.1 * frame));
    surface.set_detail(run.advance(bent(0.2 + 0.1 * frame), 1 + frame).detail());
    const auto found = sizes();
    EXPECT_EQ(found[std::size_t(Block::positions)], 0);
    EXPECT_EQ(found[std::size_t(Block::normals)], 0);
    EXPECT_EQ(found[std::size_t(Block::faces)], frame == 0 ? std::int64_t(12 * own.faces.rows()) : -1);
    EXPECT_EQ(found[kMethodBinding], 12 * 48 + 4 * 48 * std::int64_t(kPoses));
    EXPECT_EQ(found[kMethodBinding + 1] > 0, frame == 0);
    EXPECT_FALSE(surface.displaced());
    EXPECT_EQ(programs(), made);
    EXPECT_EQ(programs(), std::vector<std::string>{"plain/surface"});
  }
  // A part of it is divided here, and leaves what the programs have.
  surface.set_detail(run.state().detail(), Mode::normals);
  const auto part = sizes();
  EXPECT_EQ(part[std::size_t(Block::positions)], std::int64_t(12 * own.triangles.size()));
  EXPECT_EQ(part[kMethodBinding], -1);
  EXPECT_EQ(programs(), std::vector<std::string>{"plain/surface"});
  surface.set_detail(run.state().detail());
  EXPECT_EQ(sizes()[kMethodBinding + 1], -1);
  // Without detail there is the mesh again.
  surface.clear_detail();
  const auto bare = sizes();
  EXPECT_EQ(bare[std::size_t(Block::positions)], 12 * 48);
  EXPECT_EQ(bare[std::size_t(Block::faces)], std::int64_t(4 * tube()->faces().size()));
}

}  // namespace
}  // namespace pucker::byexample
