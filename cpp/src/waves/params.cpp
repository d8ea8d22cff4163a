#include "pucker/waves/params.h"

#include <numbers>

#include "pucker/errors.h"

namespace pucker::waves {

static_assert(kLargestStep <= 2 * std::numbers::pi * std::numbers::pi);

void Params::validate() const {
  visit_params(*this, ParamValidator{});
  require(relax.rounds <= kMostRounds * interval, "params.relax.rounds of ", relax.rounds, " in params.interval of ",
          interval, " s must be at most ", kMostRounds, " a second");
}

}  // namespace pucker::waves
