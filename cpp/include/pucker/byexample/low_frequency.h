/// The low-frequency part of a displacement: what the coarse vertices of a subdivided mesh can follow.
#pragma once

#include <Eigen/SparseCholesky>

#include "pucker/mesh/loop.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// The least-squares fit of displacements by a subdivision matrix W, W (WᵀW)⁻¹ Wᵀ d: how a garment lags and slides.
class LowFrequencyPart {
 public:
  explicit LowFrequencyPart(const SparseRows& matrix);

  const SparseRows& matrix() const { return rows_; }
  /// (N, 3) of displacements (N, 3) of the fine vertices. Throws InvalidArgument for another number of them, and for
  /// what is not finite.
  Array3 of(const ConstArray3& displacements) const;

 private:
  SparseRows rows_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors_;  ///< of WᵀW
};

}  // namespace pucker::byexample
