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
  const Eigen::MatrixX3d fitted = factors_.solve(rows_.transpose() * displacements);
  return rows_ * fitted;
}

}  // namespace pucker::byexample
