/// A detail that is a finer mesh of its own: a coarse mesh, subdivided by Loop's rules and then moved.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/mesh/loop.h"
#include "pucker/method.h"

namespace pucker {

/// A method's own detail says which mesh it is and where the vertices lie in its frame.
class LoopDetail : public Detail {
 public:
  virtual const std::shared_ptr<const LoopSubdivision>& subdivision() const = 0;
  /// (N, 3) of the fine mesh.
  virtual const Array3& fine_positions() const = 0;
  /// (N, 3), unit; zero for a vertex without area.
  virtual const Array3& fine_normals() const = 0;

  /// The point that the subdivision brings over the base, on the triangles of the fine mesh; normals are interpolated
  /// from its vertices. Over a degenerate triangle, which has no fine ones, between its corners on the fine mesh.
  void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                     Evaluation& out) const override;
  const Subdivision* own_mesh() const override { return &subdivision()->places(); }
  std::vector<std::uint8_t> reached() const override;
  /// Two edges of the fine mesh, of each triangle's mean in the frame, at least feature_size(): what it can show. (m,)
  std::vector<double> feature_sizes() const override;
  /// As far to either side as the fine vertex that is farthest from its base.
  std::array<double, 2> offset_range() const override;
  /// Those of the fine mesh, whatever the target, unless `limit` is below.
  std::vector<std::int32_t> edge_levels(double target_edge, int limit = 64) const override;

 protected:
  using Detail::Detail;
};

}  // namespace pucker
