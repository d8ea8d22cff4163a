/// The fine mesh that one frame puts over the coarse one.
#pragma once

#include <memory>
#include <string_view>

#include "pucker/byexample/features.h"
#include "pucker/loop_detail.h"

namespace pucker::byexample {

class ExampleState;

/// The surface of one frame. It refers to the frame's state, which must outlive it.
class ExampleDetail final : public LoopDetail {
 public:
  explicit ExampleDetail(const ExampleState& state);

  const std::shared_ptr<const LoopSubdivision>& subdivision() const override;
  const Array3& fine_positions() const override;
  const Array3& fine_normals() const override;

  /// Where the parameters say that it is made where it is drawn.
  std::string_view shaders() const override;
  draw::Content draw_content(const Vector3& origin, const draw::Continued* done) const override;
  double feature_size() const override { return feature_size_; }

 private:
  const ExampleState& state_;
  double feature_size_;
};

/// Half of the mean length of the fine mesh's edges at rest, in the unit of the rest pose: of the smallest feature that
/// there can be, as coarse triangles, and with them fine ones, are of different sizes.
double smallest_feature(const Features& features, int levels);

}  // namespace pucker::byexample
