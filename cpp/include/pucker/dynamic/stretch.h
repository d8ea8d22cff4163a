/// Principal stretches between two shapes of each triangle (Gillette 2015, section 4.1; equation 4.1).
#pragma once

#include <vector>

#include "pucker/types.h"

namespace pucker {

/// A rotation of the plane: half as many numbers as its matrix.
struct Rotation {
  double cosine = 1;
  double sine = 0;

  Vector2 first() const { return {cosine, sine}; }    ///< column of its matrix: where it takes the x axis
  Vector2 second() const { return {-sine, cosine}; }  ///< and the y axis
  RowMatrix2 matrix() const { return (RowMatrix2() << cosine, -sine, sine, cosine).finished(); }
  Rotation inverse() const { return {cosine, -sine}; }
  friend Rotation operator*(const Rotation& a, const Rotation& b) {
    return {a.cosine * b.cosine - a.sine * b.sine, a.cosine * b.sine + a.sine * b.cosine};
  }
  friend bool operator==(const Rotation&, const Rotation&) = default;
};

/// The rotation by half the angle, which has a non-negative cosine.
Rotation half_turn(const Rotation& turn);

/// F = left · diag(maximum, minimum) · rightᵀ for each triangle, F taking the reference to the current triangle.
struct Stretch {
  std::vector<double> minimum;  ///< λ_min, (m,); 1 = no deformation
  std::vector<double> maximum;  ///< λ_max, (m,)
  std::vector<Rotation> left;   ///< columns are a_max, a_min in the frame of the current triangle
  std::vector<Rotation> right;  ///< columns are the same directions in the frame of the reference triangle
};

/// The factors of one 2×2 matrix of positive determinant: matrix = left · diag(maximum, minimum) · rightᵀ.
struct SvdFactors {
  double minimum;
  double maximum;
  Rotation left;
  Rotation right;
};

/// Closed-form singular values and rotations of a matrix with determinant ≥ 0. The identity gives exactly (1, 1, I, I).
SvdFactors svd(const RowMatrix2& matrix);

/// F = current · reference⁻¹ times the determinant of the reference, without a division.
inline RowMatrix2 scaled_gradient(const RowMatrix2& reference, const RowMatrix2& current) {
  RowMatrix2 f;
  f(0, 0) = current(0, 0) * reference(1, 1) - current(0, 1) * reference(1, 0);
  f(0, 1) = current(0, 1) * reference(0, 0) - current(0, 0) * reference(0, 1);
  f(1, 0) = current(1, 0) * reference(1, 1) - current(1, 1) * reference(1, 0);
  f(1, 1) = current(1, 1) * reference(0, 0) - current(1, 0) * reference(0, 1);
  return f;
}

/// F = current · reference⁻¹. Equal bits in, exactly the identity out.
RowMatrix2 deformation_gradient(const RowMatrix2& reference, const RowMatrix2& current);

/// Stretches of all triangles. Both lists hold m triangle matrices of local_frames or ReferenceShape (determinant ≥ 0).
/// A triangle whose reference has no area cannot be measured: it is inert, both its stretches are 1. A triangle whose
/// current area is zero has minimum 0. Throws InvalidArgument if the lists differ in length.
void stretch(const Matrix2List& reference, const Matrix2List& current, Stretch& out);
Stretch stretch(const Matrix2List& reference, const Matrix2List& current);

/// The same without directions: `left` and `right` of `out` become empty.
void stretch_sizes(const Matrix2List& reference, const Matrix2List& current, Stretch& out);

/// Exponents this close to 1 count as 1: a frame's interval is the difference of two times, which a day into a clip are
/// rounded by as much.
inline constexpr double kRateRounding = 1e-9;

/// Raises the stretches to the power `exponent`, in place: the stretch a reference interval would have shown, for a
/// frame interval Δt and exponent Δt_ref/Δt. An exponent within kRateRounding of 1 changes no bit.
void rescale_rate(Stretch& stretch, double exponent);

}  // namespace pucker
