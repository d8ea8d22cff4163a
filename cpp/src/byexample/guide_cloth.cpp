#include "pucker/byexample/guide_cloth.h"

#include <utility>

#include "pucker/errors.h"

namespace pucker::byexample {

drape::Drape GuideCloth::on(std::shared_ptr<const Mesh> mesh, std::vector<std::int32_t> shared) const {
  params.validate();
  require(params.levels == 0, "the cloth of a guide has its triangles, so its levels must be 0, not ", params.levels);
  require(!params.contact, "the cloth of a guide has no body, so its contact must be false");
  require(params.stiffness_map.empty() && params.tightness_map.empty(), "the cloth of a guide has no maps");
  const std::int64_t steps = std::int64_t(params.iterations) * params.settling;
  require(steps <= kMostSteps, "the cloth of a guide may take ", kMostSteps, " steps in its first frame, not ", steps);
  return {std::move(mesh), cut, params, std::move(shared)};
}

}  // namespace pucker::byexample
