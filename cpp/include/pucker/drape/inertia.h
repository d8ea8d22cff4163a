/// The inertia of draped cloth, which lets it swing: where it would be by itself after a step of time.
#pragma once

#include <cstdint>
#include <vector>

#include "pucker/drape/balance.h"
#include "pucker/serial.h"
#include "pucker/types.h"

namespace pucker::drape {

/// M ẍ = F(x) for the cloth's vertices, by the backward differentiation formula of second order, whose steps may
/// differ; F are the forces of the balance. A step is the balance with one more pull, of the mass M = h s² A times
/// 1/(βΔt)²: to x̂ = a x₁ − b x₂ + βΔt (a ẋ₁ − b ẋ₂), where x₁ and x₂ are the places one and two steps ago,
/// ω = Δt/Δt₁, a = (1 + ω)²/(1 + 2ω), b = ω²/(1 + 2ω), β = (1 + ω)/(1 + 2ω), and then ẋ = (x − a x₁ + b x₂)/(βΔt)
/// (E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, III.5).
///
/// The first step after a start has no velocity to go on with, and no inertia; the second one is of first order
/// (a = β = 1, b = 0), and so is one of more than twice the length of that before, as the formula then is unstable.
/// Where a vertex would go farther than `farthest` in a step, or the step has hardly a length, times or places have
/// jumped, and it starts anew.
class Inertia {
 public:
  /// `swing` s, in seconds: √(mass / hold) where `shares` (N,) is 1; the mass of a vertex is h s² times its share. With
  /// a `swing` of 0 there is no inertia and nothing is kept. Throws InvalidArgument for a swing and shares that are not
  /// finite or below 0.
  Inertia(double swing, std::vector<double> shares, double farthest);

  /// Forgets what was: the cloth stands in another place.
  void start();
  /// The pull of a step of `passed` seconds from `places` (N, 3), which are x₁, to `target`, which it fills and refers
  /// to; of weight 0 without inertia.
  Pull pull(const Array3& places, double passed, Array3& target);
  /// Tells where that step, from the same places, has ended.
  void step(const Array3& places, const Array3& ended, double passed);

  void save(ByteWriter& out) const;
  /// Of a run whose cloth has `count` vertices. Throws Error for what save() has not written.
  void restore(ByteReader& in, Eigen::Index count);

 private:
  double swing_;
  std::vector<double> shares_;
  double farthest_;
  std::int32_t steps_ = 0;                      ///< since the start, 2 at most
  double passed_ = 0;                           ///< of the last one
  Array3 before_, velocity_, velocity_before_;  ///< (N, 3)
  // Of the step under way.
  double ahead_ = 0;        ///< βΔt
  double last_ = 1;         ///< a
  double before_last_ = 0;  ///< b; 0 where the step is of first order
};

}  // namespace pucker::drape
