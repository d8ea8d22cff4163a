#include "pucker/drape/params.h"

namespace pucker::drape {

void Params::validate() const { visit_params(*this, ParamValidator{}); }

}  // namespace pucker::drape
