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
