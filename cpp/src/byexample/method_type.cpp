#include "pucker/method_type.h"

#include "pucker/byexample/by_example.h"
#include "pucker/byexample/trained.h"
#include "pucker/errors.h"

namespace pucker {

namespace {

using byexample::TrainedSet;

/// The set that the parameters name.
TrainedSet trained_set(const byexample::Params& params, const ReadArrays& read) {
  require(!params.trained.empty(),
          "the method byexample needs a trained set: --trained FILE.npz, or params.trained in a program");
  return byexample::read_trained(params.trained, read);
}

const byexample::Params& values_of(const AnyParams& params) {
  return dynamic_cast<const ParamsOf<byexample::Params>&>(params).values();
}

/// Zurdo, Brito and Otaduy 2013.
class ExampleMethod final : public MethodType {
 public:
  std::string_view name() const override { return "byexample"; }
  std::unique_ptr<AnyParams> params() const override { return std::make_unique<ParamsOf<byexample::Params>>(); }
  std::vector<std::string> parts(const AnyParams& params, const ReadArrays& read) const override {
    return trained_set(values_of(params), read).parts;
  }
  bool keeps_mesh(const AnyParams& /*params*/) const override { return true; }
  std::unique_ptr<Method> start(const StartInput& start, const AnyParams& params) const override {
    const byexample::Params& values = values_of(params);
    const TrainedSet set = trained_set(values, start.read);
    byexample::Synthesis synthesis = synthesis_of(set, start.mesh);
    if (start.rest) {
      require_rest_of_set(synthesis.features(), *start.rest);
    } else {
      require_unit_of_set(synthesis.features(), start.first);
    }
    return std::make_unique<byexample::ByExample>(std::move(synthesis), values, start.shared, set.cloth);
  }
};

}  // namespace

const MethodType& byexample_method() {
  static const ExampleMethod method;
  return method;
}

}  // namespace pucker
