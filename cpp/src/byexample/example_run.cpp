#include "pucker/byexample/example_run.h"

#include <algorithm>
#include <utility>

#include "pucker/draw/content.h"
#include "pucker/errors.h"

namespace pucker::byexample {

namespace {

double extent_of(const Array3& positions) {
  return positions.rows() == 0 ? 0 : (positions.colwise().maxCoeff() - positions.colwise().minCoeff()).norm();
}

}  // namespace

ExampleRun::ExampleRun(Synthesis synthesis, Params params, std::vector<std::int32_t> shared)
    : params_(std::move(params)),
      extent_(extent_of(synthesis.features().rest())),
      shared_(std::move(shared)),
      synthesis_(std::move(synthesis)),
      normals_(*synthesis_.subdivision().fine()) {
  params_.validate();
  const std::int64_t count = synthesis_.features().mesh()->vertex_count();
  std::vector<std::uint8_t> is_shared(std::size_t(count), 0);
  for (const std::int32_t v : shared_) {
    require(v >= 0 && v < count, "shared vertices must lie in [0, ", count, "), got ", v);
    is_shared[std::size_t(v)] = 1;
  }
  const SparseRows& places = synthesis_.subdivision().barycentrics();
  holds_.assign(std::size_t(places.rows()), 0);
  if (!params_.sewn) return;
  for (std::int32_t v = 0; v < places.rows(); ++v) {
    double& hold = holds_[std::size_t(v)];
    for (SparseRows::InnerIterator entry(places, v); entry; ++entry)
      if (is_shared[std::size_t(entry.col())] != 0) hold += entry.value();
    if (hold > 0) sewn_.push_back(v);
  }
}

void ExampleRun::weigh(const ConstArray3& positions, const Before* before, Synthesised& out) const {
  const std::scoped_lock lock(mutex_);
  synthesis_.weigh(positions, out, before);
  fade(out.pose_weights);
}

void ExampleRun::make(const ConstArray3& positions, const Array3& carry, Synthesised& out, Array3& normals,
                      Stopwatch* watch) const {
  const std::scoped_lock lock(mutex_);
  synthesis_.blend(positions, out, params_.gain);
  if (carry.rows() > 0) {
    multiply(synthesis_.subdivision().matrix(), carry, carried_);
    out.positions += carried_;
  }
  sew(positions, out.positions);
  if (watch != nullptr) watch->lap(Stage::detail);
  normals_.step(out.positions, normals);
  if (watch != nullptr) watch->lap(Stage::normals);
}

draw::Content ExampleRun::content(const ConstArray3& positions, const Array3& carry, const Table& weights,
                                  const Vector3& origin, const draw::Continued* done) const {
  std::shared_ptr<const ComputedSurface> computed;
  {
    const std::scoped_lock lock(mutex_);
    if (!computed_) computed_ = std::make_shared<const ComputedSurface>(synthesis_, normals_, holds_, params_.gain);
    computed = computed_;
  }
  return computed->content(positions, carry, weights, origin, done);
}

void ExampleRun::fade(Table& weights) const {
  if (params_.reach == 0) return;
  const std::vector<double>& distances = synthesis_.nearest();
  for (Eigen::Index point = 0; point < weights.rows(); ++point) {
    const double beyond = std::clamp(distances[std::size_t(point)] / params_.reach - 1, 0.0, 1.0);
    weights.row(point) *= 1 - beyond * beyond * (3 - 2 * beyond);
  }
}

void ExampleRun::sew(const ConstArray3& positions, Array3& fine) const {
  const SparseRows& places = synthesis_.subdivision().barycentrics();
  for (const std::int32_t v : sewn_) {
    Eigen::RowVector3d base = Eigen::RowVector3d::Zero();
    for (SparseRows::InnerIterator entry(places, v); entry; ++entry) base += entry.value() * positions.row(entry.col());
    auto place = fine.row(v);
    place += holds_[std::size_t(v)] * (base - place);
  }
}

}  // namespace pucker::byexample
