#include "pucker/dynamic/persistence.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "blocks.h"
#include "persistence_terms.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// Parts of the paths for each thread, so that one whose paths cost more does not keep the others waiting.
constexpr std::size_t kPartsPerThread = 8;

}  // namespace

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

void Persistence::move_all(const Motion& motion, std::vector<Wrinkle>& wrinkles) {
  const auto move_some = [&](Persistence& mover, std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      wrinkles[w].age += motion.dt;
      if (wrinkles[w].alive) mover.move(motion, wrinkles[w]);
    }
  };
  const std::size_t threads = threads_for(wrinkles.size() / kPathsTaken);
  if (threads == 1) return move_some(*this, 0, wrinkles.size());
  // Paths do not know of each other yet. Parts have about as many paths; each works in memory of its own.
  const std::size_t parts = std::min(kPartsPerThread * threads, wrinkles.size() / kLeastBlocks);
  while (movers_.size() < parts) movers_.push_back(std::make_unique<Persistence>(mesh_, params_));
  parallel_for(parts, threads, Taking::parts, [&](std::size_t part) {
    move_some(*movers_[part], wrinkles.size() * part / parts, wrinkles.size() * (part + 1) / parts);
  });
}

void Persistence::step(const Motion& motion, SegmentIndex& occupied, std::int64_t& next_id,
                       std::vector<Wrinkle>& wrinkles) {
  move_all(motion, wrinkles);
  merge(motion.field, occupied, next_id, wrinkles);
  cut_off_.clear();
  for (Wrinkle& wrinkle : wrinkles)
    if (wrinkle.alive) change_length(motion.field, motion.dt, occupied, next_id, wrinkle, cut_off_);
  pool_->drop(wrinkles, is_empty);
  std::move(cut_off_.begin(), cut_off_.end(), std::back_inserter(wrinkles));
}

}  // namespace pucker
