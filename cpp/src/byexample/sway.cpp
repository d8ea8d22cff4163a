#include "pucker/byexample/sway.h"

#include <cmath>
#include <numbers>

namespace pucker::byexample {

namespace {

/// What becomes of offset and speed in the angle θ = ωΔt, as sums of (offset, speed, the guide's way).
struct Flow {
  double offset[3];
  double speed[3];
};

Flow flow(double angle, double damping) {
  const double decay = std::exp(-damping * angle);
  // By then all of it is over, and no cosine of so large an angle has any digit.
  if (decay == 0) return {.offset = {0, 0, -2 * damping / angle}, .speed = {0, 0, 1 / angle}};
  const double ringing = std::sqrt(1 - damping * damping) * angle;
  const double cosine = decay * std::cos(ringing);
  // sin(ringing) / √(1 − ζ²), which is the angle itself for critical damping.
  const double sine = decay * angle * (ringing > 1e-8 ? std::sin(ringing) / ringing : 1);
  Flow out{.offset = {cosine + damping * sine, sine, 0}, .speed = {-sine, cosine - damping * sine, 0}};
  if (angle > 1e-3) {
    // The guide's way Δ has the particular solution x − g = −2ζΔ/θ, x′/ω = Δ/θ; the rest of it decays.
    out.offset[2] = (2 * damping * out.offset[0] - out.offset[1] - 2 * damping) / angle;
    out.speed[2] = (2 * damping * out.speed[0] - out.speed[1] + 1) / angle;
  } else {
    // Its Taylor series, where the differences above would lose digits: to θ⁴.
    out.offset[2] = -1 + angle * angle / 6 - damping * angle * angle * angle / 12;
    out.speed[2] = angle / 2 - damping * angle * angle / 3;
  }
  return out;
}

}  // namespace

void Sway::rest(Eigen::Index count) {
  offsets.setZero(count, 3);
  speeds.setZero(count, 3);
}

void Sway::step(const Sway& before, const ConstArray3& from, const ConstArray3& to, double seconds, double period,
                double damping) {
  const Flow by = flow(2 * std::numbers::pi * (seconds / period), damping);
  offsets = by.offset[0] * before.offsets + by.offset[1] * before.speeds + by.offset[2] * (to - from);
  speeds = by.speed[0] * before.offsets + by.speed[1] * before.speeds + by.speed[2] * (to - from);
}

}  // namespace pucker::byexample
