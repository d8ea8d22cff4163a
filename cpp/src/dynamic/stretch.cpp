#include "pucker/dynamic/stretch.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "pucker/clones.h"
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

/// So many triangles are measured side by side: divisions and roots take most of the time, and a processor has several
/// at once. The operations are those of deformation_gradient and svd, and so are the bits.
constexpr std::size_t kLanes = 8;
using Lanes = double[kLanes];

struct Gradients {
  Lanes f00, f01, f10, f11;
  Lanes determinant;  ///< of the reference triangles
};

/// Of so many triangles as there are lanes, each a row-major matrix.
PUCKER_CLONES void gradients(const double* reference, const double* current, Gradients& out) {
  Lanes r[4];
  Lanes c[4];
  for (std::size_t k = 0; k < kLanes; ++k)
    for (std::size_t entry = 0; entry < 4; ++entry) {
      r[entry][k] = reference[4 * k + entry];
      c[entry][k] = current[4 * k + entry];
    }
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double determinant = r[0][k] * r[3][k] - r[1][k] * r[2][k];
    out.determinant[k] = determinant;
    out.f00[k] = (c[0][k] * r[3][k] - c[1][k] * r[2][k]) / determinant;
    out.f01[k] = (c[1][k] * r[0][k] - c[0][k] * r[1][k]) / determinant;
    out.f10[k] = (c[2][k] * r[3][k] - c[3][k] * r[2][k]) / determinant;
    out.f11[k] = (c[3][k] * r[0][k] - c[2][k] * r[1][k]) / determinant;
  }
}

struct LaneParts {
  Lanes conformal[2];
  Lanes anticonformal[2];
  Lanes q, r;
  Lanes minimum, maximum;
};

PUCKER_CLONES void measure(const Gradients& f, LaneParts& out) {
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double a[2] = {0.5 * (f.f00[k] + f.f11[k]), 0.5 * (f.f10[k] - f.f01[k])};
    const double b[2] = {0.5 * (f.f00[k] - f.f11[k]), 0.5 * (f.f10[k] + f.f01[k])};
    const double q = std::sqrt(a[0] * a[0] + a[1] * a[1]);
    const double r = std::sqrt(b[0] * b[0] + b[1] * b[1]);
    const double maximum = q + r;
    const double determinant = f.f00[k] * f.f11[k] - f.f01[k] * f.f10[k];
    const double ratio = (determinant > 0 ? determinant : 0) / maximum;
    const double minimum = ratio < maximum ? ratio : maximum;
    for (int axis = 0; axis < 2; ++axis) {
      out.conformal[axis][k] = a[axis];
      out.anticonformal[axis][k] = b[axis];
    }
    out.q[k] = q;
    out.r[k] = r;
    out.minimum[k] = maximum > 0 ? minimum : 0;
    out.maximum[k] = maximum;
  }
}

/// The directions of the stretches as unit complex numbers.
struct LaneTurns {
  Lanes left[2];
  Lanes right[2];
};

PUCKER_CLONES void measure_turns(const LaneParts& parts, LaneTurns& out) {
  for (std::size_t k = 0; k < kLanes; ++k) {
    const bool turns = parts.q[k] > 0;
    const bool mirrors = parts.r[k] > 0;
    const double q = parts.q[k];
    const double r = parts.r[k];
    const double turn[2] = {turns ? parts.conformal[0][k] / q : 1, turns ? parts.conformal[1][k] / q : 0};
    const double mirror[2] = {mirrors ? parts.anticonformal[0][k] / r : turn[0],
                              mirrors ? parts.anticonformal[1][k] / r : turn[1]};
    const double x = turn[0] * mirror[0] - turn[1] * mirror[1];
    const double y = turn[0] * mirror[1] + turn[1] * mirror[0];
    // unit_square_root
    const double larger = std::sqrt(0.5 * (1 + std::fabs(x)));
    const double smaller = 0.5 * y / larger;
    const double left[2] = {x >= 0 ? larger : std::fabs(smaller), x >= 0 ? smaller : std::copysign(larger, y)};
    out.left[0][k] = left[0];
    out.left[1][k] = left[1];
    out.right[0][k] = left[0] * turn[0] - left[1] * -turn[1];
    out.right[1][k] = left[0] * -turn[1] + left[1] * turn[0];
  }
}

/// With or without directions.
template <bool kDirections>
void stretch_all(const Matrix2List& reference, const Matrix2List& current, Stretch& out) {
  require(reference.size() == current.size(), "reference and current must hold the same triangles, got ",
          reference.size(), " and ", current.size());
  const std::size_t count = current.size();
  out.minimum.resize(count);
  out.maximum.resize(count);
  out.left.resize(kDirections ? count : 0);
  out.right.resize(kDirections ? count : 0);
  Gradients f;
  LaneParts parts;
  LaneTurns turns;
  // The last triangles, with nothing in the lanes beyond them.
  double last[2][4 * kLanes] = {};
  for (std::size_t start = 0; start < count; start += kLanes) {
    const std::size_t lanes = std::min(count - start, kLanes);
    const double* shapes[2] = {reference[start].data(), current[start].data()};
    if (lanes < kLanes)
      for (int which = 0; which < 2; ++which) {
        std::copy_n(shapes[which], 4 * lanes, last[which]);
        shapes[which] = last[which];
      }
    gradients(shapes[0], shapes[1], f);
    measure(f, parts);
    if constexpr (kDirections) measure_turns(parts, turns);
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t t = start + k;
      const bool whole = f.determinant[k] > 0;
      out.minimum[t] = whole ? parts.minimum[k] : 1;
      out.maximum[t] = whole ? parts.maximum[k] : 1;
      if constexpr (kDirections) {
        out.left[t] = whole ? rotation({turns.left[0][k], turns.left[1][k]}) : RowMatrix2::Identity();
        out.right[t] = whole ? rotation({turns.right[0][k], turns.right[1][k]}) : RowMatrix2::Identity();
      }
    }
  }
}

}  // namespace

void stretch_sizes(const Matrix2List& reference, const Matrix2List& current, Stretch& out) {
  stretch_all<false>(reference, current, out);
}

void stretch(const Matrix2List& reference, const Matrix2List& current, Stretch& out) {
  stretch_all<true>(reference, current, out);
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
