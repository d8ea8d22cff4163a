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
      sewing_(synthesis_.subdivision(), shared_, params_.sewn),
      normals_(*synthesis_.subdivision().fine()) {
  params_.validate();
}

void ExampleRun::weigh(const ConstArray3& positions, const Array3& guide, const Before* before,
                       Synthesised& out) const {
  const std::scoped_lock lock(mutex_);
  synthesis_.weigh(positions, out, before, &guide);
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
  sewing_.sew(positions, out.positions);
  if (watch != nullptr) watch->lap(Stage::detail);
  normals_.step(out.positions, normals);
  if (watch != nullptr) watch->lap(Stage::normals);
}

draw::Content ExampleRun::content(const ConstArray3& positions, const Array3& carry, const Table& weights,
                                  const Vector3& origin, const draw::Continued* done) const {
  std::shared_ptr<const ComputedSurface> computed;
  {
    const std::scoped_lock lock(mutex_);
    if (!computed_)
      computed_ = std::make_shared<const ComputedSurface>(synthesis_, normals_, sewing_.holds(), params_.gain);
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

}  // namespace pucker::byexample
