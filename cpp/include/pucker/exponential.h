/// e^x whose bits depend on no C library, and which loops can compute for several numbers at once.
#pragma once

#include <bit>
#include <cstdint>

namespace pucker {

/// 2^k for a whole number k from −1022 to 1023.
inline double power_of_two(double k) {
  // Added to a number of which only whole ones fit in the mantissa, k stands in the lowest bits.
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(k + (0x1.8p52 + 1023)) << 52);
}

/// e^x, off by less than one unit in the last place; infinite beyond the largest number, 0 below the smallest, NaN for
/// NaN. A loop over it has no branches and calls nothing.
inline double exponential(double x) {
  constexpr double per_ln2 = 0x1.71547652b82fep0;
  // ln 2 in two parts: the first has so few bits that its multiples are exact.
  constexpr double ln2 = 0x1.62e42feep-1;
  constexpr double ln2_rest = 0x1.a39ef35793c76p-33;
  constexpr double whole = 0x1.8p52;
  // Beyond these the result is infinite or 0 anyway.
  x = x > 710 ? 710 : x;
  x = x < -746 ? -746 : x;
  const double k = (x * per_ln2 + whole) - whole;
  const double r = (x - k * ln2) - k * ln2_rest;  // in ± ln 2 / 2
  // Taylor's series to r¹³, whose next term is below 2⁻⁵⁷; even and odd terms do not wait for each other.
  const double s = r * r;
  const double even =
      1.0 / 2 + s * (1.0 / 24 + s * (1.0 / 720 + s * (1.0 / 40320 + s * (1.0 / 3628800 + s * (1.0 / 479001600)))));
  const double odd =
      1.0 / 6 + s * (1.0 / 120 + s * (1.0 / 5040 + s * (1.0 / 362880 + s * (1.0 / 39916800 + s * (1.0 / 6227020800)))));
  const double mantissa = 1 + (r + s * (even + r * odd));
  // In two steps, so that neither power is beyond what numbers hold where the result is not.
  const double half = (0.5 * k + whole) - whole;
  return mantissa * power_of_two(half) * power_of_two(k - half);
}

}  // namespace pucker
