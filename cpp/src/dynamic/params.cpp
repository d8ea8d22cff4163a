#include "pucker/dynamic/params.h"

#include <cmath>
#include <numbers>

#include "pucker/buckling.h"
#include "pucker/dynamic/profile.h"
#include "pucker/errors.h"

namespace pucker {

Params Params::ridges() {
  Params out;
  out.threshold = 1.1;
  out.relative_width = 0.01;
  out.thickness = 0;
  out.tracing.seed_distance = 1;
  out.tracing.min_length = 8;
  out.shape.profile = Profile::bspline;
  out.shape.aspect = 0.4;
  out.shape.slenderness = 6;
  out.shape.taper = 0;
  return out;
}

Params Params::printed() {
  Params out = ridges();
  out.verbatim = true;
  out.tracing.min_length.reset();
  return out;
}

double Params::least_width() const {
  if (min_width) return *min_width;
  require(fabric.bending.has_value(),
          "params.min_width must be given where there is no clip of whose height it is params.relative_width");
  const double wavelength = buckling_wavelength(*fabric.bending, fabric.tension, fabric.length);
  return wavelength / (std::numbers::pi * profile::seen_share(shape.profile));
}

double Params::flat_width() const { return std::numbers::pi * least_width(); }

Params Params::for_height(double height) const {
  Params out = *this;
  const bool has_height = std::isfinite(height) && height > 0;
  if (min_width || fabric.bending) {
    out.min_width = least_width();
    if (has_height) out.relative_width = *out.min_width / height;
    return out;
  }
  require(has_height, "params.min_width must be given for a clip without height, of which ",
          "params.relative_width would be a share; the height is ", height);
  out.min_width = relative_width * height;
  return out;
}

void Params::validate() const { visit_params(*this, ParamValidator{}); }

}  // namespace pucker
