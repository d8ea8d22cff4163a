#include "pucker/waves/painting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "pucker/errors.h"
#include "waves_shapes.h"

namespace pucker::waves {
namespace {

const Vector3 kAcross(1, 0, 0);
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Painting painting_of(const Sheet& sheet) { return {sheet.mesh, sheet.rest}; }

Vector3 middle(const Sheet& sheet, std::int32_t triangle) {
  return sheet.rest(sheet.mesh->faces().row(triangle), Eigen::all).colwise().mean().transpose();
}

/// (1 − (d/radius)²)² of each vertex, d its distance from the middle of a triangle; the sheet is connected and convex.
Eigen::VectorXd falloff(const Sheet& sheet, std::int32_t triangle, double radius) {
  const Vector3 centre = middle(sheet, triangle);
  Eigen::VectorXd out(sheet.rest.rows());
  for (Eigen::Index v = 0; v < out.size(); ++v) {
    const double far = (sheet.rest.row(v).transpose() - centre).norm() / radius;
    out[v] = far < 1 ? std::pow(1 - far * far, 2) : 0;
  }
  return out;
}

ReadArrays reading(const NamedArrays& arrays) {
  return [&](const std::string&, auto) { return arrays; };
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Painting, fades_out_towards_the_radius_in_closed_form) {
  std::mt19937_64 random(1);
  const Sheet sheet = irregular_sheet(random);
  Painting painting = painting_of(sheet);
  const Dab dab{.triangle = 41, .radius = 0.4, .strength = 0.8};
  // What points out of the sheet counts for nothing.
  painting.stroke(dab, {2, 0, 5});
  const Eigen::VectorXd once = 0.8 * falloff(sheet, 41, 0.4);
  EXPECT_LT((painting.vectors().col(0) - once).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_EQ(painting.vectors().rightCols(2).cwiseAbs().maxCoeff(), 0);
  // Wrinkles across a direction and its opposite are the same.
  painting.stroke(dab, -kAcross);
  const Eigen::VectorXd w = falloff(sheet, 41, 0.4);
  const Eigen::VectorXd twice = 0.8 * (1 - (1 - w.array()).square());
  EXPECT_LT((painting.vectors().col(0) - twice).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Painting, is_the_same_in_any_pose_and_unit) {
  std::mt19937_64 random(2);
  const Sheet sheet = irregular_sheet(random);
  const Eigen::Matrix3d turn = random_rotation(random);
  Painting plain = painting_of(sheet);
  Painting moved(sheet.mesh, Array3(((1000 * sheet.rest * turn.transpose()).rowwise() + Eigen::RowVector3d(3, 1, 2))));
  for (const std::int32_t triangle : {3, 40, 77}) {
    const Vector3 direction(std::cos(triangle), std::sin(triangle), 0);
    plain.stroke({.triangle = triangle, .radius = 0.5, .strength = 0.7}, direction);
    moved.stroke({.triangle = triangle, .radius = 500, .strength = 0.7}, turn * direction);
  }
  EXPECT_LT((moved.vectors() - plain.vectors() * turn.transpose()).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Painting, stays_in_the_tangent_plane_and_below_the_strength) {
  std::mt19937_64 random(3);
  Sheet sheet = irregular_sheet(random);
  for (Eigen::Index v = 0; v < sheet.rest.rows(); ++v) sheet.rest(v, 2) = 0.3 * std::sin(4 * sheet.rest(v, 0));
  Painting painting = painting_of(sheet);
  std::normal_distribution<double> normal;
  const Crush crush(sheet.mesh, sheet.rest, 0.1, {});
  for (int k = 0; k < 200; ++k) {
    const Dab dab{.triangle = k % std::int32_t(sheet.mesh->triangle_count()), .radius = 0.6, .strength = 0.99};
    painting.stroke(dab, Vector3(normal(random), normal(random), normal(random)));
  }
  for (std::int32_t v = 0; v < sheet.rest.rows(); ++v) {
    const Vector3 p = painting.vectors().row(v).transpose();
    EXPECT_LE(p.norm(), 0.99 + 1e-12);
    EXPECT_NEAR(p.dot(crush.tangent(v).cross(crush.bitangent(v))), 0, 1e-12);
  }
}

TEST(Painting, is_erased_by_the_share_of_the_falloff) {
  std::mt19937_64 random(4);
  const Sheet sheet = irregular_sheet(random);
  Painting painting = painting_of(sheet);
  painting.random(7, 0.9);
  const Array3 before = painting.vectors();
  painting.erase({.triangle = 30, .radius = 0.5, .strength = 0.75});
  const Eigen::ArrayXd left = 1 - 0.75 * falloff(sheet, 30, 0.5).array();
  EXPECT_LT((painting.vectors().array() - before.array().colwise() * left).abs().maxCoeff(), 1e-14);
  painting.clear();
  EXPECT_EQ(painting.vectors(), Array3::Zero(sheet.rest.rows(), 3));
}

TEST(Painting, reaches_over_edges_only) {
  // Two sheets face to face.
  std::mt19937_64 random(5);
  const Sheet sheet = irregular_sheet(random, 3);
  const Eigen::Index n = sheet.rest.rows();
  Index3 faces(2 * sheet.mesh->triangle_count(), 3);
  faces << sheet.mesh->faces(), sheet.mesh->faces().array() + std::int32_t(n);
  Array3 rest(2 * n, 3);
  rest << sheet.rest, sheet.rest.rowwise() + Eigen::RowVector3d(0, 0, 0.01);
  Painting painting(std::make_shared<Mesh>(faces, 2 * n), rest);
  painting.stroke({.triangle = 0, .radius = 5, .strength = 0.5}, kAcross);
  EXPECT_GT(painting.vectors().topRows(n).rowwise().norm().minCoeff(), 0.1);
  EXPECT_EQ(painting.vectors().bottomRows(n).cwiseAbs().maxCoeff(), 0);
}

TEST(Painting, is_undone_exactly_change_by_change_or_together) {
  std::mt19937_64 random(6);
  const Sheet sheet = irregular_sheet(random);
  Painting painting = painting_of(sheet);
  std::vector<Array3> seen{painting.vectors()};
  const auto change = [&](const auto& paint) {
    paint();
    seen.push_back(painting.vectors());
  };
  change([&] { painting.stroke({.triangle = 9, .radius = 0.7, .strength = 0.6}, kAcross); });
  change([&] {
    painting.begin();
    painting.begin();
    for (const std::int32_t triangle : {20, 21, 22})
      painting.stroke({.triangle = triangle, .radius = 0.3, .strength = 0.9}, {1, 1, 0});
    painting.end();
    painting.erase({.triangle = 60, .radius = 0.4, .strength = 1});
    painting.end();
  });
  change([&] { painting.random(3); });
  change([&] { painting.clear(); });
  // What changes nothing is no step.
  painting.erase({.triangle = 60, .radius = 0.4, .strength = 1});
  while (seen.size() > 1) {
    EXPECT_EQ(painting.vectors(), seen.back());
    seen.pop_back();
    EXPECT_TRUE(painting.undo());
  }
  EXPECT_EQ(painting.vectors(), seen.front());
  EXPECT_FALSE(painting.undo());
  // Within a change it is what there is of it that is undone.
  painting.random(4);
  const Array3 before = painting.vectors();
  painting.begin();
  painting.clear();
  EXPECT_TRUE(painting.undo());
  EXPECT_FALSE(painting.undo());
  painting.end();
  EXPECT_EQ(painting.vectors(), before);
}

TEST(Painting, at_random_is_smooth_as_long_as_asked_for_and_keyed_by_its_seed) {
  std::mt19937_64 random(7);
  const Sheet sheet = irregular_sheet(random, 30);
  Painting one = painting_of(sheet);
  Painting other = painting_of(sheet);
  one.random(5, 0.8);
  other.random(5, 0.8);
  EXPECT_EQ(one.vectors(), other.vectors());
  EXPECT_NEAR(one.vectors().rowwise().norm().maxCoeff(), 0.8, 1e-12);
  other.random(6, 0.8);
  EXPECT_NE(one.vectors(), other.vectors());
  const auto roughness = [&](const Painting& painting) {
    double sum = 0;
    for (Eigen::Index e = 0; e < sheet.mesh->edge_count(); ++e) {
      const auto ends = sheet.mesh->edges().row(e);
      sum += (painting.vectors().row(ends[0]) - painting.vectors().row(ends[1])).squaredNorm();
    }
    return sum / painting.vectors().squaredNorm();
  };
  other.random(5, 0.8, 0);
  EXPECT_LT(roughness(one), 0.2 * roughness(other));
  // Components of a normal distribution: mean 0, kurtosis 3; of 1922 numbers, by 4 standard errors.
  const Eigen::ArrayXd drawn = other.vectors().leftCols(2).reshaped().array();
  const double variance = drawn.square().mean();
  const double count = double(drawn.size());
  EXPECT_NEAR(drawn.mean() / std::sqrt(variance), 0, 4 / std::sqrt(count));
  EXPECT_NEAR(drawn.pow(4).mean() / (variance * variance), 3, 4 * std::sqrt(24 / count));
}

TEST(Painting, carries_directions_as_the_cloth_of_the_triangle) {
  std::mt19937_64 random(8);
  const Sheet sheet = irregular_sheet(random);
  const Painting painting = painting_of(sheet);
  const Eigen::Matrix3d map = random_rotation(random) * squeeze(0.6, 0.4);
  const Array3 moved = (sheet.rest * map.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3);
  const Vector3 direction(0.3, -0.7, 0);
  EXPECT_LT((painting.carried(12, moved, map * direction) - direction).norm(), 1e-12);
  // What points out of the cloth is left out.
  const Vector3 out = map * Vector3(0, 0, 2);
  EXPECT_LT((painting.carried(12, moved, map * direction + out) - direction).norm(), 1e-12);
}

TEST(Painting, is_read_as_it_was_written_and_no_other_is) {
  std::mt19937_64 random(9);
  const Sheet sheet = irregular_sheet(random);
  Painting painting = painting_of(sheet);
  painting.random(1, 0.9);
  const NamedArrays arrays = painting.arrays();
  const auto again = [&](const NamedArrays& from, const Sheet& on) {
    return Painting::read("a.npz", on.mesh, on.rest, reading(from));
  };
  Painting same = again(arrays, sheet);
  EXPECT_EQ(same.vectors(), painting.vectors());
  EXPECT_FALSE(same.undo());

  const Sheet finer = irregular_sheet(random, 9);
  EXPECT_EQ(
      refusal([&] { again(arrays, finer); }),
      "a.npz was painted on another mesh, of 81 vertices and 128 triangles, not of 100 and 162 that are connected "
      "so");
  Sheet turned = sheet;
  Index3 faces = sheet.mesh->faces();
  faces.row(3).reverseInPlace();
  turned.mesh = std::make_shared<Mesh>(faces, sheet.rest.rows());
  EXPECT_NE(refusal([&] { again(arrays, turned); }).find("another mesh"), std::string::npos);
  Sheet moved = sheet;
  moved.rest(5, 2) += 0.25;
  EXPECT_EQ(refusal([&] { again(arrays, moved); }),
            "a.npz was painted on another rest pose: vertex 5 is 0.25 away from there");
  moved.rest(5, 2) = 1e-6;  // as single precision leaves it
  EXPECT_EQ(again(arrays, moved).vectors(), painting.vectors());

  const auto told = [&](const std::function<void(NamedArrays&)>& damage) {
    NamedArrays damaged = arrays;
    damage(damaged);
    try {
      again(damaged, sheet);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("it was read");
  };
  EXPECT_EQ(told([](NamedArrays& a) { a.erase("rest"); }), "a.npz is no painting: it has no rest");
  EXPECT_EQ(told([](NamedArrays& a) { a["format"].text = "pucker painting 9"; }),
            "a.npz is no painting: its format is 'pucker painting 9'");
  EXPECT_EQ(told([](NamedArrays& a) {
              a["vectors"].shape = {3, 81};
            }),
            "a.npz is no painting: its vectors are no rows of three");
  EXPECT_EQ(told([](NamedArrays& a) {
              a["vectors"].shape[0] = 80;
              a["vectors"].values.resize(240);
            }),
            "a.npz is no painting: it has 80 vectors and a rest pose of 81");
  EXPECT_EQ(told([](NamedArrays& a) {
              for (std::size_t k = 0; k < 3; ++k) a["vectors"].values[21 + k] = k == 0 ? 1.5 : 0;
            }),
            "a.npz is no painting: the vector of vertex 7 is 1.5 long, not below 1");
  EXPECT_EQ(told([](NamedArrays& a) { a["vectors"].values[4] = kNaN; }),
            "a.npz is no painting: the vector of vertex 1 is nan long, not below 1");
}

TEST(Painting, refuses_what_cannot_be_painted_and_changes_nothing) {
  std::mt19937_64 random(10);
  const Sheet sheet = irregular_sheet(random);
  Painting painting = painting_of(sheet);
  painting.random(2);
  const Array3 before = painting.vectors();
  const Dab good{.triangle = 0, .radius = 1, .strength = 0.5};
  const auto with = [&](auto Dab::*field, auto value) {
    Dab dab = good;
    dab.*field = value;
    return dab;
  };
  const auto stroke = [&](const Dab& dab, const Vector3& direction = kAcross) {
    return refusal([&] { painting.stroke(dab, direction); });
  };
  EXPECT_EQ(stroke(with(&Dab::triangle, -1)), "triangle must lie in [0, 128), got -1");
  EXPECT_EQ(stroke(with(&Dab::triangle, 128)), "triangle must lie in [0, 128), got 128");
  EXPECT_EQ(stroke(with(&Dab::barycentric, Vector3(2, -1, 0))),
            "barycentric must be at least 0 and 1 in sum, got (2, -1, 0)");
  EXPECT_EQ(stroke(with(&Dab::radius, 0.0)), "radius must be finite and above 0, got 0");
  EXPECT_EQ(stroke(with(&Dab::radius, kNaN)), "radius must be finite and above 0, got nan");
  EXPECT_EQ(stroke(with(&Dab::strength, 1.0)), "strength must lie in [0, 1), got 1");
  EXPECT_EQ(stroke(good, Vector3::Zero()), "direction must be finite and not zero, got (0, 0, 0)");
  EXPECT_EQ(stroke(good, Vector3(1, kNaN, 0)), "direction must be finite and not zero, got (1, nan, 0)");
  EXPECT_EQ(refusal([&] { painting.erase(with(&Dab::strength, 1.5)); }), "strength must lie in [0, 1], got 1.5");
  EXPECT_EQ(refusal([&] { painting.random(0, 1.0); }), "strength must lie in [0, 1), got 1");
  EXPECT_EQ(refusal([&] { painting.random(0, 0.5, -1); }), "smoothing must be at least 0, got -1");
  EXPECT_EQ(refusal([&] { painting.end(); }), "a change of a painting ends that has not begun");
  EXPECT_EQ(painting.vectors(), before);
  EXPECT_TRUE(painting.undo());
  EXPECT_EQ(refusal([&] { Painting(sheet.mesh, sheet.rest.topRows(3)); }).find("positions must"), 0U);
}

}  // namespace
}  // namespace pucker::waves
