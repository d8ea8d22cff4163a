#include "pucker/byexample/detail_code.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "byexample_shapes.h"
#include "pucker/byexample/synthesis.h"
#include "pucker/errors.h"

namespace pucker::byexample {
namespace {

constexpr int kLevels = 2;
constexpr double kStep = 1e-3;

class Coded : public testing::Test {
 protected:
  SmoothSurface smooth_{tube(), kLevels, bent(0)};
  DetailCode code_{tube(), kLevels, bent(0)};
  const Eigen::Index coarse_ = bent(0).rows();

  Array3 random_details() const {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(0, 0.02);
    return Array3::NullaryExpr(smooth_.positions().rows(), 3, [&] { return normal(random); });
  }
  /// What shifts the whole surface by `by`, in its frames.
  Array3 shift(const Vector3& by) const {
    Array3 out;
    smooth_.detail_of(smooth_.positions().rowwise() + by.transpose(), out);
    return out;
  }
};

TEST_F(Coded, each_number_is_off_by_half_a_step_at_most) {
  const Array3 details = random_details();
  const Array3 decoded = code_.decode(code_.encode(details, kStep), kStep);
  EXPECT_LE((decoded - details).cwiseAbs().maxCoeff(), 0.5 * kStep * (1 + 1e-9));
}

TEST_F(Coded, what_is_decoded_is_encoded_as_before) {
  const Array3 multiples = code_.encode(random_details(), kStep);
  EXPECT_EQ(multiples, multiples.array().rint().matrix());
  EXPECT_EQ(code_.encode(code_.decode(multiples, kStep), kStep), multiples);
}

TEST_F(Coded, a_shift_of_the_whole_is_all_in_the_coarse_vertices) {
  // The mean of two details that are off by half a step in each direction is off by no more, so that one step is left.
  const Array3 multiples = code_.encode(shift({0.3, -0.2, 0.1}), kStep);
  EXPECT_GT(multiples.topRows(coarse_).rowwise().norm().minCoeff(), 300);
  EXPECT_LE(multiples.bottomRows(multiples.rows() - coarse_).cwiseAbs().maxCoeff(), 1);
}

TEST_F(Coded, without_levels_multiples_are_those_of_the_details) {
  const DetailCode code(tube(), 0, bent(0));
  const Array3 details = random_details().topRows(coarse_);
  EXPECT_EQ(code.encode(details, kStep), (details / kStep).array().rint().matrix());
}

TEST_F(Coded, what_does_not_fit_is_refused) {
  Array3 details = random_details();
  EXPECT_THROW(code_.encode(details.topRows(5), kStep), InvalidArgument);
  for (const double step : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(code_.encode(details, step), InvalidArgument);
    EXPECT_THROW(code_.decode(details, step), InvalidArgument);
  }
  details(3, 1) = std::nan("");
  EXPECT_THROW(code_.encode(details, kStep), InvalidArgument);
  EXPECT_THROW(DetailCode(tube(), -1, bent(0)), InvalidArgument);
}

}  // namespace
}  // namespace pucker::byexample
