#include "pucker/dynamic/persistence.h"

#include <iterator>
#include <utility>

#include "persistence_terms.h"

namespace pucker {

Persistence::Persistence(std::shared_ptr<const Mesh> mesh, const Params& params, std::shared_ptr<WrinklePool> pool)
    : mesh_(mesh),
      params_(params),
      tracer_(std::move(mesh), params),
      bend_(params),
      pool_(pool ? std::move(pool) : std::make_shared<WrinklePool>()) {
  kept_.reserve(kUsualPoints);
}

void Persistence::move(const Motion& motion, Wrinkle& wrinkle) {
  if (params_.persistence.method == PersistenceMethod::projection) {
    move_in_space(motion, wrinkle);
  } else {
    move_on_edges(motion, wrinkle);
  }
}

void Persistence::step(const Motion& motion, SegmentIndex& occupied, std::int64_t& next_id,
                       std::vector<Wrinkle>& wrinkles) {
  for (Wrinkle& wrinkle : wrinkles) {
    wrinkle.age += motion.dt;
    if (wrinkle.alive) move(motion, wrinkle);
  }
  merge(motion.field, occupied, next_id, wrinkles);
  cut_off_.clear();
  for (Wrinkle& wrinkle : wrinkles)
    if (wrinkle.alive) change_length(motion.field, motion.dt, occupied, next_id, wrinkle, cut_off_);
  pool_->drop(wrinkles, is_empty);
  std::move(cut_off_.begin(), cut_off_.end(), std::back_inserter(wrinkles));
}

}  // namespace pucker
