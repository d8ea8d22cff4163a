#include "soak/course.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pucker::soak {

namespace {

double longest_side(const Array3& positions) {
  if (positions.rows() == 0) return 1;
  const double side = (positions.colwise().maxCoeff() - positions.colwise().minCoeff()).maxCoeff();
  return side > 0 ? side : 1;
}

}  // namespace

Course::Course(const Cloth& cloth, double interval, Draws& draws)
    : cloth_(cloth),
      draws_(draws),
      interval_(interval),
      scale_(draws.chance(0.5) ? 1 : draws.logarithmic(1e-6, 1e6)),
      calmness_(draws.chance(0.3) ? 1 : draws.uniform(0.7, 0.98)),
      even_(draws.chance(0.5)),
      time_(draws.chance(0.8) ? 0 : draws.uniform(-1e6, 1e6)) {
  size_ = scale_ * longest_side(cloth.rest);
  offset_ = draws.chance(0.6) ? Vector3(0, 0, 0) : Vector3(size_ * draws.logarithmic(1, 1e6) * draws.direction());
  if (draws.chance(0.3)) turn_ = draws.rotation();
  if (!cloth.clip) {
    const double unit = longest_side(cloth.rest);
    motion_.emplace(cloth.rest / unit, draws.chance(0.1) ? 0 : draws.logarithmic(0.01, 0.5),
                    std::uint64_t(draws.below(std::int64_t(1) << 62)));
  }
}

Array3 Course::placed(const Array3& shape) const {
  return ((scale_ * shape) * turn_.transpose()).rowwise() + offset_.transpose();
}

Array3 Course::undisturbed() {
  if (cloth_.clip) return placed(cloth_.clip->positions(frame_ % cloth_.clip->frame_count()));
  return placed(motion_->at(phase_) * longest_side(cloth_.rest));
}

void Course::begin_disaster() {
  disaster_ = Disaster(1 + draws_.below(6));
  left_ = disaster_ == Disaster::rest ? int(1 + draws_.below(90)) : int(1 + draws_.below(5));
  axis_ = draws_.direction();
  flattened_ = int(1 + draws_.below(3));
  strength_ = disaster_ == Disaster::explosion ? draws_.logarithmic(1e-6, 1e6) : draws_.logarithmic(1e-6, 10);
  if (draws_.chance(0.2)) {  // a teleport as well
    offset_ += size_ * draws_.logarithmic(0.1, 1e4) * draws_.direction();
    turn_ = draws_.rotation();
  }
}

void Course::disturb(Array3& positions) {
  const Vector3 middle = positions.rows() > 0 ? Vector3(positions.colwise().mean().transpose()) : Vector3::Zero();
  switch (disaster_) {
    case Disaster::none:
    case Disaster::rest:
      return;
    case Disaster::explosion:
      positions = (strength_ * (positions.rowwise() - middle.transpose())).rowwise() + middle.transpose();
      for (Eigen::Index v = 0; v < positions.rows() && strength_ > 1; ++v)
        positions.row(v) += size_ * draws_.uniform(0, strength_) * draws_.direction().transpose();
      return;
    case Disaster::collapse: {
      // Onto a plane, a line or a point.
      Eigen::Matrix3d kept = Eigen::Matrix3d::Identity() - axis_ * axis_.transpose();
      if (flattened_ == 2) kept = axis_ * axis_.transpose();
      if (flattened_ == 3) kept.setZero();
      positions = ((positions.rowwise() - middle.transpose()) * kept).rowwise() + middle.transpose();
      return;
    }
    case Disaster::mirror: {
      const Eigen::Matrix3d image = Eigen::Matrix3d::Identity() - 2 * axis_ * axis_.transpose();
      positions = ((positions.rowwise() - middle.transpose()) * image).rowwise() + middle.transpose();
      return;
    }
    case Disaster::noise:
      positions += Array3::NullaryExpr(positions.rows(), 3, [&] { return 0.1 * strength_ * size_ * draws_.normal(); });
      return;
    case Disaster::spike:
      if (positions.rows() == 0) return;
      positions.row(draws_.below(positions.rows())) += 10 * strength_ * size_ * axis_.transpose();
      return;
  }
}

double Course::step() {
  if (even_ || draws_.chance(0.7)) return interval_;
  if (draws_.chance(0.7)) return draws_.uniform(0.2, 3) * interval_;
  return draws_.logarithmic(1e-9, 3e7);
}

Shot Course::next() {
  Shot out;
  if (frame_ > 0) {
    const double dt = step();
    out.time = std::max(time_ + dt, std::nextafter(time_, std::numeric_limits<double>::infinity()));
    phase_ += std::min(dt, 0.1);
    if (left_ > 0 && --left_ == 0) disaster_ = Disaster::none;
    if (left_ == 0 && !draws_.chance(calmness_)) begin_disaster();
    out.still = disaster_ == Disaster::rest && std::abs(dt - interval_) <= 1e-12;
  } else {
    out.time = time_;
  }
  if (disaster_ == Disaster::rest && frame_ > 0) {
    out.positions = last_;
  } else {
    out.positions = undisturbed();
    disturb(out.positions);
  }
  time_ = out.time;
  last_ = out.positions;
  ++frame_;
  return out;
}

}  // namespace pucker::soak
