/// Widths and heights of wrinkles along their paths (Gillette 2015, section 6.1).
#pragma once

#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/profile.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker {

/// Width and height of a cross-section, in the clip's unit of length.
struct Size {
  double width;
  double height;
};

/// Heights that the two ends of a wrinkle keep where it runs into another one; 0 for an end that is free.
struct EndHeights {
  double first = 0;
  double last = 0;
};

/// Gives wrinkles the sizes that keep the cloth's length across them.
///
/// With λ̃ the largest compression along the path and s = π·min_width, the middle is L = clamp(s/λ̃, min_width, s) wide,
/// and its height keeps the arc length s by the height rule. From there, or from `taper` flat widths before the end on,
/// the height falls in a smooth step to 0 at the ends, and the outline is an ellipse, cut off where it is L/2 wide. At
/// an end that keeps a share of the middle's height, that share of height and width is left out of the fall. A path
/// shorter than slenderness·s has both s and L scaled down in proportion; where the fabric's bending stiffness is
/// known, one shorter than its length by the root of that (buckling_wavelength). Where the garment is thin, s and L are
/// scaled by the mean width of the path's triangles. A wave whose valleys would be deeper
/// than `clearance` is as high as makes them as deep as that. A wrinkle that would be steeper in its middle than
/// `aspect` (profile::height_of) is lower all along, in one proportion: what it does not take up is left. In the
/// theses, with `verbatim`, the width grows to s at the ends instead, so that every cross-section keeps the arc length,
/// and no path is scaled down.
class Shaper {
 public:
  explicit Shaper(const Params& params);

  /// The size aimed at, at the share `along` ∈ [0, 1] of a path of `length` with the largest compression `compression`,
  /// where a flat wrinkle is `flat_width` wide, in flat widths of the parameters.
  Size target(double length, double compression, double along, const EndHeights& kept = {},
              double flat_width = 1) const;

  /// Lets the sizes of a living wrinkle follow their targets and a dying one sink, at most at the rates of the
  /// parameters times `dt`; with `verbatim` at once. `compression`: λ̃ of the triangles, (m,). `flat_width`: mean of the
  /// path's, in flat widths of the parameters.
  void step(const PathCurve& curve, const std::vector<double>& compression, double dt, const EndHeights& kept,
            Wrinkle& wrinkle, double flat_width = 1) const;

 private:
  /// What all cross-sections of a path have in common.
  struct Common {
    double length;
    double flat;    ///< width of a flat wrinkle as long as can be
    double arc;     ///< of every cross-section
    double width;   ///< of the middle
    double height;  ///< of the middle
    double share;   ///< of the height that would keep the arc length
  };
  /// Share of its arc length, `flat` where it is long, that a path of `length` has across.
  double scale(double length, double flat) const;
  Common common(double length, double compression, double flat) const;
  double height(double width, double arc) const;
  Size size_at(const Common& common, double along, const EndHeights& kept) const;

  Params params_;
  HeightTable table_;
  double highest_;   ///< as high as the clearance allows
  double steepest_;  ///< largest height over width of the middle
};

/// Whether the wrinkle is dying and flat: nothing of it is left to see.
bool is_gone(const Wrinkle& wrinkle);

}  // namespace pucker
