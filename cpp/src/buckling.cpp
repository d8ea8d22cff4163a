#include "pucker/buckling.h"

#include <cmath>
#include <numbers>

#include "pucker/errors.h"

namespace pucker {

namespace {

void require_positive(double value, const char* name) {
  require(std::isfinite(value) && value > 0, name, " must be finite and > 0, not ", value);
}

}  // namespace

double bending_stiffness(double young, double thickness, double poisson) {
  require_positive(young, "Young's modulus");
  require_positive(thickness, "thickness");
  require(poisson >= 0 && poisson < 1, "Poisson's ratio must lie in [0, 1), not ", poisson);
  return young * thickness * thickness * thickness / (12 * (1 - poisson * poisson));
}

double buckling_wavelength(double bending, double tension, double length) {
  require_positive(bending, "bending stiffness");
  require_positive(tension, "tension");
  require_positive(length, "length");
  return 2 * std::sqrt(std::numbers::pi * length) * std::pow(bending / tension, 0.25);
}

}  // namespace pucker
