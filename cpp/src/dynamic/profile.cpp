#include "pucker/dynamic/profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "pucker/errors.h"

namespace pucker {

namespace {

using std::numbers::pi;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Below it, differences of nearly equal terms are replaced by the first terms of their series; Newton's method needs
/// the derivatives they stand for only roughly.
constexpr double kSmall = 1e-2;

void require_width(double width) {
  require(std::isfinite(width) && width > 0, "width must be finite and positive, got ", width);
}

void require_arc(double arc) { require(std::isfinite(arc) && arc > 0, "arc must be finite and positive, got ", arc); }

/// |x|/w.
double half_widths(double x, double width) {
  require(!std::isnan(x), "x must be a number, got ", x);
  return std::abs(x) / (0.5 * width);
}

/// height/w, w being half the width. Everything below works with w = 1, so that no unit matters.
double half_ratio(Profile profile, double width, double height) {
  require_width(width);
  require(std::isfinite(height) && height >= 0, "height must be finite and >= 0, got ", height);
  const double ratio = height / (0.5 * width);
  require(profile != Profile::arcs || ratio <= 1, "the height of arcs must be at most half the width ", width, ", got ",
          height);
  return ratio;
}

/// The profile and its slope at u ∈ [0, 1] for height and half width 1, for the profiles proportional to their height.
double unit_value(Profile profile, double u) {
  switch (profile) {
    case Profile::quartic:
      return (1 - u * u) * (1 - u * u);
    case Profile::sinusoidal:
      return 0.5 * (1 + std::cos(pi * u));
    case Profile::wave: {
      const double cosine = std::cos(pi * u);
      return 0.5 * (1 + cosine) * (2 * cosine - 1);
    }
    case Profile::crease:
      return -unit_value(Profile::wave, u);
    default:  // bspline
      return 3 * u <= 1 ? 1 - 3 * u * u : 1.5 * (1 - u) * (1 - u);
  }
}

double unit_slope(Profile profile, double u) {
  switch (profile) {
    case Profile::quartic:
      return -4 * u * (1 - u * u);
    case Profile::sinusoidal:
      return -0.5 * pi * std::sin(pi * std::min(u, 1 - u));  // exactly 0 at both ends
    case Profile::wave:
      return -0.5 * pi * std::sin(pi * std::min(u, 1 - u)) * (1 + 4 * std::cos(pi * u));
    case Profile::crease:
      return -unit_slope(Profile::wave, u);
    default:  // bspline
      return 3 * u <= 1 ? -6 * u : -3 * (1 - u);
  }
}

/// Circular arc at distance `u` from where it is level, by its curvature.
struct Arc {
  double bend;  // curvature · u, the sine of the angle turned
  double cosine;
  Arc(double curvature, double u) : bend(curvature * u), cosine(std::sqrt(std::max(1 - bend * bend, 0.0))) {}
};

/// Curvature of the quarter pieces of height `ratio` and half width 1.
double arcs_curvature(double ratio) { return 4 * ratio / (1 + ratio * ratio); }

/// Arc length for width 1, and its derivative by height/w.
struct Length {
  double value;
  double derivative;
};

/// Both by 16-point Gauss–Legendre quadrature over panels that halve toward the `level` places, which begin with 0 and
/// end with 1 and are all where f′ = 0: near them √(1 + (ratio·f′)²) has branch points, at a distance of at least
/// 1/(sharpness·ratio). The smallest panels are no longer than that, so that each panel lies inside a Bernstein ellipse
/// of at least 4.6 times its size free of branch points, for which the rule's relative error is below 4.6⁻³².
Length integrated_length(Profile profile, std::span<const double> level, double sharpness, double ratio) {
  static constexpr std::array<double, 8> nodes = {0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863,
                                                  0.6178762444026437484, 0.7554044083550030339, 0.8656312023878317439,
                                                  0.9445750230732325761, 0.9894009349916499326};
  static constexpr std::array<double, 8> weights = {0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382,
                                                    0.1495959888165767321, 0.1246289712555338720, 0.0951585116824927848,
                                                    0.0622535239386478929, 0.0271524594117540949};
  Length sum{0, 0};
  const auto add = [&](double u, double weight) {
    const double slope = unit_slope(profile, u);
    const double speed = std::hypot(1.0, ratio * slope);
    sum.value += weight * speed;
    sum.derivative += weight * slope * (ratio * slope / speed);
  };
  const auto add_panel = [&](double start, double end) {
    const double half = 0.5 * (end - start);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      for (const double side : {-1.0, 1.0}) add(0.5 * (start + end) + side * half * nodes[k], half * weights[k]);
  };
  for (std::size_t k = 0; k + 1 < level.size(); ++k) {
    const double from = level[k];
    const double to = level[k + 1];
    double panel = 0.5 * (to - from);
    for (; panel * sharpness * ratio > 1; panel *= 0.5) {
      add_panel(from + 0.5 * panel, from + panel);
      add_panel(to - panel, to - 0.5 * panel);
    }
    add_panel(from, from + panel);
    add_panel(to - panel, to);
  }
  return sum;
}

Length quartic_length(double ratio) {
  static constexpr std::array<double, 2> level = {0, 1};
  return integrated_length(Profile::quartic, level, 15, ratio);
}

/// How deep the valleys of a wave are, in its heights, and how far from its crest, in half widths.
constexpr double kWaveDepth = 9.0 / 16;
const double kWaveValley = std::acos(-0.25) / pi;

Length wave_length(double ratio) {
  // f″ is at most 5π²/2 times the height, three times that of the quartic.
  static const std::array<double, 3> level = {0, kWaveValley, 1};
  return integrated_length(Profile::wave, level, 46, ratio);
}

/// A sine's arc is a quarter of an ellipse with half axes 1 and √(1 + P²), P its largest slope: the complete elliptic
/// integrals of both kinds by the arithmetic–geometric mean.
Length sinusoidal_length(double ratio) {
  const double steepest = 0.5 * pi * ratio;
  const double longer = std::hypot(1.0, steepest);
  double a = 1;
  double b = 1 / longer;
  double difference = steepest / longer;  // √(a² − b²)
  double sum = 0.5 * difference * difference;
  for (double weight = 1; difference > kEpsilon; weight *= 2) {
    difference = 0.5 * (a - b);
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
    sum += weight * difference * difference;
  }
  const double second_kind = longer * (1 - sum) / a;
  const double first_kind = 1 / (longer * a);
  const double derivative =
      steepest < kSmall ? steepest * (0.5 - 3.0 / 16 * steepest * steepest) : (second_kind - first_kind) / steepest;
  return {second_kind, 0.5 * pi * derivative};
}

/// The slope changes linearly from 0 to its largest value P and back: two parabolas a side, in closed form.
Length bspline_length(double ratio) {
  const double steepest = 2 * ratio;
  const double speed = std::hypot(1.0, steepest);
  const double angle = std::asinh(steepest) / steepest;
  const double derivative =
      steepest < kSmall ? steepest * (2.0 / 3 - 0.2 * steepest * steepest) : (speed - angle) / steepest;
  return {0.5 * (speed + angle), derivative};
}

/// Each piece turns by 2·atan(ratio).
Length arcs_length(double ratio) {
  const double square = ratio * ratio;
  const double angle = std::atan(ratio);
  const double derivative =
      ratio < kSmall ? ratio * (4.0 / 3 - 8.0 / 15 * square) : (ratio + (square - 1) * angle) / square;
  return {(1 + square) * angle / ratio, derivative};
}

Length unit_length(Profile profile, double ratio) {
  if (ratio == 0) return {1, 0};
  switch (profile) {
    case Profile::quartic:
      return quartic_length(ratio);
    case Profile::sinusoidal:
      return sinusoidal_length(ratio);
    case Profile::arcs:
      return arcs_length(ratio);
    case Profile::wave:
    case Profile::crease:
      return wave_length(ratio);
    default:
      return bspline_length(ratio);
  }
}

/// width/arc, which may miss the range by rounding.
double checked_ratio(double width, double arc, double lowest) {
  require_width(width);
  require_arc(arc);
  constexpr double rounding = 16 * kEpsilon;
  const double ratio = width / arc;
  require(ratio >= lowest * (1 - rounding) && ratio <= 1 + rounding, "width/arc must lie in [", lowest, ", 1], got ",
          width, "/", arc, " = ", ratio);
  return std::clamp(ratio, lowest, 1.0);
}

/// Slopes of drawn arcs end where a circle's height over its centre falls to this share of its radius.
constexpr double kLeastRoot = 1.0 / 64;

/// A profile of height h is h·g(x/w): Euler's rule gives ∂f/∂w.
profile::Section proportional_section(double x, double w, double height, double value, double slope_ratio) {
  return {value, slope_ratio, -x * x / w * slope_ratio, value / height};
}

profile::Section arcs_section(double x, double w, double height) {
  const double round_height = std::min(height, w);
  const double stretch = height / round_height;
  const double radius = (w * w + round_height * round_height) / (4 * round_height);
  const bool inner = x <= 0.5 * w;
  const double t = inner ? x : w - x;
  const double root = std::max(std::sqrt(std::max(radius * radius - t * t, 0.0)), kLeastRoot * radius);
  const double sagitta = t * t / (radius + root);  // radius − root without cancellation
  const double value = inner ? round_height - sagitta : sagitta;
  const double slope_ratio = inner ? -1 / root : -t / (root * x);
  if (height > w) return proportional_section(x, w, height, stretch * value, stretch * slope_ratio);
  const double by_radius = -sagitta / root;
  const double radius_by_height = 0.25 * (1 - (w / round_height) * (w / round_height));
  const double by_height = inner ? 1 - by_radius * radius_by_height : by_radius * radius_by_height;
  // f is homogeneous of degree one in (x, w, h).
  return {value, slope_ratio, (value - x * x * slope_ratio - height * by_height) / w, by_height};
}

double lowest_ratio_of(Profile profile) { return (profile == Profile::arcs ? 2 : 1) / pi; }

}  // namespace

namespace profile {

double depth(Profile profile) {
  if (profile == Profile::crease) return 1;
  return profile == Profile::wave ? kWaveDepth : 0;
}

double rise(Profile profile) { return profile == Profile::crease ? kWaveDepth : 1; }

double seen_share(Profile profile) { return depth(profile) > 0 ? 2.0 / 3 : 1; }

double height_of(Profile profile, double steepness) {
  const double between = depth(profile) > 0 ? kWaveValley : 1;
  return steepness * between / (rise(profile) + depth(profile));
}

double value(Profile profile, double x, double width, double height) {
  const double ratio = half_ratio(profile, width, height);
  const double u = half_widths(x, width);
  if (u >= 1) return 0;
  if (profile != Profile::arcs) return height * unit_value(profile, u);
  const bool top = u <= 0.5;
  const double distance = top ? u : 1 - u;
  const Arc arc(arcs_curvature(ratio), distance);
  const double drop = 0.5 * width * arc.bend * distance / (1 + arc.cosine);
  return top ? height - drop : drop;
}

double derivative(Profile profile, double x, double width, double height) {
  const double ratio = half_ratio(profile, width, height);
  const double u = half_widths(x, width);
  if (u >= 1 || x == 0) return 0;
  const double side = x > 0 ? 1 : -1;
  if (profile != Profile::arcs) return side * ratio * unit_slope(profile, u);
  const Arc arc(arcs_curvature(ratio), std::min(u, 1 - u));
  return -side * arc.bend / arc.cosine;
}

double arc_length(Profile profile, double width, double height) {
  return width * unit_length(profile, half_ratio(profile, width, height)).value;
}

double height_for(Profile profile, double width, double arc) {
  require_width(width);
  require_arc(arc);
  require(arc >= width, "arc must be at least the width ", width, ", got ", arc);
  require(profile != Profile::arcs || arc <= 0.5 * pi * width, "arc must be at most pi/2 times the width ", width,
          " for arcs, got ", arc);
  const double target = arc / width;
  // The length is convex in the height and at least that of two straight lines: from the height of those, Newton's
  // steps go down to the solution. Bisection takes over where rounding makes them leave the bracket.
  double high = std::sqrt((arc - width) / width * (target + 1));
  if (profile == Profile::arcs) high = std::min(high, 1.0);
  double low = 0;
  double ratio = high;
  for (;;) {
    const Length length = unit_length(profile, ratio);
    const double excess = length.value - target;
    if (std::abs(excess) <= kEpsilon * target) break;
    (excess > 0 ? high : low) = ratio;
    double next = ratio - excess / length.derivative;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next <= low || next >= high) break;
    ratio = next;
  }
  return 0.5 * width * ratio;
}

double measured_height(Profile profile, double width, double arc) {
  require_width(width);
  require_arc(arc);
  require(arc >= width, "arc must be at least the width ", width, ", got ", arc);
  return height_of(profile, 0.56 * std::pow((arc - width) / width, 0.8)) * width;
}

Section section(Profile profile, double x, double half_width, double height) {
  if (!(x < half_width) || !(height > 0)) return {};
  if (profile == Profile::arcs) return arcs_section(x, half_width, height);
  const double u = x / half_width;
  // The slope over u has a limit at 0, which it has reached at this distance.
  const double off_path = std::max(u, 1e-9);
  const double slope_ratio = height / (half_width * half_width) * unit_slope(profile, off_path) / off_path;
  return proportional_section(x, half_width, height, height * unit_value(profile, u), slope_ratio);
}

}  // namespace profile

double circle_height(double width, double arc) {
  const double ratio = checked_ratio(width, arc, lowest_ratio_of(Profile::bspline));
  if (ratio == 1) return 0;
  // sin φ/φ ≤ 1 − φ²/π² makes this an upper bound; sin φ − φ·ratio is concave, so Newton's steps go down from it until
  // rounding stops them.
  double phi = pi * std::sqrt(1 - ratio);
  for (;;) {
    const double next = phi - (std::sin(phi) - phi * ratio) / (std::cos(phi) - ratio);
    if (!(next < phi)) break;
    phi = next;
  }
  const double sine = std::sin(0.5 * phi);
  return arc * sine * sine / phi;
}

namespace {

/// Of a cross-section of length 1.
double height_by(HeightRule rule, Profile profile, double width) {
  switch (rule) {
    case HeightRule::measured:
      return profile::measured_height(profile, width, 1);
    case HeightRule::circle:
      if (!(profile::depth(profile) > 0)) return circle_height(width, 1);
      [[fallthrough]];
    default:  // profile
      return profile::height_for(profile, width, 1);
  }
}

}  // namespace

HeightTable::HeightTable(HeightRule rule, Profile profile) : lowest_ratio_(lowest_ratio_of(profile)) {
  for (int i = 0; i < kSamples; ++i) {
    const double share = double(i) / (kSamples - 1);
    const double width = std::max(1 - (1 - lowest_ratio_) * share * share, lowest_ratio_);
    heights_[std::size_t(i)] = height_by(rule, profile, width);
  }
}

double HeightTable::height(double width, double arc) const {
  const double share = std::sqrt((1 - checked_ratio(width, arc, lowest_ratio_)) / (1 - lowest_ratio_));
  const double position = (kSamples - 1) * share;
  const int below = std::min(int(position), kSamples - 2);
  return arc * std::lerp(heights_[std::size_t(below)], heights_[std::size_t(below) + 1], position - below);
}

}  // namespace pucker
