#include "pucker/dynamic/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pucker {

namespace {

/// Share of the way from the width of the middle to that of the end, at the share `x` of the way there. Height grows
/// like the root of the width that is missing to flat; the square makes the height fall in a smooth step, with no slope
/// in the middle and at the end, where a wrinkle would otherwise stop short.
double taper(double x) {
  const double left = 1 - x * x * (3 - 2 * x);
  return 1 - left * left;
}

/// A path that has collapsed to a point keeps this share of its size: a cross-section has some width.
constexpr double kLeastScale = 1e-3;

/// Width at the share `x` of the way from the middle to the end, in widths of the middle: an ellipse, cut off where it
/// is half as wide, so that the end is neither square nor a needle.
double outline(double x) { return std::sqrt(1 - 0.75 * x * x); }

double toward(double from, double to, double most) {
  return std::fabs(to - from) <= most ? to : from + std::copysign(most, to - from);
}

}  // namespace

Shaper::Shaper(const Params& params)
    : params_(params),
      table_(params.shape.height, params.shape.profile),
      highest_(std::numeric_limits<double>::infinity()),
      steepest_(params.shape.aspect > 0 && !params.verbatim
                    ? profile::height_of(params.shape.profile, params.shape.aspect)
                    : std::numeric_limits<double>::infinity()) {
  params_.validate();
  params_.least_width();
  const double depth = profile::depth(params_.shape.profile);
  if (params_.shape.clearance && depth > 0) highest_ = *params_.shape.clearance / depth;
}

double Shaper::scale(double length, double flat) const {
  if (params_.verbatim) return 1;
  if (params_.fabric.bending) return std::clamp(std::sqrt(length / params_.fabric.length), kLeastScale, 1.0);
  const double full = params_.shape.slenderness * flat;
  return full > 0 ? std::clamp(length / full, kLeastScale, 1.0) : 1.0;
}

double Shaper::height(double width, double arc) const { return std::min(table_.height(width, arc), highest_); }

Shaper::Common Shaper::common(double length, double compression, double flat) const {
  const double arc = scale(length, flat) * flat;
  // The table knows no cross-section narrower than this for its arc length; the narrowest is arc/π in general.
  const double narrowest = arc * table_.lowest_ratio();
  const double width = std::clamp(arc / compression, narrowest, arc);
  const double whole = height(width, arc);
  const double most = steepest_ * width;
  const double share = whole > most ? most / whole : 1;
  return {length, flat, arc, width, share * whole, share};
}

Size Shaper::size_at(const Common& common, double along, const EndHeights& kept) const {
  double from_middle = std::min(std::fabs(2 * along - 1), 1.0);
  if (!params_.verbatim) {
    const double half = 0.5 * common.length;
    const double range = params_.shape.taper * common.flat;  // 0 also if it underflows
    if (range > 0 && range < half) from_middle = std::max(1 - (1 - from_middle) * half / range, 0.0);
  }
  const double width = common.width + (common.arc - common.width) * taper(from_middle);
  const double height = common.share * this->height(width, common.arc);
  if (params_.verbatim) return {width, height};
  const double drawn = outline(from_middle);
  const double end = along < 0.5 ? kept.first : kept.last;
  if (!(end > 0 && common.height > 0)) return {common.width * drawn, height};
  const double share = std::min(end / common.height, 1.0);
  return {common.width * std::lerp(drawn, 1.0, share), std::lerp(height, common.height, share)};
}

Size Shaper::target(double length, double compression, double along, const EndHeights& kept, double flat_width) const {
  return size_at(common(length, compression, flat_width * params_.flat_width()), along, kept);
}

void Shaper::step(const PathCurve& curve, const std::vector<double>& compression, double dt, const EndHeights& kept,
                  Wrinkle& wrinkle, double flat_width) const {
  const double endless = std::numeric_limits<double>::infinity();
  const double rise = params_.verbatim ? endless : params_.shape.height_rate * params_.least_width() * dt;
  const double widen = params_.verbatim ? endless : params_.shape.width_rate * params_.least_width() * dt;
  if (!wrinkle.alive) {
    for (double& height : wrinkle.knot_heights) height = toward(height, 0, rise);
    return;
  }
  double largest = 1;
  for (const std::int32_t triangle : wrinkle.triangles) largest = std::max(largest, compression[std::size_t(triangle)]);
  const double length = curve.length();
  const Common common = this->common(length, largest, flat_width * params_.flat_width());
  const bool flat = std::ranges::all_of(wrinkle.knot_heights, [](double height) { return height == 0; });
  for (std::size_t i = 0; i < wrinkle.knot_widths.size(); ++i) {
    const double s = 0.5 * (curve.arc_lengths[i / 2] + curve.arc_lengths[(i + 1) / 2]);
    const Size size = size_at(common, length > 0 ? s / length : 0, kept);
    wrinkle.knot_widths[i] = flat ? size.width : toward(wrinkle.knot_widths[i], size.width, widen);
    wrinkle.knot_heights[i] = toward(wrinkle.knot_heights[i], size.height, rise);
  }
}

bool is_gone(const Wrinkle& wrinkle) {
  return !wrinkle.alive && std::all_of(wrinkle.knot_heights.begin(), wrinkle.knot_heights.end(),
                                       [](double height) { return height == 0; });
}

}  // namespace pucker
