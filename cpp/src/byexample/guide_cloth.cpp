#include "pucker/byexample/guide_cloth.h"

#include <utility>

#include "pucker/errors.h"

namespace pucker::byexample {

drape::Drape GuideCloth::on(std::shared_ptr<const Mesh> mesh, std::vector<std::int32_t> shared) const {
  params.validate();
  require(params.levels >= 0 && params.levels <= kMostSubdivisions, "the cloth of a guide has 0 to ", kMostSubdivisions,
          " levels, not ", params.levels);
  require(!params.contact, "the cloth of a guide has no body, so its contact must be false");
  require(params.stiffness_map.empty() && params.tightness_map.empty(), "the cloth of a guide has no maps");
  const std::int64_t steps = std::int64_t(params.iterations) * params.settling;
  require(steps <= kMostSteps, "the cloth of a guide may take ", kMostSteps, " steps in its first frame, not ", steps);
  drape::Params balance = params;
  balance.layers = false;
  return {std::move(mesh), cut, std::move(balance), std::move(shared)};
}

GuideBalance::GuideBalance(drape::Drape cloth, std::vector<std::int32_t> shared)
    : cloth_(std::move(cloth)), shared_(std::move(shared)) {
  const LoopSubdivision& subdivision = cloth_.setting().levels->whole();
  if (subdivision.levels() > 0) fit_ = std::make_shared<const LowFrequencyPart>(subdivision.matrix());
}

void GuideBalance::take(Array3& out) {
  const drape::DrapeState& state = cloth_.state();
  if (fit_ == nullptr) {
    out = state.draped;
    return;
  }
  fit_->fit(state.draped, scratch_, out);
  for (const std::int32_t v : shared_) out.row(v) = state.positions.row(v);
}

}  // namespace pucker::byexample
