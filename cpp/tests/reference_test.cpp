#include "pucker/dynamic/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "pucker/errors.h"

namespace pucker {
namespace {

Matrix2List random_triangles(std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> length(0.5, 2.0);
  std::uniform_real_distribution<double> shear(-1.0, 1.0);
  Matrix2List out;
  for (std::size_t t = 0; t < count; ++t)
    out.push_back((RowMatrix2() << length(random), shear(random), 0, length(random)).finished());
  return out;
}

std::vector<std::int8_t> all(std::size_t count, Label label) { return std::vector<std::int8_t>(count, label); }

double lines_apart(const RowMatrix2& a, const RowMatrix2& b) {
  return std::fabs(a(0, 0) * b(1, 0) - a(1, 0) * b(0, 0));
}

bool same_bits(const Matrix2List& a, const Matrix2List& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(RowMatrix2)) == 0;
}

constexpr std::size_t kCount = 500;

class Reference : public testing::Test {
 protected:
  std::mt19937_64 random_{5};
  Params params_;
  Matrix2List first_ = random_triangles(random_, kCount);
  Matrix2List current_ = random_triangles(random_, kCount);
};

TEST_F(Reference, starts_as_the_current_triangles) {
  EXPECT_TRUE(same_bits(ReferenceShape(first_, params_).matrices(), first_));
}

TEST_F(Reference, compress_keeps_directions_and_moves_stretches_exactly_as_stated) {
  for (const double dt : {1.0 / 30, 1.0 / 60, 0.2}) {
    ReferenceShape reference(first_, params_);
    const Stretch before = stretch(reference.matrices(), current_);
    reference.step(all(kCount, kCompress), current_, dt);
    const Stretch after = stretch(reference.matrices(), current_);
    const double keep = std::pow(0.95, dt * 30);
    for (std::size_t t = 0; t < kCount; ++t) {
      EXPECT_NEAR(after.minimum[t], keep * before.minimum[t] + 1 - keep, 1e-12);
      EXPECT_NEAR(after.maximum[t], keep * before.maximum[t] + 1 - keep, 1e-12);
      const double apart = before.maximum[t] - before.minimum[t];
      EXPECT_LT(lines_apart(after.left[t].matrix(), before.left[t].matrix()) * apart, 1e-12);
      EXPECT_LT(lines_apart(after.right[t].matrix(), before.right[t].matrix()) * apart, 1e-12);
    }
  }
}

TEST_F(Reference, compress_relaxes_to_the_current_shape) {
  ReferenceShape reference(first_, params_);
  for (int frame = 0; frame < 1000; ++frame) reference.step(all(kCount, kCompress), current_, 1.0 / 30);
  const Stretch end = stretch(reference.matrices(), current_);
  for (std::size_t t = 0; t < kCount; ++t) {
    EXPECT_NEAR(end.minimum[t], 1, 1e-12);
    EXPECT_NEAR(end.maximum[t], 1, 1e-12);
  }
}

TEST_F(Reference, rest_changes_no_bit) {
  ReferenceShape reference(first_, params_);
  reference.step(all(kCount, kRest), current_, 1.0 / 30);
  EXPECT_TRUE(same_bits(reference.matrices(), first_));
}

TEST_F(Reference, stretch_never_leaves_both_stretches_above_one) {
  ReferenceShape reference(first_, params_);
  const Stretch before = stretch(first_, current_);
  reference.step(all(kCount, kStretch), current_, 1.0 / 30);
  const Stretch after = stretch(reference.matrices(), current_);
  std::size_t replaced = 0;
  for (std::size_t t = 0; t < kCount; ++t) {
    EXPECT_FALSE(after.minimum[t] > 1 && after.maximum[t] > 1);
    const bool grown = before.minimum[t] > 1;
    replaced += grown;
    const RowMatrix2& expected = grown ? current_[t] : first_[t];
    EXPECT_EQ(reference.matrices()[t], expected) << "triangle " << t;
  }
  EXPECT_GT(replaced, 10u);
  EXPECT_LT(replaced, kCount - 10);
}

TEST_F(Reference, two_short_steps_equal_a_long_one) {
  // keep^(dt/interval) makes the relaxation a function of time alone.
  for (const double dt : {1.0 / 30, 0.01}) {
    ReferenceShape once(first_, params_);
    once.step(all(kCount, kCompress), current_, dt);
    ReferenceShape twice(first_, params_);
    twice.step(all(kCount, kCompress), current_, 0.25 * dt);
    twice.step(all(kCount, kCompress), current_, 0.75 * dt);
    const Stretch a = stretch(once.matrices(), current_);
    const Stretch b = stretch(twice.matrices(), current_);
    for (std::size_t t = 0; t < kCount; ++t) {
      EXPECT_NEAR(a.minimum[t], b.minimum[t], 1e-12);
      EXPECT_NEAR(a.maximum[t], b.maximum[t], 1e-12);
    }
  }
}

TEST_F(Reference, verbatim_keeps_the_same_share_in_every_frame) {
  params_.verbatim = true;
  ReferenceShape slow(first_, params_);
  ReferenceShape fast(first_, params_);
  slow.step(all(kCount, kCompress), current_, 1.0);
  fast.step(all(kCount, kCompress), current_, 1e-3);
  EXPECT_TRUE(same_bits(slow.matrices(), fast.matrices()));
}

TEST_F(Reference, labels_of_other_triangles_do_not_matter) {
  std::vector<std::int8_t> labels;
  for (std::size_t t = 0; t < kCount; ++t) labels.push_back(std::int8_t(t % 3));
  ReferenceShape mixed(first_, params_);
  mixed.step(labels, current_, 1.0 / 30);
  for (const Label label : {kCompress, kRest, kStretch}) {
    ReferenceShape uniform(first_, params_);
    uniform.step(all(kCount, label), current_, 1.0 / 30);
    for (std::size_t t = std::size_t(label); t < kCount; t += 3)
      EXPECT_EQ(mixed.matrices()[t], uniform.matrices()[t]) << "triangle " << t;
  }
}

TEST_F(Reference, a_triangle_without_area_is_left_as_it_is) {
  first_[0].setZero();
  current_[1].setZero();
  current_[2] << 1, 2, 0, 0;
  for (const Label label : {kCompress, kRest, kStretch}) {
    ReferenceShape reference(first_, params_);
    reference.step(all(kCount, label), current_, 1.0 / 30);
    for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(reference.matrices()[t], first_[t]) << "triangle " << t;
  }
}

TEST_F(Reference, stays_a_triangle_between_shapes_of_any_size) {
  for (const double scale : {1e-150, 1e-20, 1e-8, 1e8, 1e20, 1e150}) {
    Matrix2List scaled = current_;
    for (RowMatrix2& matrix : scaled) matrix *= scale;
    ReferenceShape reference(first_, params_);
    for (const Label label : {kCompress, kStretch}) reference.step(all(kCount, label), scaled, 1.0 / 30);
    for (const RowMatrix2& matrix : reference.matrices()) {
      EXPECT_TRUE(matrix.allFinite());
      EXPECT_GT(matrix.determinant(), 0);
    }
  }
}

TEST_F(Reference, wrong_input_changes_nothing) {
  ReferenceShape reference(first_, params_);
  std::vector<std::int8_t> bad = all(kCount, kCompress);
  bad.back() = 3;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(reference.step(bad, current_, 0.1), InvalidArgument);
  EXPECT_THROW(reference.step(all(kCount - 1, kCompress), current_, 0.1), InvalidArgument);
  EXPECT_THROW(reference.step(all(kCount, kCompress), Matrix2List(3), 0.1), InvalidArgument);
  for (const double dt : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    EXPECT_THROW(reference.step(all(kCount, kCompress), current_, dt), InvalidArgument) << dt;
  EXPECT_TRUE(same_bits(reference.matrices(), first_));
}

TEST_F(Reference, names_the_label_that_is_none) {
  ReferenceShape reference(first_, params_);
  std::vector<std::int8_t> labels = all(kCount, kCompress);
  labels[7] = -1;
  try {
    reference.step(labels, current_, 0.1);
    FAIL() << "label -1 was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("labels[7] is -1"), std::string::npos) << error.what();
  }
}

TEST_F(Reference, is_finite_not_mirrored_and_of_every_triangle) {
  EXPECT_NO_THROW(require_reference(current_, kCount));
  EXPECT_THROW(require_reference(current_, kCount - 1), InvalidArgument);
  for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Matrix2List other = current_;
    other[5](1, 1) = wrong;
    other[5](1, 0) = 0;
    EXPECT_THROW(require_reference(other, kCount), InvalidArgument) << wrong;
  }
}

TEST_F(Reference, refuses_parameters_out_of_range) {
  params_.reference.keep = 0;
  EXPECT_THROW(ReferenceShape(first_, params_), InvalidArgument);
}

}  // namespace
}  // namespace pucker
