#include <memory>
#include <utility>

#include "pucker/errors.h"
#include "pucker/kind.h"
#include "pucker/waves/computed.h"
#include "pucker/waves/painting.h"

namespace pucker {

namespace {

/// Loviscach 2006.
class WavesKind final : public Kind {
 public:
  std::string_view name() const override { return "waves"; }
  std::unique_ptr<AnyParams> params() const override { return std::make_unique<ParamsOf<waves::Params>>(); }
  std::unique_ptr<Method> start(const Start& start, const AnyParams& params) const override {
    const waves::Params& values = dynamic_cast<const ParamsOf<waves::Params>&>(params).values();
    // The core reads no pictures; a run without what they hold would pass for one with it.
    require(values.wavelength_map.empty(),
            "params.wavelength_map is read by the package in Python, not here, but names ", values.wavelength_map);
    const Array3& rest = start.rest ? *start.rest : start.first;
    const auto painted = [&](auto field) {
      if (!values.painting.empty())
        field->set_paint(waves::Painting::read(values.painting, start.mesh, rest, start.read).vectors());
      return field;
    };
    if (values.compute == waves::Compute::cpu)
      return painted(std::make_unique<waves::WaveField>(start.mesh, rest, values, start.height));
    auto field = painted(std::make_unique<waves::ComputedField>(start.mesh, rest, values, start.height));
    if (values.compute == waves::Compute::gpu) return field;
    require(start.bones.has_value(), "params.compute = skinned needs a skin, the clip has none");
    field->set_bones(*start.bones);
    const std::string cut = waves::told_of_cut(*start.bones);
    if (!cut.empty() && start.warn) start.warn(cut);
    return field;
  }
};

}  // namespace

const Kind& waves_kind() {
  static const WavesKind kind;
  return kind;
}

}  // namespace pucker
