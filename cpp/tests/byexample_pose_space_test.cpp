#include "pucker/byexample/pose_space.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <random>
#include <string>

#include "pucker/byexample/features.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::byexample {
namespace {

struct Cloth {
  std::shared_ptr<const Mesh> mesh = std::make_shared<const Mesh>(shapes::grid(5, 4), 30);
  Array3 rest{30, 3};
  std::mt19937_64 random{7};

  Cloth() {
    std::normal_distribution<double> normal(0, 0.05);
    for (Eigen::Index v = 0; v < 30; ++v)
      rest.row(v) << double(v % 6) + normal(random), std::floor(double(v) / 6), normal(random);
  }
  Array3 deformed() {
    std::normal_distribution<double> normal(0, 0.15);
    return rest + Array3::NullaryExpr(30, 3, [&] { return normal(random); });
  }
  Table poses(const Features& features, int count) {
    Table out(count, Eigen::Index(features.rest_lengths().size()));
    std::vector<double> stretch;
    for (int pose = 0; pose < count; ++pose) {
      features.stretch(deformed(), stretch);
      out.row(pose) = Eigen::Map<const Eigen::RowVectorXd>(stretch.data(), out.cols());
    }
    return out;
  }
};

std::span<const double> row(const Table& table, Eigen::Index index) {
  return {table.data() + index * table.cols(), std::size_t(table.cols())};
}

TEST(Features, metrics_sum_to_one_over_the_nearest_edges) {
  Cloth cloth;
  const Features features(cloth.mesh, cloth.rest);
  const SparseRows metric = features.metric(cloth.rest);
  for (Eigen::Index v = 0; v < metric.rows(); ++v) {
    double sum = 0;
    double least = 1;
    for (SparseRows::InnerIterator entry(metric, v); entry; ++entry) {
      sum += entry.value();
      least = std::min(least, entry.value());
    }
    EXPECT_NEAR(sum, 1, 1e-14);
    EXPECT_EQ(metric.row(v).nonZeros(), 16);
    // An edge at the vertex is no detour, and so among the largest.
    for (std::int32_t e = 0; e < cloth.mesh->edge_count(); ++e)
      if (cloth.mesh->edges()(e, 0) == v || cloth.mesh->edges()(e, 1) == v) {
        EXPECT_GT(metric.coeff(v, e), 0);
        EXPECT_GE(metric.coeff(v, e), least);
      }
  }
}

TEST(Features, a_mesh_with_fewer_edges_keeps_them_all) {
  const auto mesh = std::make_shared<const Mesh>(shapes::faces({{0, 1, 2}}), 3);
  Array3 rest(3, 3);
  rest << 0, 0, 0, 1, 0, 0, 0, 1, 0;
  const Features features(mesh, rest);
  EXPECT_EQ(features.metric(rest).row(0).nonZeros(), 3);
  std::vector<double> stretch;
  features.stretch(3 * rest, stretch);
  for (const double f : stretch) EXPECT_DOUBLE_EQ(f, 3);
}

TEST(Features, an_edge_without_length_is_named) {
  const auto mesh = std::make_shared<const Mesh>(shapes::faces({{0, 1, 2}}), 3);
  Array3 rest = Array3::Zero(3, 3);
  rest(2, 0) = 1;
  try {
    const Features features(mesh, rest);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("edge 0 of vertices 0 and 1"), std::string::npos) << error.what();
  }
}

class EveryKernel : public testing::TestWithParam<Kernel> {};
INSTANTIATE_TEST_SUITE_P(PoseSpace, EveryKernel, testing::Values(Kernel::distance, Kernel::squared));

TEST_P(EveryKernel, weights_are_one_at_their_own_pose_and_zero_at_the_others) {
  Cloth cloth;
  const Features features(cloth.mesh, cloth.rest);
  for (const int count : {1, 2, 6, 12}) {
    const Table poses = cloth.poses(features, count);
    PoseSpace space(features.metric(cloth.rest), poses, {.kernel = GetParam()});
    Table weights;
    for (Eigen::Index pose = 0; pose < count; ++pose) {
      space.weights(row(poses, pose), weights);
      Table expected = Table::Zero(weights.rows(), count);
      expected.col(pose).setOnes();
      EXPECT_LT((weights - expected).cwiseAbs().maxCoeff(), 1e-10);
    }
    space.weights(row(cloth.poses(features, 1), 0), weights);
    EXPECT_LT((weights.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-13);
  }
}

TEST(PoseSpace, poses_equal_at_one_point_are_refused_by_name_or_share_their_weight) {
  Cloth cloth;
  const Features features(cloth.mesh, cloth.rest);
  const SparseRows metric = features.metric(cloth.rest);
  Table poses = cloth.poses(features, 4);
  for (SparseRows::InnerIterator entry(metric, 11); entry; ++entry) poses(3, entry.col()) = poses(1, entry.col());
  try {
    const PoseSpace refused(metric, poses);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("1 and 3 are equal at point 11"), std::string::npos) << error.what();
  }
  PoseSpace space(metric, poses, {.equal = EqualPoses::share});
  EXPECT_GE(space.shared_points(), 1);
  Table weights;
  space.weights(row(poses, 3), weights);
  EXPECT_NEAR(weights(11, 1), 0.5, 1e-10);
  EXPECT_NEAR(weights(11, 3), 0.5, 1e-10);
  space.weights(row(poses, 0), weights);
  EXPECT_NEAR(weights(11, 0), 1, 1e-10);
  // Poses that are equal everywhere share everywhere.
  const Table twice = poses.row(0).replicate(2, 1);
  PoseSpace equal(metric, twice, {.equal = EqualPoses::share});
  for (const Eigen::Index pose : {0, 3}) {
    equal.weights(row(poses, pose), weights);
    EXPECT_LT((weights.array() - 0.5).abs().maxCoeff(), 1e-12);
  }
}

/// One point, whose distances are those of the plane.
SparseRows plane() {
  SparseRows out(1, 2);
  out.insert(0, 0) = 1;
  out.insert(0, 1) = 1;
  return out;
}

Table rows(std::initializer_list<std::array<double, 2>> poses) {
  Table out(Eigen::Index(poses.size()), 2);
  Eigen::Index next = 0;
  for (const auto& [x, y] : poses) out.row(next++) << x, y;
  return out;
}

TEST(PoseSpace, equal_poses_have_the_weight_of_one_between_them) {
  for (const Kernel kernel : {Kernel::distance, Kernel::squared}) {
    PoseSpace once(plane(), rows({{0, 0}, {1, 0.3}, {0.2, 1}}), {.kernel = kernel});
    PoseSpace thrice(plane(), rows({{0, 0}, {1, 0.3}, {0.2, 1}, {1, 0.3}, {1, 0.3}}),
                     {.kernel = kernel, .equal = EqualPoses::share});
    const Table between = rows({{0.4, 0.35}, {0.9, 0.8}, {-0.5, 0.1}});
    Table expected, found;
    for (Eigen::Index k = 0; k < between.rows(); ++k) {
      once.weights(row(between, k), expected);
      thrice.weights(row(between, k), found);
      for (const Eigen::Index apart : {0, 2}) EXPECT_NEAR(found(0, apart), expected(0, apart), 1e-12);
      for (const Eigen::Index equal : {1, 3, 4}) EXPECT_NEAR(found(0, equal), expected(0, 1) / 3, 1e-12);
    }
  }
}

TEST(PoseSpace, poses_are_equal_within_a_millionth_and_no_more) {
  Table weights;
  for (const double apart : {1e-15, 0.9e-6, 1.1e-6, 1e-3}) {
    const Table poses = rows({{1, 1}, {1 + apart, 1}, {0.8, 1.1}});
    const bool equal = apart < 1e-6;
    EXPECT_EQ(PoseSpace(plane(), poses, {.equal = EqualPoses::share}).shared_points(), equal ? 1 : 0);
    if (equal) {
      EXPECT_THROW(PoseSpace(plane(), poses), InvalidArgument);
    } else {
      EXPECT_NO_THROW(PoseSpace(plane(), poses));
    }
  }
  // Poses that are all equal weigh the same, at themselves, beside and far away.
  PoseSpace same(plane(), rows({{1, 1}, {1 + 0.9e-6, 1}}), {.equal = EqualPoses::share});
  const Table places = rows({{1, 1}, {1 + 0.9e-6, 1}, {1 + 0.5e-6, 1}, {1, 1 + 1e-9}, {3, 2}});
  for (Eigen::Index k = 0; k < places.rows(); ++k) {
    same.weights(row(places, k), weights);
    EXPECT_NEAR(weights(0, 0), 0.5, 1e-12) << k;
    EXPECT_NEAR(weights(0, 1), 0.5, 1e-12) << k;
  }
}

TEST(PoseSpace, sums_of_weights_down_to_a_half_say_what_each_pose_weighs) {
  // Before they are scaled to 1 weights sum to 1 at poses and to a half at least: with r² there where all are as far.
  PoseSpace space(plane(), rows({{0, 0}, {1, 0}}), {.kernel = Kernel::squared});
  Table weights;
  for (const double x : {0.1, 0.3, 0.45, 0.499, 0.501, 0.8}) {
    const Table at = rows({{x, 0}});
    space.weights(row(at, 0), weights);
    const double first = (1 - x) * (1 - x);
    EXPECT_NEAR(weights(0, 0), first / (first + x * x), 1e-12);
  }
}

TEST(PoseSpace, the_squared_kernel_with_more_poses_than_edges_and_two_is_singular_and_said_so) {
  Cloth cloth;
  const Features features(cloth.mesh, cloth.rest);
  const SparseRows metric = features.metric(cloth.rest, {.edges = 3});
  EXPECT_NO_THROW(PoseSpace(metric, cloth.poses(features, 5), {.kernel = Kernel::squared}));
  try {
    const PoseSpace refused(metric, cloth.poses(features, 6), {.kernel = Kernel::squared});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("6 poses over 3 edges"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(PoseSpace(metric, cloth.poses(features, 6)));
}

TEST(PoseSpace, what_does_not_fit_is_refused) {
  Cloth cloth;
  const Features features(cloth.mesh, cloth.rest);
  const SparseRows metric = features.metric(cloth.rest);
  Table poses = cloth.poses(features, 3);
  EXPECT_THROW(PoseSpace(metric, Table(0, poses.cols())), InvalidArgument);
  EXPECT_THROW(PoseSpace(metric, poses.leftCols(5)), InvalidArgument);
  PoseSpace space(metric, poses);
  Table weights;
  EXPECT_THROW(space.weights(row(poses, 0).first(4), weights), InvalidArgument);
  poses(1, 2) = std::nan("");
  EXPECT_THROW(PoseSpace(metric, poses), InvalidArgument);
  EXPECT_THROW(space.weights(row(poses, 1), weights), InvalidArgument);
  EXPECT_THROW(features.metric(cloth.rest, {.falloff = 0}), InvalidArgument);
  EXPECT_THROW(features.metric(cloth.rest, {.edges = 0}), InvalidArgument);
}

}  // namespace
}  // namespace pucker::byexample
