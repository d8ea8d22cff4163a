/// How sharply paths turn: a fold is stiff across its width, and its path cannot turn within less.
#pragma once

#include <vector>

#include "pucker/dynamic/field.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker {

/// What a path may turn by, as `tracing.bend` says.
class BendLimit {
 public:
  /// Flat widths within which `tracing.bend` is counted.
  static constexpr double kReach = 3;

  explicit BendLimit(const Params& params);

  bool is_bounded() const { return most_ > 0; }
  double most() const { return most_; }    ///< radians
  double reach() const { return reach_; }  ///< in the clip's unit of length
  /// Turns `ahead` to `along`, both unit vectors, as far as a path may turn that has come a way of `straight` without a
  /// turn. False if that leaves it more than 45 degrees from `along`.
  bool turn(const Vector2& along, double straight, Vector2& ahead) const;

 private:
  double most_ = 0;
  double reach_ = 0;
};

/// A path laid flat, triangle by triangle: where it heads.
class PathBends {
 public:
  void measure(const CompressionField& field, const Wrinkle& wrinkle);
  /// Heading of each segment against that of the first, radians to one side of the cloth: positive and negative turns
  /// cancel. (k−1,)
  const std::vector<double>& headings() const { return headings_; }
  /// Arc length of the middle of each segment, (k−1,).
  const std::vector<double>& middles() const { return middles_; }
  /// Of the points at which the path would have to be cut to turn by no more than the limit: appends one for each
  /// stretch of it that does, as an empty part at the sharpest point there. A path turns from the middle of one segment
  /// to that of the next, evenly.
  void find_sharp(const BendLimit& limit, std::vector<Interval>& out) const;

 private:
  std::vector<double> headings_;
  std::vector<double> middles_;
};

}  // namespace pucker
