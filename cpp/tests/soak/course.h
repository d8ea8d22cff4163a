/// How a cloth moves in one episode of the soak: smoothly, or from one disaster to the next.
#pragma once

#include <optional>

#include "motion.h"
#include "soak/cloths.h"
#include "soak/draws.h"

namespace pucker::soak {

/// One frame to be shown to a run.
struct Shot {
  Array3 positions;
  double time = 0;
  bool still = false;  ///< the cloth lies where it lay, an ordinary step before
};

/// The frames of one episode: a clip or a smooth random motion, at a random size and place, over which come teleports,
/// explosions by a factor of a million and back, collapses to a plane, a line or a point, mirror images, noise, spikes,
/// times of rest, and steps in time from a nanosecond to a year.
class Course {
 public:
  /// `cloth` must outlive it.
  Course(const Cloth& cloth, double interval, Draws& draws);

  /// The factor that the cloth's rest shape is scaled by.
  double scale() const { return scale_; }
  /// Seconds of an ordinary step.
  double interval() const { return interval_; }
  /// The rest shape at its size and place.
  Array3 rest() const { return placed(cloth_.rest); }
  /// Longest side of the box round it, above 0.
  double size() const { return size_; }

  Shot next();

 private:
  enum class Disaster { none, rest, explosion, collapse, mirror, noise, spike };

  Array3 placed(const Array3& shape) const;
  Array3 undisturbed();
  void begin_disaster();
  void disturb(Array3& positions);
  double step();

  const Cloth& cloth_;
  Draws& draws_;
  double interval_;
  double scale_;
  double size_;
  double calmness_;  ///< the chance that nothing begins in a frame
  bool even_;        ///< all steps are of one interval
  std::optional<testing::RandomMotion> motion_;
  std::int64_t frame_ = 0;
  double time_;
  double phase_ = 0;  ///< time of the smooth motion
  Vector3 offset_;
  Eigen::Matrix3d turn_ = Eigen::Matrix3d::Identity();
  Disaster disaster_ = Disaster::none;
  int left_ = 0;
  double strength_ = 1;
  Vector3 axis_ = Vector3::UnitX();
  int flattened_ = 0;
  Array3 last_;
};

}  // namespace pucker::soak
