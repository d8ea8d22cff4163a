#include "pucker/dynamic/guide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "motion.h"
#include "pucker/errors.h"

namespace pucker {
namespace {

using testing::RandomMotion;

Params with_rounds(std::int32_t rounds) {
  Params params = testing::params_for(0.02);
  params.guide = {.rounds = rounds};
  return params;
}

struct Sheet {
  std::shared_ptr<const Mesh> mesh;
  Array3 rest;
  Matrix2List reference;
};

Sheet sheet(int columns = 8, int rows = 6) {
  Array3 rest((columns + 1) * (rows + 1), 3);
  for (int y = 0; y <= rows; ++y)
    for (int x = 0; x <= columns; ++x) rest.row(y * (columns + 1) + x) << double(x) / columns, double(y) / rows, 0;
  Index3 faces(2 * columns * rows, 3);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const int a = y * (columns + 1) + x;
      const int t = 2 * (y * columns + x);
      faces.row(t) << a, a + 1, a + columns + 2;
      faces.row(t + 1) << a, a + columns + 2, a + columns + 1;
    }
  Sheet out{std::make_shared<Mesh>(faces, rest.rows()), rest, {}};
  out.reference = local_frames(*out.mesh, rest).matrices;
  return out;
}

Stretch measured(const Sheet& s, const Params& params, const Array3& positions) {
  Stretch out;
  Guide(s.mesh, params).measure(s.reference, positions, local_frames(*s.mesh, positions), out);
  return out;
}

void expect_same_bits(const Stretch& a, const Stretch& b) {
  EXPECT_EQ(a.minimum, b.minimum);
  EXPECT_EQ(a.maximum, b.maximum);
  EXPECT_EQ(a.left, b.left);
  EXPECT_EQ(a.right, b.right);
}

TEST(Guide, WithoutRoundsIsTheStretchItself) {
  const Sheet s = sheet();
  const RandomMotion motion(s.rest, 0.1, 3);
  for (int frame = 0; frame < 5; ++frame) {
    const Array3 positions = motion.at(0.1 * frame);
    const Stretch plain = stretch(s.reference, local_frames(*s.mesh, positions).matrices);
    expect_same_bits(measured(s, with_rounds(0), positions), plain);
    Params verbatim = with_rounds(2);
    verbatim.verbatim = true;
    expect_same_bits(measured(s, verbatim, positions), plain);
  }
}

TEST(Guide, TurningAsAWholeChangesNoStretch) {
  const Sheet s = sheet();
  const Array3 positions = RandomMotion(s.rest, 0.1, 9).at(0.4);
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(2.1, Vector3(2, -1, 2).normalized()).toRotationMatrix();
  const Params params = with_rounds(2);
  const Stretch one = measured(s, params, positions);
  const Stretch other = measured(s, params, positions * turn.transpose());
  for (std::size_t t = 0; t < one.minimum.size(); ++t) {
    EXPECT_NEAR(one.minimum[t], other.minimum[t], 1e-11);
    EXPECT_NEAR(one.maximum[t], other.maximum[t], 1e-11);
    EXPECT_NEAR(std::fabs(one.left[t].first().dot(other.left[t].first())), 1, 1e-9);
  }
}

TEST(Guide, SmoothingLeavesAnEvenStretchAsItIs) {
  const Sheet s = sheet();
  Array3 squeezed = s.rest;
  squeezed.col(0) *= 0.7;
  squeezed.col(1) *= 1.1;
  const Stretch plain = measured(s, with_rounds(0), squeezed);
  const Stretch smooth = measured(s, with_rounds(5), squeezed);
  for (std::size_t t = 0; t < plain.minimum.size(); ++t) {
    EXPECT_NEAR(smooth.minimum[t], 0.7, 1e-12);
    EXPECT_NEAR(smooth.maximum[t], 1.1, 1e-12);
    EXPECT_NEAR(std::fabs(smooth.left[t].first().dot(plain.left[t].first())), 1, 1e-12);
    const Rotation turn = smooth.left[t] * smooth.right[t].inverse();
    EXPECT_LT((turn.first() - (plain.left[t] * plain.right[t].inverse()).first()).norm(), 1e-12);
  }
}

TEST(Guide, SmoothingTakesWhatAlternatesAndStaysBetweenTheExtremes) {
  const Sheet s = sheet(12, 12);
  const Array3 positions = RandomMotion(s.rest, 0.05, 2).at(0.7);
  const Stretch plain = measured(s, with_rounds(0), positions);
  const double low = *std::min_element(plain.minimum.begin(), plain.minimum.end());
  const double high = *std::max_element(plain.maximum.begin(), plain.maximum.end());
  double before = INFINITY;
  for (const int rounds : {0, 1, 4}) {
    const Stretch smooth = measured(s, with_rounds(rounds), positions);
    double jumps = 0;
    for (std::size_t t = 0; t < smooth.minimum.size(); ++t) {
      EXPECT_GE(smooth.minimum[t], low - 1e-12);
      EXPECT_LE(smooth.maximum[t], high + 1e-12);
      for (int k = 0; k < 3; ++k)
        if (const std::int32_t n = s.mesh->triangle_neighbours()(Eigen::Index(t), k); n != kNone)
          jumps += std::fabs(smooth.minimum[t] - smooth.minimum[std::size_t(n)]);
    }
    EXPECT_LT(jumps, before);
    before = jumps;
  }
}

/// One round by 3 × 3 matrices: tensors in space, turned by the smallest rotation from a triangle's normal to a
/// vertex's.
std::vector<Eigen::Matrix3d> smoothed_in_space(const Mesh& mesh, const Array3& positions, const LocalFrames& frames,
                                               const Stretch& plain) {
  Array3 normals;
  vertex_normals(mesh, positions, normals);
  const auto turned = [&](std::int32_t t, int k) {
    const Vector3 normal = normals.row(mesh.faces()(t, k)).transpose();
    return Eigen::Quaterniond::FromTwoVectors(frames.frames[std::size_t(t)].normal, normal).toRotationMatrix();
  };
  std::vector<Eigen::Matrix3d> own;
  std::vector<Eigen::Matrix3d> sums(std::size_t(mesh.vertex_count()), Eigen::Matrix3d::Zero());
  std::vector<double> weights(sums.size());
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    const auto at = std::size_t(t);
    const Vector3 a = frames.frames[at].to_space(plain.left[at].first());
    const Vector3 b = frames.frames[at].to_space(plain.left[at].second());
    own.emplace_back(plain.maximum[at] * a * a.transpose() + plain.minimum[at] * b * b.transpose());
    for (int k = 0; k < 3; ++k) {
      const auto v = std::size_t(mesh.faces()(t, k));
      sums[v] += frames.area(at) * turned(t, k) * own.back() * turned(t, k).transpose();
      weights[v] += frames.area(at);
    }
  }
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    own[std::size_t(t)].setZero();
    for (int k = 0; k < 3; ++k) {
      const auto v = std::size_t(mesh.faces()(t, k));
      own[std::size_t(t)] += turned(t, k).transpose() * sums[v] * turned(t, k) / (3 * weights[v]);
    }
  }
  return own;
}

TEST(Guide, SmoothingCarriesTensorsByTheSmallestRotations) {
  const Sheet s = sheet(10, 8);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Array3 positions = RandomMotion(s.rest, 0.15, seed).at(0.6);
    const LocalFrames frames = local_frames(*s.mesh, positions);
    const Stretch plain = measured(s, with_rounds(0), positions);
    const Stretch smooth = measured(s, with_rounds(1), positions);
    const std::vector<Eigen::Matrix3d> expected = smoothed_in_space(*s.mesh, positions, frames, plain);
    for (std::size_t t = 0; t < expected.size(); ++t) {
      const Vector3 a = frames.frames[t].to_space(smooth.left[t].first());
      const Vector3 b = frames.frames[t].to_space(smooth.left[t].second());
      EXPECT_NEAR(a.dot(expected[t] * a), smooth.maximum[t], 1e-12);
      EXPECT_NEAR(b.dot(expected[t] * b), smooth.minimum[t], 1e-12);
      EXPECT_NEAR(a.dot(expected[t] * b), 0, 1e-12);
      // F = left · diag · rightᵀ keeps its rotation.
      EXPECT_LT(
          (smooth.left[t] * smooth.right[t].inverse()).first().dot((plain.left[t] * plain.right[t].inverse()).second()),
          1e-12);
    }
  }
}

TEST(Guide, ATriangleFoldedOverKeepsItsOwnStretchWhereItMeetsTheRest) {
  // Three triangles of a fan lie flat; the fourth, small, is turned over onto them, against its vertices' normals.
  Index3 faces(3, 3);
  faces << 0, 1, 2, 0, 2, 3, 0, 4, 1;
  Array3 rest(5, 3);
  rest << 0, 0, 0, 1, 0, 0, 0.5, 1, 0, -0.5, 1, 0, 0.5, -0.1, 0;
  Sheet s{std::make_shared<Mesh>(faces, rest.rows()), rest, {}};
  s.reference = local_frames(*s.mesh, rest).matrices;
  Array3 folded = rest;
  folded.row(4) << 0.5, 0.05, 0;
  const Stretch plain = measured(s, with_rounds(0), folded);
  const Stretch smooth = measured(s, with_rounds(1), folded);
  EXPECT_NEAR(plain.minimum[2], 0.5, 0.01);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_NEAR(smooth.minimum[t], plain.minimum[t], 1e-12);
    EXPECT_NEAR(smooth.maximum[t], plain.maximum[t], 1e-12);
  }
}

TEST(Guide, ClothStretchedOneWayNarrowsTheOther) {
  const Sheet s = sheet();
  Params params = with_rounds(0);
  for (const double narrowing : {0.0, 0.5, 1.0})
    for (const double along : {0.9, 1.0, 1.3})
      for (const double across : {0.8, 1.0, 1.1}) {
        params.guide.narrowing = narrowing;
        Array3 pulled = s.rest;
        pulled.col(0) *= along;
        pulled.col(1) *= across;
        const Stretch found = measured(s, params, pulled);
        const double least = std::min(along, across);
        const double most = std::max(along, across);
        for (std::size_t t = 0; t < found.minimum.size(); ++t) {
          EXPECT_NEAR(found.maximum[t], most, 1e-12);
          EXPECT_NEAR(found.minimum[t], least * std::pow(std::max(most, 1.0), -narrowing), 1e-12);
        }
      }
  params.verbatim = true;
  Array3 pulled = s.rest;
  pulled.col(0) *= 1.3;
  pulled.col(1) *= 0.8;
  for (const double least : measured(s, params, pulled).minimum) EXPECT_NEAR(least, 0.8, 1e-12);
}

TEST(Guide, WhatCannotBeMeasuredStaysAsTheStretchSays) {
  Sheet s = sheet(2, 2);
  s.reference[0].setZero();
  Array3 positions = s.rest;
  positions.row(s.mesh->faces()(3, 1)) = positions.row(s.mesh->faces()(3, 0));
  const Stretch found = measured(s, with_rounds(2), positions);
  for (std::size_t t = 0; t < found.minimum.size(); ++t) {
    EXPECT_TRUE(std::isfinite(found.minimum[t]) && std::isfinite(found.maximum[t]));
    EXPECT_TRUE(found.left[t].first().allFinite() && found.right[t].first().allFinite());
  }
  Stretch out;
  Guide guide(s.mesh, with_rounds(2));
  EXPECT_THROW(guide.measure({}, positions, local_frames(*s.mesh, positions), out), InvalidArgument);
  EXPECT_THROW(guide.measure(s.reference, Array3(1, 3), local_frames(*s.mesh, positions), out), InvalidArgument);
}

}  // namespace
}  // namespace pucker
