/// How a subdivided garment is sewn to a coarse mesh that is not subdivided, so that no gap opens between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/mesh/loop.h"
#include "pucker/types.h"

namespace pucker {

/// Draws fine vertices from their place on a smooth or detailed surface to that on the coarse mesh, in the proportion
/// in which the corners of their coarse triangle are shared, by barycentric coordinates: on a shared edge they lie on
/// the coarse edge, and one triangle away from it nothing is drawn.
class Sewing {
 public:
  /// `shared`: coarse vertices that the rest of the character has as well; if it is not `sewn` nothing is drawn. Throws
  /// InvalidArgument for vertices that there are not. It refers to the subdivision, which must outlive it.
  Sewing(const LoopSubdivision& subdivision, std::span<const std::int32_t> shared, bool sewn = true);

  /// (N,) by how much each fine vertex is drawn, in [0, 1].
  const std::vector<double>& holds() const { return holds_; }
  /// (N,): 1 for fine vertices that come from shared ones alone, else 0.
  const std::vector<std::uint8_t>& fixed() const { return fixed_; }
  /// Draws fine places (N, 3) to the coarse ones (n, 3).
  void sew(const ConstArray3& coarse, Array3& fine) const;

 private:
  const SparseRows* places_;  ///< barycentric coordinates
  std::vector<double> holds_;
  std::vector<std::uint8_t> fixed_;
  std::vector<std::int32_t> sewn_;  ///< those that are drawn
};

}  // namespace pucker
