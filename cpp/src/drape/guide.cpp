#include "pucker/drape/guide.h"

#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::drape {

Levels::Levels(std::shared_ptr<const Mesh> mesh, int levels, std::span<const std::int32_t> shared, bool sewn)
    : whole_(std::make_shared<const LoopSubdivision>(mesh, levels)),
      sewing_(*whole_, shared, sewn),
      meshes_{std::move(mesh)} {
  for (int level = 0; level < levels; ++level) {
    const LoopSubdivision once(meshes_.back(), 1);
    steps_.push_back(once.matrix());
    // The same triangles as those of the whole.
    meshes_.push_back(level + 1 == levels ? whole_->fine() : once.fine());
  }
}

void Levels::place(const ConstArray3& positions, Array3& fine) const {
  multiply(whole_->matrix(), positions, fine);
  sewing_.sew(positions, fine);
}

Guide::Guide(std::shared_ptr<const Levels> levels) : levels_(std::move(levels)), frames_(levels_->whole().fine()) {}

void Guide::step(const ConstArray3& positions) {
  require_positions(*levels_->whole().coarse(), positions);
  levels_->place(positions, positions_);
  frames_.step(positions_);
}

}  // namespace pucker::drape
