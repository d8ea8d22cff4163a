#include "pucker/byexample/synthesis.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "byexample_shapes.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::byexample {
namespace {

/// A bending cylinder with ripples, in as many poses as wanted.
struct Sleeve {
  std::shared_ptr<const Mesh> mesh = tube();
  int levels = 2;
  Array3 rest = bent(0);

  static Array3 bent(double angle, double swell = 0) {
    Array3 out(48, 3);
    for (Eigen::Index v = 0; v < 48; ++v) {
      const auto [along, round, radius] = TubePlace(v, swell);
      const double turn = angle * along;
      const Vector3 middle(angle == 0 ? 0 : (1 - std::cos(turn)) / angle, angle == 0 ? along : std::sin(turn) / angle,
                           0);
      const Vector3 across(std::cos(turn), -std::sin(turn), 0);
      out.row(v) = (middle + radius * (std::cos(round) * across + std::sin(round) * Vector3(0, 0, 1))).transpose();
    }
    return out;
  }
  std::vector<Array3> poses() const { return {rest, bent(0.8), bent(-0.6, 0.2), bent(0.3, -0.3)}; }
  std::vector<Array3> fine() const {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal(0, 0.02);
    std::vector<Array3> out;
    for (const Array3& pose : poses()) {
      const SmoothSurface smooth(mesh, levels, pose);
      out.push_back(smooth.positions() +
                    Array3::NullaryExpr(smooth.positions().rows(), 3, [&] { return normal(random); }));
    }
    return out;
  }
  std::vector<Array3> details() const {
    std::vector<Array3> out;
    const std::vector<Array3> surfaces = fine();
    for (std::size_t pose = 0; pose < surfaces.size(); ++pose) {
      const SmoothSurface smooth(mesh, levels, poses()[pose]);
      smooth.detail_of(surfaces[pose], out.emplace_back());
    }
    return out;
  }
  Synthesis synthesis(WeightPlaces places, Kernel kernel = Kernel::distance) const {
    return {mesh, levels, rest, poses(), details(), {.places = places, .metric = {}, .pose_space = {.kernel = kernel}}};
  }
};

Synthesised stepped(Synthesis& synthesis, const Array3& positions) {
  Synthesised out;
  synthesis.step(positions, out);
  return out;
}

class EveryPlace : public testing::TestWithParam<WeightPlaces> {};
INSTANTIATE_TEST_SUITE_P(Synthesis, EveryPlace, testing::Values(WeightPlaces::sparse, WeightPlaces::dense));

TEST_P(EveryPlace, a_training_pose_comes_back) {
  const Sleeve sleeve;
  for (const Kernel kernel : {Kernel::distance, Kernel::squared}) {
    Synthesis synthesis = sleeve.synthesis(GetParam(), kernel);
    for (std::size_t pose = 0; pose < 4; ++pose)
      EXPECT_LT((stepped(synthesis, sleeve.poses()[pose]).positions - sleeve.fine()[pose]).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST_P(EveryPlace, turning_and_shifting_the_features_turns_and_shifts_the_result) {
  const Sleeve sleeve;
  Synthesis synthesis = sleeve.synthesis(GetParam());
  const Array3 deformed = Sleeve::bent(0.5, 0.1);
  const Array3 before = stepped(synthesis, deformed).positions;
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(2.1, Vector3(1, -2, 0.5).normalized()).toRotationMatrix();
  const Eigen::RowVector3d shift(3, -5, 0.7);
  const Array3 moved = (deformed * turn.transpose()).rowwise() + shift;
  const Array3 expected = (before * turn.transpose()).rowwise() + shift;
  EXPECT_LT((stepped(synthesis, moved).positions - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(EveryPlace, the_unit_of_length_does_not_matter) {
  const Sleeve sleeve;
  Synthesis synthesis = sleeve.synthesis(GetParam());
  const Array3 expected = stepped(synthesis, Sleeve::bent(0.5, 0.1)).positions;
  for (const double scale : {1e-6, 1e6}) {
    std::vector<Array3> poses = sleeve.poses();
    std::vector<Array3> details = sleeve.details();
    for (Array3& pose : poses) pose *= scale;
    for (Array3& detail : details) detail *= scale;
    Synthesis scaled(sleeve.mesh, sleeve.levels, scale * sleeve.rest, poses, details,
                     {.places = GetParam(), .metric = {}, .pose_space = {}});
    EXPECT_LT((stepped(scaled, scale * Sleeve::bent(0.5, 0.1)).positions / scale - expected).cwiseAbs().maxCoeff(),
              1e-9);
  }
}

TEST(Synthesis, a_single_pose_is_carried_along) {
  const Sleeve sleeve;
  Synthesis synthesis(sleeve.mesh, sleeve.levels, sleeve.rest, {sleeve.rest}, {sleeve.details()[0]});
  EXPECT_LT((stepped(synthesis, Sleeve::bent(0.7)).detail - sleeve.details()[0]).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(VertexFrames, adding_in_them_is_multiplying_by_them) {
  const Sleeve sleeve;
  // A vertex without triangles, and one whose triangle has no area.
  Array3 positions = Array3::Zero(52, 3);
  positions.topRows(48) = Sleeve::bent(0.7, 0.3);
  Index3 faces(sleeve.mesh->triangle_count() + 1, 3);
  faces << sleeve.mesh->faces(), Eigen::RowVector3i(49, 50, 51);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const Array3 local = Array3::NullaryExpr(52, 3, [&] { return normal(random); });
  VertexFrames frames(std::make_shared<const Mesh>(faces, 52));
  for (const double unit : {1.0, 1e-20, 1e20}) {
    const Array3 scaled = unit * positions;
    Array3 found(52, 3);
    // Some rows, then the others.
    frames.add(scaled, unit * local, scaled, 0, 17, found);
    frames.add(scaled, unit * local, scaled, 17, 52, found);
    frames.step(scaled);
    EXPECT_EQ(frames.missing(), 4);
    for (Eigen::Index v = 0; v < 52; ++v) {
      const Eigen::RowVector3d expected =
          scaled.row(v) + unit * local.row(v) * frames.frames()[std::size_t(v)].transpose();
      EXPECT_LT((found.row(v) - expected).cwiseAbs().maxCoeff(), 1e-13 * unit);
    }
  }
  // In single precision, 1e-6 of what is added.
  Array3 found(52, 3);
  frames.add<float>(positions.cast<float>(), local, positions, 0, 52, found);
  frames.step(positions);
  for (Eigen::Index v = 0; v < 52; ++v) {
    const Eigen::RowVector3d expected = positions.row(v) + local.row(v) * frames.frames()[std::size_t(v)].transpose();
    EXPECT_LT((found.row(v) - expected).norm(), 1e-5);
  }
  Array3 out = positions;
  EXPECT_THROW(frames.add<double>(positions.topRows(48), local, positions, 0, 48, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local.topRows(48), positions, 0, 48, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions.topRows(48), 0, 48, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions, -1, 52, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions, 2, 1, out), InvalidArgument);
  EXPECT_THROW(frames.add(positions, local, positions, 0, 53, out), InvalidArgument);
  out.conservativeResize(48, 3);
  EXPECT_THROW(frames.add(positions, local, positions, 0, 52, out), InvalidArgument);
}

Table spread(Synthesis& synthesis, const Array3& positions) {
  Table out;
  synthesis.spread(stepped(synthesis, positions).pose_weights, out);
  return out;
}

TEST(Synthesis, sparse_weights_are_dense_ones_at_the_vertices_of_the_feature_mesh_at_no_level) {
  Sleeve sleeve;
  sleeve.levels = 0;
  Synthesis sparse = sleeve.synthesis(WeightPlaces::sparse);
  Synthesis dense = sleeve.synthesis(WeightPlaces::dense);
  const Array3 deformed = Sleeve::bent(0.5, 0.1);
  EXPECT_EQ(spread(sparse, deformed), spread(dense, deformed));
}

TEST(Synthesis, a_detail_added_is_the_detail_found) {
  const Sleeve sleeve;
  const SmoothSurface smooth(sleeve.mesh, sleeve.levels, Sleeve::bent(0.9));
  Array3 fine;
  Array3 detail;
  smooth.add(sleeve.details()[1], fine);
  smooth.detail_of(fine, detail);
  EXPECT_LT((detail - sleeve.details()[1]).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(VertexFrames, are_rotations_and_a_flat_or_missing_vertex_has_none) {
  const Sleeve sleeve;
  const SmoothSurface smooth(sleeve.mesh, sleeve.levels, Sleeve::bent(0.9));
  for (const RowMatrix3& frame : smooth.frames().frames()) {
    EXPECT_LT((frame.transpose() * frame - RowMatrix3::Identity()).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(frame.determinant(), 1, 1e-12);
  }
  EXPECT_EQ(smooth.frames().missing(), 0);
  VertexFrames frames(std::make_shared<const Mesh>(shapes::faces({{0, 1, 2}}), 4));
  frames.step(Array3::Zero(4, 3));
  EXPECT_EQ(frames.missing(), 4);
}

TEST(Synthesis, what_does_not_fit_is_refused_and_changes_nothing) {
  const Sleeve sleeve;
  Synthesis synthesis = sleeve.synthesis(WeightPlaces::sparse);
  const Array3 before = stepped(synthesis, Sleeve::bent(0.4)).positions;
  Array3 wrong = sleeve.rest;
  wrong(3, 1) = std::nan("");
  Synthesised out = stepped(synthesis, Sleeve::bent(0.4));
  EXPECT_THROW(synthesis.step(wrong, out), InvalidArgument);
  EXPECT_THROW(synthesis.step(sleeve.rest.topRows(5), out), InvalidArgument);
  EXPECT_EQ(out.positions, before);
  const auto make = [&](const std::vector<Array3>& poses, std::vector<Array3> details) {
    return Synthesis(sleeve.mesh, sleeve.levels, sleeve.rest, poses, std::move(details));
  };
  EXPECT_THROW(make({}, {}), InvalidArgument);
  EXPECT_THROW(make(sleeve.poses(), {sleeve.details()[0]}), InvalidArgument);
  EXPECT_THROW(make({sleeve.rest}, {sleeve.rest}), InvalidArgument);
  EXPECT_THROW(make({sleeve.rest}, {std::nan("") * sleeve.details()[0]}), InvalidArgument);
  EXPECT_THROW(make({sleeve.rest, sleeve.rest}, {sleeve.details()[0], sleeve.details()[0]}), InvalidArgument);
}

}  // namespace
}  // namespace pucker::byexample
