#include "pucker/dynamic/stretch.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <random>

#include "pucker/dynamic/field.h"
#include "pucker/errors.h"

namespace pucker {
namespace {

constexpr double kScales[] = {1e-8, 1.0, 1e8};

RowMatrix2 rotation(double angle) {
  return (RowMatrix2() << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)).finished();
}

RowMatrix2 random_matrix(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  RowMatrix2 out;
  do out << normal(random), normal(random), normal(random), normal(random);
  while (!(out.determinant() > 1e-3));
  return out;
}

RowMatrix2 diagonal(double a, double b) { return (RowMatrix2() << a, 0, 0, b).finished(); }

RowMatrix2 product(const SvdFactors& f) {
  return f.left.matrix() * diagonal(f.maximum, f.minimum) * f.right.matrix().transpose();
}

double distance_from_rotation(const RowMatrix2& m) {
  return (m * m.transpose() - RowMatrix2::Identity()).cwiseAbs().maxCoeff() + std::fabs(m.determinant() - 1);
}

/// 0 if the columns of both span the same lines.
double angle_of_lines(const RowMatrix2& a, const RowMatrix2& b) {
  return std::fabs(a(0, 0) * b(1, 0) - a(1, 0) * b(0, 0));
}

TEST(SingularValues, multiply_to_the_matrix_at_any_scale) {
  std::mt19937_64 random(1);
  for (const double scale : kScales)
    for (int trial = 0; trial < 2000; ++trial) {
      const RowMatrix2 m = scale * random_matrix(random);
      const SvdFactors f = svd(m);
      EXPECT_LT((product(f) - m).cwiseAbs().maxCoeff(), 1e-14 * f.maximum);
      EXPECT_LT(distance_from_rotation(f.left.matrix()), 1e-14);
      EXPECT_LT(distance_from_rotation(f.right.matrix()), 1e-14);
      EXPECT_GE(f.maximum, f.minimum);
    }
}

TEST(Stretch, of_many_triangles_has_the_bits_of_each_alone) {
  std::mt19937_64 random(12);
  for (const double scale : kScales)
    for (std::size_t count = 0; count < 40; ++count) {
      Matrix2List reference;
      Matrix2List current;
      for (std::size_t t = 0; t < count; ++t) {
        reference.push_back(random_matrix(random));
        current.push_back(scale * random_matrix(random));
        if (t % 7 == 2) current[t] = reference[t];
        if (t % 7 == 3) current[t] = RowMatrix2::Zero();
        if (t % 7 == 4) current[t] = diagonal(0, scale);
        if (t % 7 == 5) current[t] = -reference[t];
        if (t % 11 == 6) reference[t].setZero();
      }
      const Stretch all = stretch(reference, current);
      Stretch sizes;
      stretch_sizes(reference, current, sizes);
      for (std::size_t t = 0; t < count; ++t) {
        const Stretch alone = stretch({reference[t]}, {current[t]});
        EXPECT_EQ(all.left[t], alone.left[0]) << "triangle " << t << " of " << count;
        EXPECT_EQ(all.right[t], alone.right[0]) << "triangle " << t << " of " << count;
        for (const Stretch* found : {&all, static_cast<const Stretch*>(&sizes)}) {
          EXPECT_EQ(found->minimum[t], alone.minimum[0]) << "triangle " << t << " of " << count;
          EXPECT_EQ(found->maximum[t], alone.maximum[0]) << "triangle " << t << " of " << count;
        }
      }
    }
}

TEST(Stretch, is_that_of_the_deformation_gradient) {
  std::mt19937_64 random(13);
  for (const double scale : kScales)
    for (int trial = 0; trial < 1000; ++trial) {
      const RowMatrix2 reference = random_matrix(random);
      const RowMatrix2 current = scale * random_matrix(random);
      const RowMatrix2 gradient = deformation_gradient(reference, current);
      const Stretch found = stretch({reference}, {current});
      const RowMatrix2 product =
          found.left[0].matrix() * diagonal(found.maximum[0], found.minimum[0]) * found.right[0].matrix().transpose();
      // The product of the two matrices cancels as much as their shapes are stretched.
      const double rounding =
          1e-15 * reference.squaredNorm() / reference.determinant() * current.norm() / reference.norm();
      EXPECT_LT((product - gradient).norm(), 20 * rounding);
    }
}

TEST(SingularValues, of_a_turn_are_in_order_to_the_bit) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> angle(0, 7);
  for (const double scale : kScales)
    for (int trial = 0; trial < 2000; ++trial) {
      const SvdFactors f = svd(scale * rotation(angle(random)));
      EXPECT_LE(f.minimum, f.maximum);
    }
}

TEST(SingularValues, agree_with_the_iterative_decomposition) {
  std::mt19937_64 random(2);
  for (const double scale : kScales)
    for (int trial = 0; trial < 2000; ++trial) {
      const RowMatrix2 m = scale * random_matrix(random);
      const SvdFactors f = svd(m);
      const Eigen::JacobiSVD<Matrix2> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
      EXPECT_NEAR(f.maximum, svd.singularValues()[0], 1e-14 * f.maximum);
      EXPECT_NEAR(f.minimum, svd.singularValues()[1], 1e-14 * f.maximum);
      const double apart = (f.maximum - f.minimum) / f.maximum;
      EXPECT_LT(angle_of_lines(f.left.matrix(), RowMatrix2(svd.matrixU())) * apart, 1e-14);
    }
}

TEST(SingularValues, keep_the_digits_of_a_small_one) {
  for (const double small : {1e-4, 1e-8, 1e-12}) {
    const SvdFactors f = svd(diagonal(small, 1));
    EXPECT_DOUBLE_EQ(f.minimum, small);
    EXPECT_DOUBLE_EQ(f.maximum, 1);
    EXPECT_NEAR(std::fabs(f.left.sine), 1, 1e-15);
  }
}

TEST(SingularValues, of_a_scaled_rotation_take_the_axes_of_the_reference) {
  for (double angle = -3.1; angle < 3.2; angle += 0.1) {
    const SvdFactors f = svd(2 * rotation(angle));
    EXPECT_NEAR(f.maximum, 2, 1e-14);
    EXPECT_NEAR(f.minimum, 2, 1e-14);
    EXPECT_LT((product(f) - 2 * rotation(angle)).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(SingularValues, of_the_zero_matrix_are_zero) {
  const SvdFactors f = svd(RowMatrix2::Zero());
  EXPECT_EQ(f.minimum, 0);
  EXPECT_EQ(f.maximum, 0);
  EXPECT_LT(distance_from_rotation(f.left.matrix()), 1e-15);
  EXPECT_LT(distance_from_rotation(f.right.matrix()), 1e-15);
}

TEST(Stretch, of_a_triangle_to_itself_is_the_identity_to_the_bit) {
  std::mt19937_64 random(3);
  for (const double scale : kScales)
    for (int trial = 0; trial < 1000; ++trial) {
      const RowMatrix2 m = scale * random_matrix(random);
      const Stretch out = stretch({m}, {m});
      EXPECT_EQ(out.minimum[0], 1);
      EXPECT_EQ(out.maximum[0], 1);
      EXPECT_EQ(out.left[0], Rotation());
      EXPECT_EQ(out.right[0], Rotation());
    }
}

TEST(Stretch, does_not_depend_on_the_unit_of_length) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    const RowMatrix2 reference = random_matrix(random);
    const RowMatrix2 current = random_matrix(random);
    const Stretch plain = stretch({reference}, {current});
    for (const double scale : kScales) {
      const Stretch scaled = stretch({scale * reference}, {scale * current});
      EXPECT_NEAR(scaled.minimum[0], plain.minimum[0], 1e-13 * plain.maximum[0]);
      EXPECT_NEAR(scaled.maximum[0], plain.maximum[0], 1e-13 * plain.maximum[0]);
    }
  }
}

TEST(Stretch, directions_on_the_surface_do_not_depend_on_how_the_reference_lies_in_its_plane) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> angle(-3.14, 3.14);
  for (int trial = 0; trial < 2000; ++trial) {
    const RowMatrix2 reference = random_matrix(random);
    const RowMatrix2 current = random_matrix(random);
    const RowMatrix2 turned = rotation(angle(random)) * reference;
    const Stretch a = stretch({reference}, {current});
    const Stretch b = stretch({turned}, {current});
    const double condition = a.maximum[0] / (a.maximum[0] - a.minimum[0]) / reference.determinant();
    EXPECT_NEAR(a.minimum[0], b.minimum[0], 1e-13 * a.maximum[0] / reference.determinant());
    EXPECT_NEAR(a.maximum[0], b.maximum[0], 1e-13 * a.maximum[0] / reference.determinant());
    EXPECT_LT(angle_of_lines(a.left[0].matrix(), b.left[0].matrix()), 1e-13 * condition);
  }
}

TEST(Stretch, of_a_known_squeeze_is_read_off) {
  const RowMatrix2 reference = (RowMatrix2() << 2, 0.5, 0, 1.5).finished();
  const RowMatrix2 current = rotation(0.4) * diagonal(0.7, 1.2) * rotation(-0.3) * reference;
  const Stretch out = stretch({reference}, {current});
  EXPECT_NEAR(out.minimum[0], 0.7, 1e-14);
  EXPECT_NEAR(out.maximum[0], 1.2, 1e-14);
  EXPECT_NEAR(std::fabs(out.left[0].second().dot(rotation(0.4).col(0))), 1, 1e-14) << "a_min";
  EXPECT_NEAR(std::fabs(out.right[0].second().dot(rotation(0.3).col(0))), 1, 1e-14);
}

TEST(Stretch, of_a_degenerate_current_triangle_has_minimum_zero) {
  const RowMatrix2 reference = (RowMatrix2() << 2, 0.5, 0, 1.5).finished();
  const Stretch out = stretch({reference, reference}, {(RowMatrix2() << 1, 3, 0, 0).finished(), RowMatrix2::Zero()});
  EXPECT_EQ(out.minimum[0], 0);
  EXPECT_GT(out.maximum[0], 0);
  EXPECT_EQ(out.minimum[1], 0);
  EXPECT_EQ(out.maximum[1], 0);
}

TEST(Stretch, of_a_reference_without_area_is_inert) {
  const Stretch out = stretch({RowMatrix2::Zero(), (RowMatrix2() << 1, 2, 0, 0).finished()},
                              {RowMatrix2::Identity(), RowMatrix2::Identity()});
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(out.minimum[t], 1);
    EXPECT_EQ(out.maximum[t], 1);
    EXPECT_EQ(out.left[t], Rotation());
    EXPECT_EQ(out.right[t], Rotation());
  }
}

TEST(Stretch, refuses_lists_of_different_length) {
  EXPECT_THROW(stretch(Matrix2List(2, RowMatrix2::Identity()), Matrix2List(3, RowMatrix2::Identity())),
               InvalidArgument);
}

Stretch some_stretch() {
  std::mt19937_64 random(6);
  Matrix2List reference;
  Matrix2List current;
  for (int t = 0; t < 50; ++t) {
    reference.push_back(random_matrix(random));
    current.push_back(random_matrix(random));
  }
  return stretch(reference, current);
}

TEST(RescaleRate, one_changes_no_bit) {
  const Stretch before = some_stretch();
  Stretch after = before;
  rescale_rate(after, 1);
  EXPECT_EQ(after.minimum, before.minimum);
  EXPECT_EQ(after.maximum, before.maximum);
}

TEST(RescaleRate, an_interval_between_rounded_times_is_a_whole_one) {
  const Stretch before = some_stretch();
  for (int frame = 1; frame < 100000; frame += 997) {
    Stretch after = before;
    rescale_rate(after, (1 / 30.0) / (frame / 30.0 - (frame - 1) / 30.0));
    EXPECT_EQ(after.minimum, before.minimum) << "frame " << frame;
  }
  Stretch after = before;
  rescale_rate(after, 1 + 10 * kRateRounding);
  EXPECT_NE(after.minimum, before.minimum);
}

TEST(RescaleRate, two_half_intervals_make_a_whole_one) {
  // Under a constant rate each of n parts of an interval shows the n-th root of its stretch.
  const Stretch whole = some_stretch();
  for (const double parts : {2.0, 4.0, 0.5}) {
    Stretch out = whole;
    rescale_rate(out, 1 / parts);
    rescale_rate(out, parts);
    for (std::size_t t = 0; t < out.minimum.size(); ++t) {
      EXPECT_NEAR(out.minimum[t], whole.minimum[t], 1e-14 * whole.minimum[t]);
      EXPECT_NEAR(out.maximum[t], whole.maximum[t], 1e-14 * whole.maximum[t]);
    }
  }
}

TEST(RescaleRate, keeps_directions_and_their_order) {
  const Stretch before = some_stretch();
  Stretch after = before;
  rescale_rate(after, 2.5);
  EXPECT_EQ(after.left, before.left);
  EXPECT_EQ(after.right, before.right);
  for (std::size_t t = 0; t < after.minimum.size(); ++t) EXPECT_LE(after.minimum[t], after.maximum[t]);
}

TEST(Compression, is_the_inverse_of_the_minimum_and_one_where_it_cannot_be_measured) {
  Stretch given;
  given.minimum = {0.5, 1.25, 0, 0.5 * kDegenerate, 0.25};
  std::vector<double> out;
  compression(given, {}, out);
  EXPECT_EQ(out, (std::vector<double>{2, 0.8, 1, 1, 4}));
  const std::vector<std::uint8_t> inert{1, 0, 0, 0, 1};
  compression(given, inert, out);
  EXPECT_EQ(out, (std::vector<double>{1, 0.8, 1, 1, 1}));
  EXPECT_THROW(compression(given, std::vector<std::uint8_t>(4, 0), out), InvalidArgument);
}

}  // namespace
}  // namespace pucker
