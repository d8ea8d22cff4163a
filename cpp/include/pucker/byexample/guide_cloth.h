/// The coarse mesh as cloth: it is brought into balance first, and detail is predicted for what that gives.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/byexample/low_frequency.h"
#include "pucker/drape/drape.h"
#include "pucker/drape/params.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// Cloth of the coarse mesh's own triangles, or of these subdivided once, held to the guide as the examples' cloth is.
///
/// A skinned garment is a guide and no cloth: where a joint bends its edges shorten, and where they go nothing says.
/// The balance of so few triangles takes 0.1 to 3 ms, and has their folds in any pose. What finer cloth adds to it
/// depends on less, and so is predicted better where no example is near.
struct GuideCloth {
  drape::Params params;
  Array3 cut;  ///< (n, 3): the pose that the garment was cut for

  /// A run over the mesh, which keeps no layers: details are learned beyond the balance alone. `shared`: vertices that
  /// the rest of the character has as well, which stay on the guide.
  /// Throws InvalidArgument for parameters of more than kMostSubdivisions, with contact, maps or more than kMostSteps
  /// steps in the first frame, and as drape::Drape.
  drape::Drape on(std::shared_ptr<const Mesh> mesh, std::vector<std::int32_t> shared) const;

  /// Steps of the solver that its first frame may take: a file must not keep a program busy.
  static constexpr std::int64_t kMostSteps = 10000;
  static constexpr int kMostSubdivisions = 1;
};

/// The cloth of a guide, frame after frame, as positions of the coarse mesh: where its vertices are, or, of subdivided
/// cloth, the least-squares fit (WᵀW)⁻¹ Wᵀ x by the subdivision matrix.
class GuideBalance {
 public:
  /// `shared` as the cloth has them: they stay on the guide in the fit as well.
  GuideBalance(drape::Drape cloth, std::vector<std::int32_t> shared);

  const drape::Drape& cloth() const { return cloth_; }
  /// Takes the cloth to a frame. Throws as drape::Drape::advance.
  void advance(const ConstArray3& positions, double time) { cloth_.advance(positions, time); }
  /// Fills `out` (n, 3) with the balance of the last frame. Does not allocate once `out` has its size.
  void take(Array3& out);

 private:
  drape::Drape cloth_;
  std::vector<std::int32_t> shared_;
  std::shared_ptr<const LowFrequencyPart> fit_;  ///< none for cloth that is not subdivided
  LowFrequencyPart::Scratch scratch_;
};

}  // namespace pucker::byexample
