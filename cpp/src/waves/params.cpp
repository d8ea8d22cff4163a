#include "pucker/waves/params.h"

#include <numbers>

namespace pucker::waves {

static_assert(kLargestStep <= 2 * std::numbers::pi * std::numbers::pi);

void Params::validate() const { visit_params(*this, ParamValidator{}); }

}  // namespace pucker::waves
