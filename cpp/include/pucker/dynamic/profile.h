/// Cross-sections of a wrinkle and the heights that keep the cloth's length across it (Gillette 2015, section 6.1).
#pragma once

#include <array>

#include "pucker/dynamic/params.h"

namespace pucker {

/// Functions f(x) on [−width/2, width/2] with f(0) = height, f(±width/2) = 0 and f′ = 0 at all three, 0 beyond. Of a
/// crease f(0) = −height.
/// With w = width/2:
///     quartic     height · (1 − x²/w²)²
///     sinusoidal  height/2 · (1 + cos πx/w)
///     arcs        four quarter pieces of a circle that meet at (±w/2, height/2); height ≤ w
///     bspline     one quadratic B-spline, with u = 3x/2w: 4/3·height·(3/4 − u²) up to |u| = 1/2, else
///                 2/3·height·(3/2 − |u|)²
///     wave        height/2 · (cos πx/w + cos 2πx/w): a ridge between two valleys, of mean 0
///     crease      the wave upside down: a valley between two ridges, of mean 0
/// All lengths have one unit. InvalidArgument is thrown for a width that is not finite and positive, a height that is
/// not finite and ≥ 0, a NaN for x, and a height above width/2 for arcs.
namespace profile {

/// How far a profile of height 1 reaches below 0: 9/16 for wave, at cos πx/w = −1/4; 1 for crease; 0 for all others,
/// which have no valleys.
double depth(Profile profile);

/// How far it reaches above 0: 9/16 for crease, 1 for all others.
double rise(Profile profile);

/// The width that what is seen of a profile has: of wave and crease, whose ridges follow each other at 2/3 of its
/// width, that share; of all others the whole.
double seen_share(Profile profile);

/// Height over width of the profile that is as high from its lowest to its highest point as `steepness` times the
/// distance of two lowest or, of a crease, of its two highest ones. A profile without valleys has its lowest at its
/// ends.
double height_of(Profile profile, double steepness);

double value(Profile profile, double x, double width, double height);

/// df/dx. Infinite for arcs of height width/2 at x = ±width/4, where they are vertical.
double derivative(Profile profile, double x, double width, double height);

/// ∫ √(1 + f′²) dx over the width, to a relative error of 1e-12.
double arc_length(Profile profile, double width, double height);

/// The height for which arc_length(profile, width, height) = arc, to a residual of 1e-13 · arc; exactly 0 for
/// arc = width. Throws InvalidArgument for arc < width and, for arcs, for arc > π/2 · width.
double height_for(Profile profile, double width, double arc);

/// The height of folds of simulated cloth over a mesh compressed to width/arc: of steepness 0.56 ε^0.8, ε = arc/width −
/// 1, to a fifth for ε from 0.03 to 0.6. They take up an eighth to a half of that compression. Throws InvalidArgument
/// for arc < width.
double measured_height(Profile profile, double width, double arc);

/// A cross-section and the derivatives that the normals of a displaced surface need.
struct Section {
  double value = 0;        ///< f(x)
  double slope_ratio = 0;  ///< f′(x)/x, finite at the path, where f′ and x both vanish
  double by_width = 0;     ///< ∂f/∂w, w being half the width
  double by_height = 0;    ///< ∂f/∂h
};

/// The cross-section as it is drawn, at the distance x ≥ 0 from the path, for any half width w > 0 and height ≥ 0: all
/// zero from w on and for a flat wrinkle. It agrees with value and derivative but for arcs that are nearly upright:
/// where they would be steeper than 64 the circle is flattened, and arcs higher than w are those of height w,
/// stretched.
Section section(Profile profile, double x, double half_width, double height);

}  // namespace profile

/// Height over its chord of a circular arc with chord `width` and length `arc`: sin φ = φ · width/arc, height =
/// arc · (1 − cos φ)/2φ (Gillette 2015, equation 6.1), to a residual of 1e-13. Exactly 0 for width = arc.
/// Throws InvalidArgument unless width/arc lies in [1/π, 1], up to rounding.
double circle_height(double width, double arc);

/// Heights by width and arc length from a table, with an error of at most 1e-4 · arc.
///
/// 64 samples, interpolated linearly, scaled by the arc (Gillette 2015, section 6.1). Height grows like the square root
/// of 1 − width/arc, so both the samples and the interpolation go by that root: samples are even in height where it is
/// steep, as in the thesis, and found without a search. Interpolation by width/arc itself would leave an error of
/// 1.4e-3 · arc.
class HeightTable {
 public:
  /// HeightRule::circle: circle_height; HeightRule::profile, and by that of the circle of wave and crease, which are
  /// like none: profile::height_for `profile`; HeightRule::measured: profile::measured_height of it.
  HeightTable(HeightRule rule, Profile profile);

  /// Throws InvalidArgument unless arc is finite and positive and width/arc lies in [lowest_ratio(), 1], up to
  /// rounding. Exactly 0 for width = arc.
  double height(double width, double arc) const;

  /// Smallest width/arc: 1/π, and 2/π for arcs, which are then as high as their half width by either rule.
  double lowest_ratio() const { return lowest_ratio_; }

 private:
  static constexpr int kSamples = 64;

  double lowest_ratio_;
  std::array<double, kSamples> heights_;  // for arc = 1, from width/arc = 1 down to lowest_ratio_
};

}  // namespace pucker
