#include "pucker/byexample/low_frequency.h"

#include "pucker/errors.h"

namespace pucker::byexample {

LowFrequencyPart::LowFrequencyPart(const SparseRows& matrix) : rows_(matrix) {
  const Eigen::SparseMatrix<double> columns = rows_;
  factors_.compute(columns.transpose() * columns);
  require(factors_.info() == Eigen::Success, "the subdivision of ", columns.cols(),
          " vertices does not tell them apart: no displacement of theirs can be fitted");
}

Array3 LowFrequencyPart::of(const ConstArray3& displacements) const {
  require(displacements.rows() == rows_.rows(), "there must be a displacement for each of ", rows_.rows(),
          " fine vertices, not ", displacements.rows());
  require(displacements.allFinite(), "displacements must be finite");
  Scratch scratch;
  Array3 fitted;
  fit(displacements, scratch, fitted);
  return rows_ * fitted;
}

void LowFrequencyPart::fit(const ConstArray3& x, Scratch& scratch, Array3& out) const {
  scratch.sums.noalias() = rows_.transpose() * x;
  // Step by step, as Eigen's solve() allocates.
  scratch.solved.noalias() = factors_.permutationP() * scratch.sums;
  factors_.matrixL().solveInPlace(scratch.solved);
  factors_.matrixU().solveInPlace(scratch.solved);
  scratch.sums.noalias() = factors_.permutationPinv() * scratch.solved;
  out = scratch.sums;
}

}  // namespace pucker::byexample
