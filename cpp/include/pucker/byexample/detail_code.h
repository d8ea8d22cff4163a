/// Details of a subdivided mesh as whole numbers, of what they are beyond the next coarser level.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/mesh/vertex_frames.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// Predicts the detail of each vertex that subdivision puts on an edge, and keeps what is beyond as multiples of a
/// step.
///
/// Of the edge's ends a and b, with the frames R of the smooth surface at rest, vertex v is predicted
/// p = Rᵥᵀ (Rₐ dₐ + R_b d_b) / 2; a vertex of the feature mesh 0. Details are mostly longer than the edges of the last
/// level, so that three quarters of the numbers are small. Ends have their decoded details, so that each number of a
/// detail is off by half a step at most.
class DetailCode {
 public:
  /// Of the feature mesh at rest (n, 3), subdivided `levels` times. Throws as SmoothSurface.
  DetailCode(std::shared_ptr<const Mesh> mesh, int levels, const ConstArray3& rest);

  std::int64_t vertex_count() const { return std::int64_t(frames_.size()); }
  /// (N, 3) whole multiples of `step` that stand for details (N, 3). Throws InvalidArgument for another shape, what is
  /// not finite, and a step that is not positive and finite.
  Array3 encode(const ConstArray3& details, double step) const;
  /// (N, 3) the details that multiples (N, 3) stand for; encoding these gives the same multiples, unless they are so
  /// large that a step is lost in rounding. Throws as encode.
  Array3 decode(const ConstArray3& multiples, double step) const;

 private:
  void require_rows(const ConstArray3& rows, double step) const;
  /// What vertex v is predicted from those before it.
  Eigen::RowVector3d predicted(std::int64_t v, const Array3& details) const;

  std::vector<RowMatrix3> frames_;                 ///< (N,)
  std::int64_t first_;                             ///< n
  std::vector<std::array<std::int32_t, 2>> ends_;  ///< (N − n,) of the edge that each further vertex is on
};

}  // namespace pucker::byexample
