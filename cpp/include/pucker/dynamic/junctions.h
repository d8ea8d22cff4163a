/// Where a wrinkle runs into another one instead of ending beside it.
#pragma once

#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/shape.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker {

/// Finds the ends of wrinkles that lead to others: folds of cloth rarely end beside a neighbour, they merge with it in
/// a Y.
class Junctions {
 public:
  explicit Junctions(const Params& params);

  /// How near a curve must come to an end, in the clip's unit; 0: nothing runs into anything.
  double reach() const { return reach_; }

  /// Fills `out` with the heights that the ends keep, an entry a wrinkle; `curves` are those of the wrinkles, in their
  /// order, and may be more, and `index` holds those of the living ones (insert_living) for a radius of at least
  /// reach().
  ///
  /// An end runs into the nearest curve on its side of the cloth, of a living wrinkle with a lower id, that comes
  /// within shape.junctions flat widths and lies ahead: at most 60 degrees away from where the end points. It keeps the
  /// height that the other one has there. As the younger one always runs into the older, no two hold each other up.
  /// Dying wrinkles keep nothing, nor with shape.junctions = 0 or verbatim any.
  void find(const CurveIndex& index, const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
            std::vector<EndHeights>& out) const;

  static constexpr double kLeastCosine = 0.5;  ///< of the angle between where an end points and what lies ahead

 private:
  double end_height(const CurveIndex& index, const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
                    std::size_t number, bool last) const;

  double reach_;
};

/// Radius of the one index of curves that seeds keep away from and ends lead to, in the clip's unit.
double index_radius(const Params& params);

/// Height of the wrinkle at an arc length of its curve: linear between the knots.
double height_at(const Wrinkle& wrinkle, const PathCurve& curve, double arc_length);

}  // namespace pucker
