#include "pucker/method_type.h"

#include "pucker/drape/computed.h"
#include "pucker/drape/drape.h"
#include "pucker/drape/overlays.h"
#include "pucker/errors.h"
#include "pucker/vertex_factors.h"

namespace pucker {

namespace {

/// What keeps the cloth out of who wears it; where he is not known in the cut pose, he is taken in the first frame.
std::shared_ptr<const drape::Body> body_of(const StartInput& start, const drape::Params& params, Array3 Wearer::*cut) {
  if (!params.contact || !start.wearer) return nullptr;
  Wearer wearer = start.wearer();
  if (wearer.faces.rows() == 0) return nullptr;
  Array3 at = cut == nullptr ? Array3(0, 3) : wearer.*cut;
  if (at.rows() == 0) at = Eigen::Map<const Array3>(wearer.positions.data(), wearer.vertices, 3);
  return std::make_shared<const drape::Body>(std::move(wearer.faces), std::move(wearer.positions), std::move(at));
}

drape::Maps maps_of(const StartInput& start, const drape::Params& params) {
  const auto read = [&](const std::string& path, const char* what) {
    return path.empty() ? std::vector<double>{}
                        : vertex_factors(path, what, *start.mesh, start.texture, start.read_array);
  };
  return {.stiffness = read(params.stiffness_map, "stiffness"), .tightness = read(params.tightness_map, "tightness")};
}

const drape::DrapeState& state_of(const Method& run) {
  if (const auto* computed = dynamic_cast<const drape::ComputedDrape*>(&run)) return computed->state().reference();
  return dynamic_cast<const drape::Drape&>(run).state();
}

template <drape::TriangleQuantity what>
std::vector<draw::Rgba8> tints(const Method& run) {
  return drape::tints_of(state_of(run), what);
}

constexpr std::array<Overlay, 8> kDrapeOverlays{{
    {"strain_before", "Tint triangles by what the guide is longer (blue) or shorter (red) than cut", false,
     tints<drape::TriangleQuantity::strain_before>, nullptr},
    {"strain_after", "Tint triangles by what the draped cloth is longer (blue) or shorter (red) than cut", false,
     tints<drape::TriangleQuantity::strain_after>, nullptr},
    {"fold_sizes", "Tint triangles by how far the cloth may leave the guide", false,
     tints<drape::TriangleQuantity::fold_sizes>, nullptr},
    {"wavelengths", "Tint triangles by the length of their folds", false, tints<drape::TriangleQuantity::wavelengths>,
     nullptr},
    {"hold", "Tint triangles by how far the cloth is from the guide, over how far it may be", false,
     tints<drape::TriangleQuantity::hold>, nullptr},
    {"hold_force", "Tint triangles by how hard the guide pulls the cloth", false,
     tints<drape::TriangleQuantity::hold_force>, nullptr},
    {"contact", "Tint triangles by how much of the cloth lies on the body", false,
     tints<drape::TriangleQuantity::contact>, nullptr},
    {"residual", "Tint triangles by how far the solver left the cloth from balance", false,
     tints<drape::TriangleQuantity::residual>, nullptr},
}};

/// Müller and Chentanez 2010.
class DrapeMethod final : public MethodType {
 public:
  std::string_view name() const override { return "drape"; }
  std::unique_ptr<AnyParams> params() const override { return std::make_unique<ParamsOf<drape::Params>>(); }
  bool keeps_mesh(const AnyParams& params) const override {
    return drape::keeps_mesh(dynamic_cast<const ParamsOf<drape::Params>&>(params).values());
  }
  std::unique_ptr<Method> start(const StartInput& start, const AnyParams& params) const override {
    const drape::Params& values = dynamic_cast<const ParamsOf<drape::Params>&>(params).values();
    require(values.cut.empty() || values.cut == "rest" || values.cut == "first",
            "params.cut must be rest or first here, as a program without Python reads no pose from a file, got '",
            values.cut, "'");
    require(values.cut != "rest" || start.rest.has_value(), "params.cut = rest needs a rest pose, the clip has none");
    const bool found = values.cut.empty();
    const auto made = [&](const Array3& cut, const std::string& from, Array3 Wearer::*at) -> std::unique_ptr<Method> {
      const auto begun = [&](auto run) -> std::unique_ptr<Method> {
        const std::string told = run->body_warning();
        if (!told.empty() && start.warn) start.warn(told);
        return run;
      };
      std::shared_ptr<const drape::Body> body = body_of(start, values, at);
      drape::Maps maps = maps_of(start, values);
      if (values.compute == drape::Compute::gpu)
        return begun(std::make_unique<drape::ComputedDrape>(start.mesh, cut, values, start.shared, from,
                                                            std::move(body), std::move(maps)));
      return begun(std::make_unique<drape::Drape>(start.mesh, cut, values, start.shared, from, std::move(body),
                                                  std::move(maps)));
    };
    if (found && start.standing) return made(*start.standing, start.standing_from, &Wearer::standing);
    const bool first = values.cut == "first" || !start.rest;
    const char* const from = first ? "its first frame" : "its rest pose";
    if (found && start.warn)
      start.warn(
          message("the clip has no pose in which the character stands with its arms low, so the garment is taken "
                  "as cut for ",
                  from));
    return made(first ? start.first : *start.rest, from, first ? nullptr : &Wearer::rest);
  }
  std::span<const Overlay> overlays() const override { return kDrapeOverlays; }
};

}  // namespace

const MethodType& drape_method() {
  static const DrapeMethod method;
  return method;
}

}  // namespace pucker
