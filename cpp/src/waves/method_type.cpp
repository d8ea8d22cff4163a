#include <memory>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/method_type.h"
#include "pucker/vertex_factors.h"
#include "pucker/waves/computed.h"
#include "pucker/waves/painting.h"

namespace pucker {

namespace {

const std::vector<double>& wavelengths_of(const waves::WaveField& field) { return field.wavelengths(); }
const std::vector<double>& wavelengths_of(const waves::ComputedField& field) { return field.start().wavelengths(); }

template <class Field>
void scale_wavelengths(Field& field, std::vector<double> factors) {
  const std::vector<double>& wavelengths = wavelengths_of(field);
  for (std::size_t v = 0; v < factors.size(); ++v) factors[v] *= wavelengths[v];
  field.set_wavelengths(factors);
}

/// Loviscach 2006.
class WavesMethod final : public MethodType {
 public:
  std::string_view name() const override { return "waves"; }
  std::unique_ptr<AnyParams> params() const override { return std::make_unique<ParamsOf<waves::Params>>(); }
  bool keeps_mesh(const AnyParams& params) const override {
    return dynamic_cast<const ParamsOf<waves::Params>&>(params).values().compute == waves::Compute::skinned;
  }
  std::unique_ptr<Method> start(const StartInput& start, const AnyParams& params) const override {
    const waves::Params& values = dynamic_cast<const ParamsOf<waves::Params>&>(params).values();
    const Array3& rest = start.rest ? *start.rest : start.first;
    const auto with_files = [&](auto field) {
      if (!values.wavelength_map.empty())
        scale_wavelengths(
            *field, vertex_factors(values.wavelength_map, "wavelengths", *start.mesh, start.texture, start.read_array));
      if (!values.painting.empty())
        field->set_paint(waves::Painting::read(values.painting, start.mesh, rest, start.read).vectors());
      return field;
    };
    if (values.compute == waves::Compute::cpu)
      return with_files(std::make_unique<waves::WaveField>(start.mesh, rest, values, start.height, start.shared));
    auto field =
        with_files(std::make_unique<waves::ComputedField>(start.mesh, rest, values, start.height, start.shared));
    if (values.compute == waves::Compute::gpu) return field;
    require(start.bones.has_value(), "params.compute = skinned needs a skin, the clip has none");
    field->set_bones(*start.bones);
    const std::string cut = waves::cut_warning(*start.bones);
    if (!cut.empty() && start.warn) start.warn(cut);
    return field;
  }
};

}  // namespace

const MethodType& waves_method() {
  static const WavesMethod method;
  return method;
}

}  // namespace pucker
