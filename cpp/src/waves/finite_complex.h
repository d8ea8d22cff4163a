/// Complex numbers without the checks of std::complex, as a scalar of Eigen's matrices.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <complex>

namespace pucker::waves {

/// A complex number whose products and quotients are the textbook formulas. std::complex checks each for infinities,
/// which takes longer than the factorisation itself; -ffinite-math-only would change all included code as well.
struct FiniteComplex {
  double re = 0;
  double im = 0;

  FiniteComplex() = default;
  // What Eigen writes as Scalar(0) and Scalar(1).
  FiniteComplex(double real) : re(real) {}  // NOLINT(google-explicit-constructor,hicpp-explicit-conversions)
  FiniteComplex(double real, double imaginary) : re(real), im(imaginary) {}
  explicit FiniteComplex(const std::complex<double>& z) : re(z.real()), im(z.imag()) {}
  explicit operator std::complex<double>() const { return {re, im}; }

  friend FiniteComplex operator+(const FiniteComplex& y, const FiniteComplex& z) { return {y.re + z.re, y.im + z.im}; }
  friend FiniteComplex operator-(const FiniteComplex& y, const FiniteComplex& z) { return {y.re - z.re, y.im - z.im}; }
  friend FiniteComplex operator*(const FiniteComplex& y, const FiniteComplex& z) {
    return {y.re * z.re - y.im * z.im, y.re * z.im + y.im * z.re};
  }
  friend FiniteComplex operator/(const FiniteComplex& z, double by) { return {z.re / by, z.im / by}; }
  /// Divided by the larger part first, so that a real number divides as itself (Smith 1962).
  friend FiniteComplex operator/(const FiniteComplex& y, const FiniteComplex& z) {
    if (std::fabs(z.re) < std::fabs(z.im)) {
      const double ratio = z.re / z.im;
      return FiniteComplex(y.re * ratio + y.im, y.im * ratio - y.re) / (z.re * ratio + z.im);
    }
    const double ratio = z.im / z.re;
    return FiniteComplex(y.re + y.im * ratio, y.im - y.re * ratio) / (z.re + z.im * ratio);
  }
  FiniteComplex& operator+=(const FiniteComplex& z) { return *this = *this + z; }
  FiniteComplex& operator-=(const FiniteComplex& z) { return *this = *this - z; }
  FiniteComplex& operator*=(const FiniteComplex& z) { return *this = *this * z; }
  FiniteComplex& operator/=(const FiniteComplex& z) { return *this = *this / z; }
  friend bool operator==(const FiniteComplex& y, const FiniteComplex& z) { return y.re == z.re && y.im == z.im; }
  friend bool operator!=(const FiniteComplex& y, const FiniteComplex& z) { return !(y == z); }

  friend double real(const FiniteComplex& z) { return z.re; }
  friend FiniteComplex conj(const FiniteComplex& z) { return {z.re, -z.im}; }
};

}  // namespace pucker::waves

template <>
struct Eigen::NumTraits<pucker::waves::FiniteComplex> : Eigen::GenericNumTraits<pucker::waves::FiniteComplex> {
  using Real = double;
  using NonInteger = pucker::waves::FiniteComplex;
  using Literal = double;
  using Nested = pucker::waves::FiniteComplex;
  // NOLINTBEGIN(readability-identifier-naming): Eigen's names
  enum {
    IsComplex = 1,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 2,
    MulCost = 4
  };
  // NOLINTEND(readability-identifier-naming)
};
