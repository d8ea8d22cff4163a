/// The coarse mesh as cloth: it is brought into balance first, and detail is predicted for what that gives.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/drape/drape.h"
#include "pucker/drape/params.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// Cloth of the coarse mesh's own triangles, held to the guide as the examples' cloth is.
///
/// A skinned garment is a guide and no cloth: where a joint bends its edges shorten, and where they go nothing says.
/// The balance of a few hundred triangles takes a tenth of a millisecond and has the folds that such triangles can
/// have, in any pose. What finer cloth adds to it depends on less, and so is predicted better where no example is near.
struct GuideCloth {
  drape::Params params;
  Array3 cut;  ///< (n, 3): the pose that the garment was cut for

  /// A run over the mesh. `shared`: vertices that the rest of the character has as well, which stay on the guide.
  /// Throws InvalidArgument for parameters of a finer mesh, with contact, maps or more than kMostSteps steps in the
  /// first frame, and as drape::Drape.
  drape::Drape on(std::shared_ptr<const Mesh> mesh, std::vector<std::int32_t> shared) const;

  /// Steps of the solver that its first frame may take: a file must not keep a program busy.
  static constexpr std::int64_t kMostSteps = 10000;
};

}  // namespace pucker::byexample
