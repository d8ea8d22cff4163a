/// The low-frequency part of a displacement: what the coarse vertices of a subdivided mesh can follow.
#pragma once

#include <Eigen/SparseCholesky>

#include "pucker/mesh/loop.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// The least-squares fit of displacements by a subdivision matrix W, W (WᵀW)⁻¹ Wᵀ d: how a garment lags and slides.
class LowFrequencyPart {
 public:
  /// What a fit is worked out in, kept from one to the next.
  struct Scratch {
    Eigen::MatrixX3d sums;
    Eigen::MatrixX3d solved;
  };

  /// Throws InvalidArgument for a matrix whose columns are not independent.
  explicit LowFrequencyPart(const SparseRows& matrix);

  const SparseRows& matrix() const { return rows_; }
  /// (N, 3) of displacements (N, 3) of the fine vertices. Throws InvalidArgument for another number of them, and for
  /// what is not finite.
  Array3 of(const ConstArray3& displacements) const;
  /// Fills `out` (n, 3) with (WᵀW)⁻¹ Wᵀ x of finite x (N, 3): where the coarse vertices are best. Does not allocate
  /// once `out` and `scratch` have their sizes.
  void fit(const ConstArray3& x, Scratch& scratch, Array3& out) const;

 private:
  SparseRows rows_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factors_;  ///< of WᵀW
};

}  // namespace pucker::byexample
