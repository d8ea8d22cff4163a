/// The fine mesh that one frame puts over the coarse one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/byexample/features.h"
#include "pucker/method.h"

namespace pucker::byexample {

class ExampleState;

/// The surface of one frame. It refers to the frame's state, which must outlive it.
class ExampleDetail final : public Detail {
 public:
  explicit ExampleDetail(const ExampleState& state);

  const std::shared_ptr<const LoopSubdivision>& subdivision() const;
  /// (N, 3) of the fine mesh.
  const Array3& fine_positions() const;
  /// (N, 3), unit; zero for a vertex without area.
  const Array3& fine_normals() const;

  /// The point that the subdivision brings over the base, on the triangles of the fine mesh; normals are interpolated
  /// from its vertices. Over a degenerate triangle, which has no fine ones, between its corners on the fine mesh.
  SurfacePoints evaluate(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const override;
  const Subdivision* own_mesh() const override { return &subdivision()->places(); }
  /// Where the parameters say that it is made where it is drawn.
  std::string_view shaders() const override;
  draw::Content draw_content(const Vector3& origin, const draw::Continued* done) const override;
  std::vector<std::uint8_t> reached() const override;
  double feature_size() const override { return feature_size_; }
  /// Two edges of the fine mesh, of each triangle's mean in the frame, at least feature_size(): what it can show. (m,)
  std::vector<double> feature_sizes() const override;
  /// As far to either side as the fine vertex that is farthest from its base.
  std::array<double, 2> offset_range() const override;
  /// Those of the fine mesh, whatever the target, unless `limit` is below.
  std::vector<std::int32_t> edge_levels(double target_edge, int limit = 64) const override;

 private:
  const ExampleState& state_;
  double feature_size_;
};

/// Half of the mean length of the fine mesh's edges at rest, in the unit of the rest pose: of the smallest feature that
/// there can be, as coarse triangles, and with them fine ones, are of different sizes.
double smallest_feature(const Features& features, int levels);

}  // namespace pucker::byexample
