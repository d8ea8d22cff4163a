#include "pucker/byexample/params.h"

namespace pucker::byexample {

void Params::validate() const { visit_params(*this, ParamValidator{}); }

}  // namespace pucker::byexample
