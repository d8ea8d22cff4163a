#include "pucker/byexample/low_frequency.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::byexample {
namespace {

Array3 waves(Eigen::Index count, double scale) {
  return Array3::NullaryExpr(count, 3, [&](Eigen::Index i, Eigen::Index axis) {
    return scale * std::sin(1.7 * double(i) + double(axis) * double(i + 1));
  });
}

std::vector<SparseRows> matrices() {
  const shapes::Surface ball = shapes::sphere(1);
  std::vector<SparseRows> found;
  for (const int levels : {0, 1, 2}) {
    for (const auto& mesh : {std::make_shared<const Mesh>(shapes::grid(4, 3), 20),
                             std::make_shared<const Mesh>(ball.faces, ball.positions.rows()),
                             std::make_shared<const Mesh>(shapes::faces({{0, 1, 2}, {1, 0, 4}, {2, 7, 8}}), 10)})
      found.push_back(LoopSubdivision(mesh, levels).matrix());
  }
  return found;
}

TEST(LowFrequencyPart, is_the_least_squares_fit_by_a_dense_decomposition) {
  for (const SparseRows& matrix : matrices())
    for (const double scale : {1e-8, 1.0, 1e8}) {
      const Array3 away = waves(matrix.rows(), scale);
      const Eigen::MatrixXd dense = matrix;
      const Eigen::MatrixXd fitted = dense * dense.colPivHouseholderQr().solve(away);
      EXPECT_LT((LowFrequencyPart(matrix).of(away) - fitted).cwiseAbs().maxCoeff(), 1e-11 * scale);
    }
}

TEST(LowFrequencyPart, of_a_subdivided_displacement_is_that_displacement) {
  for (const SparseRows& matrix : matrices()) {
    Array3 smooth;
    multiply(matrix, waves(matrix.cols(), 1), smooth);
    EXPECT_LT((LowFrequencyPart(matrix).of(smooth) - smooth).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(LowFrequencyPart, leaves_a_rest_without_slow_part) {
  for (const SparseRows& matrix : matrices()) {
    const LowFrequencyPart slow(matrix);
    const Array3 away = waves(matrix.rows(), 1);
    EXPECT_LT(slow.of(away - slow.of(away)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(LowFrequencyPart, refuses_another_number_of_displacements_and_what_is_not_finite) {
  const LowFrequencyPart slow(matrices().front());
  EXPECT_THROW(static_cast<void>(slow.of(waves(19, 1))), InvalidArgument);
  Array3 away = waves(20, 1);
  away(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(slow.of(away)), InvalidArgument);
}

}  // namespace
}  // namespace pucker::byexample
