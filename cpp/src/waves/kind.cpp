#include <utility>

#include "pucker/errors.h"
#include "pucker/kind.h"
#include "pucker/waves/computed.h"

namespace pucker {

namespace {

/// Loviscach 2006.
class WavesKind final : public Kind {
 public:
  std::string_view name() const override { return "waves"; }
  std::unique_ptr<AnyParams> params() const override { return std::make_unique<ParamsOf<waves::Params>>(); }
  std::unique_ptr<Method> start(const Start& start, const AnyParams& params) const override {
    const waves::Params& values = dynamic_cast<const ParamsOf<waves::Params>&>(params).values();
    // The core reads no files; a run without what they hold would pass for one with it.
    for (const auto& [name, file] :
         {std::pair{"painting", &values.painting}, {"wavelength_map", &values.wavelength_map}})
      require(file->empty(), "params.", name, " is read by the package in Python, not here, but names ", *file);
    const Array3& rest = start.rest ? *start.rest : start.first;
    if (values.compute == waves::Compute::cpu)
      return std::make_unique<waves::WaveField>(start.mesh, rest, values, start.height);
    auto field = std::make_unique<waves::ComputedField>(start.mesh, rest, values, start.height);
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
