#include "pucker/byexample/example_surface.h"

#include <cmath>

#include "pucker/byexample/by_example.h"
#include "pucker/draw/content.h"

namespace pucker::byexample {

ExampleDetail::ExampleDetail(const ExampleState& state)
    : LoopDetail(*state.run().synthesis().features().mesh(), state.positions),
      state_(state),
      feature_size_(smallest_feature(state.run().synthesis().features(), subdivision()->levels())) {}

const std::shared_ptr<const LoopSubdivision>& ExampleDetail::subdivision() const {
  return state_.run().synthesis().share_subdivision();
}

const Array3& ExampleDetail::fine_positions() const { return state_.surface().positions; }

const Array3& ExampleDetail::fine_normals() const { return state_.normals(); }

std::string_view ExampleDetail::shaders() const {
  return state_.run().params().compute == Compute::gpu ? "byexample" : "";
}

draw::Content ExampleDetail::draw_content(const Vector3& origin, const draw::Continued* done) const {
  if (shaders().empty()) return {};
  return state_.run().content(state_.balance(), state_.carried(), state_.pose_weights(), origin, done);
}

double smallest_feature(const Features& features, int levels) {
  return std::ldexp(0.5 * features.mean_length(), -levels);
}

}  // namespace pucker::byexample
