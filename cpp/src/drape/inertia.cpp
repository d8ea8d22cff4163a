#include "pucker/drape/inertia.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/errors.h"
#include "pucker/saved_run.h"

namespace pucker::drape {

namespace {

/// The formula of second order is stable up to 1 + √2 times the step before.
constexpr double kMostGrowth = 2;

}  // namespace

Inertia::Inertia(double swing, std::vector<double> shares, double farthest)
    : swing_(swing), shares_(std::move(shares)), farthest_(farthest) {
  require(std::isfinite(swing) && swing >= 0, "swing must be finite and at least 0, got ", swing);
  for (const double share : shares_)
    require(std::isfinite(share) && share >= 0, "shares of the mass must be finite and at least 0, got ", share);
}

void Inertia::start() { steps_ = 0; }

Pull Inertia::pull(const Array3& places, double passed, Array3& target) {
  if (swing_ == 0 || steps_ == 0) return {};
  const double growth = passed / passed_;
  if (steps_ == 1 || growth > kMostGrowth) {
    ahead_ = passed;
    last_ = 1;
    before_last_ = 0;
    target = places + ahead_ * velocity_;
  } else {
    last_ = (1 + growth) * (1 + growth) / (1 + 2 * growth);
    before_last_ = growth * growth / (1 + 2 * growth);
    ahead_ = (1 + growth) / (1 + 2 * growth) * passed;
    target = (last_ * places - before_last_ * before_) + ahead_ * (last_ * velocity_ - before_last_ * velocity_before_);
  }
  const double ratio = swing_ / ahead_;
  const double weight = ratio * ratio;
  // Written so that what is not finite starts anew as well.
  if (!std::isfinite(weight) || !((target - places).rowwise().squaredNorm().maxCoeff() <= farthest_ * farthest_)) {
    start();
    return {};
  }
  return {.to = &target, .weight = weight, .shares = shares_};
}

void Inertia::step(const Array3& places, const Array3& ended, double passed) {
  if (swing_ == 0) return;
  std::swap(velocity_, velocity_before_);
  if (steps_ == 0)
    velocity_ = (ended - places) / passed;
  else if (before_last_ == 0)
    velocity_ = (ended - places) / ahead_;
  else
    velocity_ = (ended - (last_ * places - before_last_ * before_)) / ahead_;
  before_ = places;
  passed_ = passed;
  steps_ = std::min(steps_ + 1, 2);
}

void Inertia::save(ByteWriter& out) const {
  out.value(steps_);
  if (steps_ == 0) return;
  out.value(passed_);
  out.matrix(velocity_);
  if (steps_ == 1) return;
  out.matrix(before_);
  out.matrix(velocity_before_);
}

void Inertia::restore(ByteReader& in, Eigen::Index count) {
  steps_ = in.value<std::int32_t>();
  require(steps_ >= 0 && steps_ <= (swing_ == 0 ? 0 : 2), "cloth with a swing of ", swing_, " s has not gone ", steps_,
          " steps");
  if (steps_ == 0) return;
  passed_ = in.value<double>();
  require(std::isfinite(passed_) && passed_ > 0, "a step must be of a finite time above 0, got ", passed_);
  const auto read = [&](Array3& out) {
    in.matrix(out);
    require(out.rows() == count, "places and velocities must be of ", count, " vertices, got ", out.rows());
    require_saved_positions(out, "places and velocities");
  };
  read(velocity_);
  if (steps_ == 1) return;
  read(before_);
  read(velocity_before_);
}

}  // namespace pucker::drape
