#include "pucker/method_type.h"
#include "pucker/dynamic/overlays.h"
#include "pucker/dynamic/tracing.h"
#include "pucker/dynamic/wrinkler.h"

namespace pucker {

namespace {

using draw::Lines;

const Wrinkler& wrinkler_of(const Method& run) { return dynamic_cast<const Wrinkler&>(run); }

std::vector<draw::Rgba8> labels(const Method& run) { return label_tints(wrinkler_of(run).state().labels); }

std::vector<Lines> ellipses(const Method& run) {
  const WrinklerState& state = wrinkler_of(run).state();
  return {ellipse_lines(run.mesh()->faces(), state.positions, state.frames, state.stretch)};
}

std::vector<Lines> reference_outlines(const Method& run) {
  const WrinklerState& state = wrinkler_of(run).state();
  return {reference_lines(run.mesh()->faces(), state.positions, state.frames, state.stretch, state.reference)};
}

/// The points that are tried in the frame.
std::vector<Lines> seeds(const Method& run) {
  const Wrinkler& wrinkler = wrinkler_of(run);
  const CompressionField field = wrinkler.field();
  std::vector<Seed> found;
  Tracer(wrinkler.mesh(), wrinkler.params()).seeds(field, wrinkler.state().frame, found);
  Array3 points(Eigen::Index(found.size()), 3);
  for (std::size_t k = 0; k < found.size(); ++k)
    points.row(Eigen::Index(k)) = field.at(found[k].triangle, found[k].barycentrics).transpose();
  return {seed_dots(points)};
}

constexpr std::array<Overlay, 5> kOverlays{{
    {"labels", "Tint triangles: contraction red, rest grey, stretching blue", false, labels, nullptr},
    {"paths", "Draw the wrinkles' paths", true, nullptr, nullptr},
    {"ellipses", "Draw the stretch of each triangle as an ellipse", false, nullptr, ellipses},
    {"reference", "Draw the reference triangles", false, nullptr, reference_outlines},
    {"seeds", "Mark the points at which paths may start", false, nullptr, seeds},
}};

/// Gillette and Peters 2015.
class DynamicMethod final : public MethodType {
 public:
  std::string_view name() const override { return "dynamic"; }
  std::unique_ptr<AnyParams> params() const override { return std::make_unique<ParamsOf<Params>>(); }
  std::unique_ptr<Method> start(const StartInput& start, const AnyParams& params) const override {
    const Params& values = dynamic_cast<const ParamsOf<Params>&>(params).values();
    return std::make_unique<Wrinkler>(start.mesh, values.for_height(start.height), Cloth{start.rest, start.shared});
  }
  std::span<const Overlay> overlays() const override { return kOverlays; }
};

}  // namespace

const MethodType& dynamic_method() {
  static const DynamicMethod method;
  return method;
}

}  // namespace pucker
