/// Cross-sections of waves as tables of one period (Loviscach 2006, section 6.3).
#pragma once

#include <array>
#include <span>

#include "pucker/waves/params.h"

namespace pucker::waves {

/// An even function f of period 2π with |f| ≤ 1, and its slope f′: 32 values of each at φ = 2πi/32, linearly
/// interpolated between them.
///
/// Even, because the sign of a wave's direction is free: f(−φ) and f(φ) must be the same height.
class PleatTable {
 public:
  static constexpr std::size_t kSize = 32;
  using Values = std::array<double, kSize>;

  /// cosine: cos φ. accordion: 1 − 2|φ|/π on [−π, π], straight pieces with folds between them; its slope at a fold is
  /// 0. pencil: 2|cos(φ/2)| − 1, round ridges that meet in creases; its slope at a crease is 0.
  explicit PleatTable(Pleat pleat);
  /// A table of the user's, f(2πi/32). Slopes are the symmetric differences of the values. Throws InvalidArgument
  /// unless there are 32 finite values, |f| ≤ 1 and f_i = f_(32−i), both to 1e-9; names the first that is not.
  explicit PleatTable(std::span<const double> values);

  const Values& values() const { return values_; }
  const Values& slopes() const { return slopes_; }
  /// Values and slopes as the shaders read them, in pairs.
  const std::array<float, 2 * kSize>& packed() const { return packed_; }
  /// f(φ) for any finite φ in radians.
  double value(double phase) const { return sample(values_, phase); }
  /// f′(φ).
  double slope(double phase) const { return sample(slopes_, phase); }

 private:
  void pack();
  static double sample(const Values& table, double phase);

  Values values_;
  Values slopes_;
  std::array<float, 2 * kSize> packed_;
};

}  // namespace pucker::waves
