#include "pucker/dynamic/stretch.h"

#include <cmath>
#include <tuple>

#include "pucker/errors.h"

namespace pucker {

namespace {

/// Rotation by the angle of the unit complex number `z`.
RowMatrix2 rotation(const Vector2& z) { return (RowMatrix2() << z.x(), -z.y(), z.y(), z.x()).finished(); }

/// Square root with non-negative real part of a unit complex number.
Vector2 unit_square_root(const Vector2& z) {
  // The larger of cos(φ/2), |sin(φ/2)| is computed by a root, the other from z.y = 2·sin·cos: no cancellation.
  if (z.x() >= 0) {
    const double cosine = std::sqrt(0.5 * (1 + z.x()));
    return {cosine, 0.5 * z.y() / cosine};
  }
  const double sine = std::copysign(std::sqrt(0.5 * (1 - z.x())), z.y());
  return {0.5 * z.y() / sine, sine};
}

Vector2 multiply(const Vector2& a, const Vector2& b) {
  return {a.x() * b.x() - a.y() * b.y(), a.x() * b.y() + a.y() * b.x()};
}

/// With left = R(φ), right = R(θ): a matrix is q·R(φ−θ) + r·R(φ+θ)·diag(1, −1), its conformal and its anticonformal
/// part.
struct Parts {
  Vector2 conformal;      ///< q·(cos, sin) of φ−θ
  Vector2 anticonformal;  ///< r·(cos, sin) of φ+θ
  double q;
  double r;
};

Parts parts_of(const RowMatrix2& m) {
  const Vector2 conformal(0.5 * (m(0, 0) + m(1, 1)), 0.5 * (m(1, 0) - m(0, 1)));
  const Vector2 anticonformal(0.5 * (m(0, 0) - m(1, 1)), 0.5 * (m(1, 0) + m(0, 1)));
  return {conformal, anticonformal, conformal.norm(), anticonformal.norm()};
}

std::pair<double, double> stretches_of(const RowMatrix2& m, const Parts& parts) {
  const double maximum = parts.q + parts.r;
  // q − r cancels for a nearly singular matrix; the determinant over the larger value does not, but for a multiple of a
  // rotation rounding may make it the larger one.
  const double determinant = m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0);
  return {maximum > 0 ? std::fmin(std::fmax(determinant, 0.0) / maximum, maximum) : 0, maximum};
}

}  // namespace

std::pair<double, double> principal_stretches(const RowMatrix2& m) { return stretches_of(m, parts_of(m)); }

SvdFactors svd(const RowMatrix2& m) {
  // The singular values are q ± r. Angles are held as unit complex numbers, so no trigonometric function is called.
  const Parts parts = parts_of(m);
  SvdFactors out;
  std::tie(out.minimum, out.maximum) = stretches_of(m, parts);
  const Vector2 turn = parts.q > 0 ? Vector2(parts.conformal / parts.q) : Vector2(1, 0);
  // A multiple of a rotation has no directions of its own; those of the reference frame serve.
  const Vector2 mirror = parts.r > 0 ? Vector2(parts.anticonformal / parts.r) : turn;
  const Vector2 left = unit_square_root(multiply(turn, mirror));
  const Vector2 right = multiply(left, {turn.x(), -turn.y()});
  out.left = rotation(left);
  out.right = rotation(right);
  return out;
}

RowMatrix2 deformation_gradient(const RowMatrix2& reference, const RowMatrix2& current) {
  // Divided by the determinant at the end, so that equal matrices give exactly the identity.
  const double determinant = reference(0, 0) * reference(1, 1) - reference(0, 1) * reference(1, 0);
  RowMatrix2 f;
  f(0, 0) = (current(0, 0) * reference(1, 1) - current(0, 1) * reference(1, 0)) / determinant;
  f(0, 1) = (current(0, 1) * reference(0, 0) - current(0, 0) * reference(0, 1)) / determinant;
  f(1, 0) = (current(1, 0) * reference(1, 1) - current(1, 1) * reference(1, 0)) / determinant;
  f(1, 1) = (current(1, 1) * reference(0, 0) - current(1, 0) * reference(0, 1)) / determinant;
  return f;
}

namespace {

void require_same_size(const Matrix2List& reference, const Matrix2List& current) {
  require(reference.size() == current.size(), "reference and current must hold the same triangles, got ",
          reference.size(), " and ", current.size());
}

}  // namespace

void stretch_sizes(const Matrix2List& reference, const Matrix2List& current, Stretch& out) {
  require_same_size(reference, current);
  const std::size_t count = current.size();
  out.minimum.resize(count);
  out.maximum.resize(count);
  out.left.clear();
  out.right.clear();
  for (std::size_t t = 0; t < count; ++t) {
    out.minimum[t] = out.maximum[t] = 1;
    if (reference[t].determinant() > 0)
      std::tie(out.minimum[t], out.maximum[t]) = principal_stretches(deformation_gradient(reference[t], current[t]));
  }
}

void stretch(const Matrix2List& reference, const Matrix2List& current, Stretch& out) {
  require_same_size(reference, current);
  const std::size_t count = current.size();
  out.minimum.resize(count);
  out.maximum.resize(count);
  out.left.resize(count);
  out.right.resize(count);
  for (std::size_t t = 0; t < count; ++t) {
    if (!(reference[t].determinant() > 0)) {
      out.minimum[t] = out.maximum[t] = 1;
      out.left[t].setIdentity();
      out.right[t].setIdentity();
      continue;
    }
    const SvdFactors factors = svd(deformation_gradient(reference[t], current[t]));
    out.minimum[t] = factors.minimum;
    out.maximum[t] = factors.maximum;
    out.left[t] = factors.left;
    out.right[t] = factors.right;
  }
}

Stretch stretch(const Matrix2List& reference, const Matrix2List& current) {
  Stretch out;
  stretch(reference, current, out);
  return out;
}

void rescale_rate(Stretch& stretch, double exponent) {
  if (std::fabs(exponent - 1) <= kRateRounding) return;
  for (double& value : stretch.minimum) value = std::pow(value, exponent);
  for (double& value : stretch.maximum) value = std::pow(value, exponent);
}

}  // namespace pucker
