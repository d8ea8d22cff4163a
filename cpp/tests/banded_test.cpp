#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <vector>

#include "pucker/dynamic/persistence.h"

namespace pucker {
namespace {

/// A random symmetric positive definite matrix with `bandwidth` bands beside the diagonal.
Eigen::MatrixXd random_banded(Eigen::Index n, Eigen::Index bandwidth, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(n + bandwidth, n);
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (Eigen::Index j = std::max<Eigen::Index>(0, i - bandwidth); j <= std::min(i, n - 1); ++j)
      rows(i, j) = normal(random);
  return rows.transpose() * rows + 0.1 * Eigen::MatrixXd::Identity(n, n);
}

TEST(SolveBanded, agrees_with_a_dense_solver) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const Eigen::Index bandwidth : {0, 1, 2, 8})
    for (const Eigen::Index n : {1, 2, 3, 4, 10, 60}) {
      const Eigen::MatrixXd matrix = random_banded(n, bandwidth, random);
      Eigen::VectorXd right(n);
      for (double& value : right) value = normal(random);
      std::vector<double> bands(std::size_t(n * (bandwidth + 1)), 0.0);
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index k = 0; k <= bandwidth && i + k < n; ++k)
          bands[std::size_t(i * (bandwidth + 1) + k)] = matrix(i, i + k);
      std::vector<double> solution(right.begin(), right.end());
      solve_banded(std::size_t(bandwidth), bands, solution);
      const Eigen::VectorXd dense = matrix.ldlt().solve(right);
      for (Eigen::Index i = 0; i < n; ++i)
        EXPECT_NEAR(solution[std::size_t(i)], dense[i], 1e-9 * (1 + dense.cwiseAbs().maxCoeff()));
    }
}

TEST(SolveBanded, a_right_side_of_zeros_gives_exact_zeros) {
  std::mt19937_64 random(2);
  const Eigen::MatrixXd matrix = random_banded(20, 2, random);
  std::vector<double> bands(60, 0.0);
  for (Eigen::Index i = 0; i < 20; ++i)
    for (Eigen::Index k = 0; k <= 2 && i + k < 20; ++k) bands[std::size_t(i * 3 + k)] = matrix(i, i + k);
  std::vector<double> solution(20, 0.0);
  solve_banded(2, bands, solution);
  for (const double x : solution) EXPECT_EQ(x, 0);
}

}  // namespace
}  // namespace pucker
