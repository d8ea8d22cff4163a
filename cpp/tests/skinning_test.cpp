#include "pucker/mesh/skinning.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "pucker/errors.h"

namespace pucker {
namespace {

using Placement = Eigen::Matrix<double, 3, 4, Eigen::RowMajor>;

/// An arm of three nodes along x, one unit apart, scaled as files in centimetres are.
const std::vector<std::int32_t> kParents = {kNone, 0, 1};

std::vector<double> arm(double scale = 100) {
  std::vector<double> out;
  for (int k = 0; k < 3; ++k) {
    Placement at = Placement::Zero();
    at.leftCols<3>() = scale * Eigen::Matrix3d::Identity();
    at(0, 3) = k;
    out.insert(out.end(), at.data(), at.data() + at.size());
  }
  return out;
}

Vector3 origin_of(const std::vector<double>& matrices, std::size_t k) {
  return Eigen::Map<const Placement>(matrices.data() + 12 * k).col(3);
}

TEST(Skinning, WhatIsNotTurnedKeepsItsBits) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> matrices(36);
  for (double& number : matrices) number = any(random);
  Array3 angles = Array3::Zero(3, 3);
  EXPECT_EQ(turned(kParents, matrices, angles), matrices);
  angles(2, 0) = 20;
  const std::vector<double> found = turned(kParents, matrices, angles);
  EXPECT_TRUE(std::equal(matrices.begin(), matrices.begin() + 24, found.begin()));
  EXPECT_NE(found, matrices);
}

TEST(Skinning, WhatHangsOnANodeTurnsWithIt) {
  Array3 angles = Array3::Zero(3, 3);
  angles(0, 2) = 90;
  angles(1, 2) = 90;
  const std::vector<double> found = turned(kParents, arm(), angles);
  // Up at the first node, and back at the second.
  EXPECT_NEAR((origin_of(found, 0) - Vector3(0, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((origin_of(found, 1) - Vector3(0, 1, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((origin_of(found, 2) - Vector3(-1, 1, 0)).norm(), 0, 1e-12);
}

TEST(Skinning, AnglesTurnAboutTheAxesAsTheyLieThen) {
  Array3 angles = Array3::Zero(3, 3);
  angles.row(0) << 90, 90, 0;
  const std::vector<double> found = turned(kParents, arm(1), angles);
  // After a quarter about x the y axis points along z: about that x goes to y.
  EXPECT_NEAR((origin_of(found, 1) - Vector3(0, 1, 0)).norm(), 0, 1e-12);
}

TEST(Skinning, LengthsBetweenNodesStay) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> degrees(-180, 180);
  for (int round = 0; round < 50; ++round) {
    Array3 angles(3, 3);
    for (double& angle : angles.reshaped()) angle = degrees(random);
    const std::vector<double> found = turned(kParents, arm(), angles);
    for (std::size_t k = 1; k < 3; ++k) EXPECT_NEAR((origin_of(found, k) - origin_of(found, k - 1)).norm(), 1, 1e-12);
  }
}

TEST(Skinning, AVertexIsTheMeanOfWhereItsJointsTakeIt) {
  const Array3 rest = Array3::Constant(1, 3, 1.0);
  // Binds undo the scale and the place of each node.
  std::vector<double> binds;
  for (int k = 0; k < 3; ++k) {
    Placement bind = Placement::Zero();
    bind.leftCols<3>() = 0.01 * Eigen::Matrix3d::Identity();
    bind(0, 3) = -0.01 * k;
    binds.insert(binds.end(), bind.data(), bind.data() + bind.size());
  }
  const std::vector<std::int32_t> first = {0, 2};
  const std::vector<std::int32_t> joint = {0, 2};
  const std::vector<double> weight = {0.25, 0.75};
  const std::vector<std::int32_t> nodes = {0, 1, 2};
  const SkinArrays skin{first, joint, weight, nodes, binds};
  EXPECT_NEAR((skinned(skin, rest, arm()) - rest).norm(), 0, 1e-12);
  Array3 angles = Array3::Zero(3, 3);
  angles(2, 2) = 180;
  const Array3 found = skinned(skin, rest, turned(kParents, arm(), angles));
  // About (2, 0, 0) the vertex (1, 1, 1) goes to (3, -1, 1).
  EXPECT_NEAR((found - (Array3(1, 3) << 0.25 + 0.75 * 3, 0.25 - 0.75, 1).finished()).norm(), 0, 1e-12);
}

TEST(Skinning, WhatDoesNotFitIsRefused) {
  const Array3 still = Array3::Zero(3, 3);
  EXPECT_THROW(turned(kParents, std::vector<double>(35), still), InvalidArgument);
  EXPECT_THROW(turned(kParents, arm(), Array3::Zero(2, 3)), InvalidArgument);
  EXPECT_THROW(turned(std::vector<std::int32_t>{1, kNone, 1}, arm(), still), InvalidArgument);
  EXPECT_THROW(turned(kParents, arm(), Array3::Constant(3, 3, std::numeric_limits<double>::quiet_NaN())),
               InvalidArgument);
  Array3 angles = still;
  EXPECT_NO_THROW(turned(kParents, arm(0), angles));
  angles(1, 0) = 1;
  EXPECT_THROW(turned(kParents, arm(0), angles), InvalidArgument);
  const Array3 rest = Array3::Zero(1, 3);
  const std::vector<std::int32_t> first = {0, 1};
  const std::vector<std::int32_t> one = {0};
  const std::vector<std::int32_t> three = {3};
  const std::vector<double> weight = {1};
  const std::vector<double> bind(12);
  EXPECT_THROW(skinned({first, three, weight, one, bind}, rest, arm()), InvalidArgument);
  EXPECT_THROW(skinned({first, one, weight, three, bind}, rest, arm()), InvalidArgument);
  EXPECT_THROW(skinned({one, one, weight, one, bind}, rest, arm()), InvalidArgument);
  EXPECT_THROW(skinned({first, one, weight, one, weight}, rest, arm()), InvalidArgument);
}

}  // namespace
}  // namespace pucker
