/// Slopes of monotone cubics (Fritsch and Butland 1984).
#pragma once

namespace pucker {

/// Slope at a knot inside, from the secants `before` and `after` over steps of the lengths `h0` and `h1`: their
/// weighted harmonic mean, or 0 at an extremum, so that nothing overshoots.
inline double monotone_slope(double h0, double h1, double before, double after) {
  if (before * after <= 0) return 0;
  const double w0 = 2 * h1 + h0;
  const double w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / before + w1 / after);
}

}  // namespace pucker
