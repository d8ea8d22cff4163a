#include "pucker/byexample/trail.h"

#include <cmath>

namespace pucker::byexample {

void Trail::rest(Eigen::Index count) { offsets.setZero(count, 3); }

void Trail::step(const Trail& before, const ConstArray3& from, const ConstArray3& to, double seconds, double time) {
  const double steps = seconds / time;
  // Of the guide's way it has gone all but (1 − exp(−steps)) / steps, which is 1 where there is no time to go.
  const double missing = steps > 0 ? -std::expm1(-steps) / steps : 1;
  offsets = std::exp(-steps) * before.offsets - missing * (to - from);
}

}  // namespace pucker::byexample
