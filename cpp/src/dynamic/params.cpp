#include "pucker/dynamic/params.h"

#include <numbers>

namespace pucker {

double Params::flat_width() const { return std::numbers::pi * min_width; }

void Params::validate() const { visit_params(*this, ParamValidator{}); }

}  // namespace pucker
