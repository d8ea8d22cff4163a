#include "pucker/dynamic/stretch.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "blocks.h"
#include "pucker/errors.h"
#include "pucker/target_clones.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

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

Rotation half_turn(const Rotation& turn) {
  // The larger of cosine and sine of the half is computed by a root, the other from sin φ = 2·sin(φ/2)·cos(φ/2): no
  // cancellation.
  if (turn.cosine >= 0) {
    const double cosine = std::sqrt(0.5 * (1 + turn.cosine));
    return {cosine, 0.5 * turn.sine / cosine};
  }
  const double sine = std::copysign(std::sqrt(0.5 * (1 - turn.cosine)), turn.sine);
  return {0.5 * turn.sine / sine, sine};
}

SvdFactors svd(const RowMatrix2& m) {
  // The singular values are q ± r.
  const Parts parts = parts_of(m);
  SvdFactors out;
  std::tie(out.minimum, out.maximum) = stretches_of(m, parts);
  const auto unit = [](const Vector2& v, double size) { return Rotation{v.x() / size, v.y() / size}; };
  const Rotation turn = parts.q > 0 ? unit(parts.conformal, parts.q) : Rotation{};
  // A multiple of a rotation has no directions of its own; those of the reference frame serve.
  const Rotation mirror = parts.r > 0 ? unit(parts.anticonformal, parts.r) : turn;
  out.left = half_turn(turn * mirror);
  out.right = out.left * turn.inverse();
  return out;
}

RowMatrix2 deformation_gradient(const RowMatrix2& reference, const RowMatrix2& current) {
  // Divided by the determinant at the end, so that equal matrices give exactly the identity.
  const double determinant = reference(0, 0) * reference(1, 1) - reference(0, 1) * reference(1, 0);
  return scaled_gradient(reference, current) / determinant;
}

namespace {

/// So many triangles are measured side by side: divisions and roots take most of the time, and a processor has several
/// at once. Measured like svd(deformation_gradient), but of scaled_gradient.
constexpr std::size_t kLanes = 8;
using Lanes = double[kLanes];

struct LaneParts {
  Lanes conformal[2];
  Lanes anticonformal[2];
  Lanes q, r;
  Lanes minimum, maximum;
  Lanes determinant;  ///< of the reference triangles
};

/// Of so many triangles as there are lanes, each a row-major matrix.
PUCKER_TARGET_CLONES void measure(const double* reference, const double* current, LaneParts& out) {
  Lanes from[4];
  Lanes to[4];
  for (std::size_t k = 0; k < kLanes; ++k)
    for (std::size_t entry = 0; entry < 4; ++entry) {
      from[entry][k] = reference[4 * k + entry];
      to[entry][k] = current[4 * k + entry];
    }
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double f00 = to[0][k] * from[3][k] - to[1][k] * from[2][k];
    const double f01 = to[1][k] * from[0][k] - to[0][k] * from[1][k];
    const double f10 = to[2][k] * from[3][k] - to[3][k] * from[2][k];
    const double f11 = to[3][k] * from[0][k] - to[2][k] * from[1][k];
    const double a[2] = {0.5 * (f00 + f11), 0.5 * (f10 - f01)};
    const double b[2] = {0.5 * (f00 - f11), 0.5 * (f10 + f01)};
    const double q = std::sqrt(a[0] * a[0] + a[1] * a[1]);
    const double r = std::sqrt(b[0] * b[0] + b[1] * b[1]);
    const double determinant = from[0][k] * from[3][k] - from[1][k] * from[2][k];
    const double change = (to[0][k] * to[3][k] - to[1][k] * to[2][k]) / determinant;
    const double maximum = (q + r) / determinant;
    const double ratio = (change > 0 ? change : 0) / maximum;
    const double minimum = ratio < maximum ? ratio : maximum;
    for (int axis = 0; axis < 2; ++axis) {
      out.conformal[axis][k] = a[axis];
      out.anticonformal[axis][k] = b[axis];
    }
    out.q[k] = q;
    out.r[k] = r;
    out.minimum[k] = maximum > 0 ? minimum : 0;
    out.maximum[k] = maximum;
    out.determinant[k] = determinant;
  }
}

/// The directions of the stretches as unit complex numbers.
struct LaneTurns {
  Lanes left[2];
  Lanes right[2];
};

PUCKER_TARGET_CLONES void measure_turns(const LaneParts& parts, LaneTurns& out) {
  for (std::size_t k = 0; k < kLanes; ++k) {
    const bool turns = parts.q[k] > 0;
    const bool mirrors = parts.r[k] > 0;
    const double q = parts.q[k];
    const double per_r = 1 / parts.r[k];
    const double turn[2] = {turns ? parts.conformal[0][k] / q : 1, turns ? parts.conformal[1][k] / q : 0};
    const double mirror[2] = {mirrors ? parts.anticonformal[0][k] * per_r : turn[0],
                              mirrors ? parts.anticonformal[1][k] * per_r : turn[1]};
    const double x = turn[0] * mirror[0] - turn[1] * mirror[1];
    const double y = turn[0] * mirror[1] + turn[1] * mirror[0];
    // half_turn
    const double larger = std::sqrt(0.5 * (1 + std::fabs(x)));
    const double smaller = 0.5 * y / larger;
    const double left[2] = {x >= 0 ? larger : std::fabs(smaller), x >= 0 ? smaller : std::copysign(larger, y)};
    out.left[0][k] = left[0];
    out.left[1][k] = left[1];
    out.right[0][k] = left[0] * turn[0] - left[1] * -turn[1];
    out.right[1][k] = left[0] * -turn[1] + left[1] * turn[0];
  }
}

static_assert(kTrianglesTaken % kLanes == 0);

/// Of triangles begin … end, with or without directions.
template <bool kDirections>
void stretch_part(const Matrix2List& reference, const Matrix2List& current, std::size_t begin, std::size_t end,
                  Stretch& out) {
  LaneParts parts;
  LaneTurns turns;
  // The last triangles, with nothing in the lanes beyond them.
  double last[2][4 * kLanes] = {};
  for (std::size_t start = begin; start < end; start += kLanes) {
    const std::size_t lanes = std::min(end - start, kLanes);
    const double* shapes[2] = {reference[start].data(), current[start].data()};
    if (lanes < kLanes)
      for (int which = 0; which < 2; ++which) {
        std::copy_n(shapes[which], 4 * lanes, last[which]);
        shapes[which] = last[which];
      }
    measure(shapes[0], shapes[1], parts);
    if constexpr (kDirections) measure_turns(parts, turns);
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t t = start + k;
      const bool whole = parts.determinant[k] > 0;
      out.minimum[t] = whole ? parts.minimum[k] : 1;
      out.maximum[t] = whole ? parts.maximum[k] : 1;
      if constexpr (kDirections) {
        out.left[t] = whole ? Rotation{turns.left[0][k], turns.left[1][k]} : Rotation{};
        out.right[t] = whole ? Rotation{turns.right[0][k], turns.right[1][k]} : Rotation{};
      }
    }
  }
}

template <bool kDirections>
void stretch_all(const Matrix2List& reference, const Matrix2List& current, Stretch& out) {
  require(reference.size() == current.size(), "reference and current must hold the same triangles, got ",
          reference.size(), " and ", current.size());
  const std::size_t count = current.size();
  out.minimum.resize(count);
  out.maximum.resize(count);
  out.left.resize(kDirections ? count : 0);
  out.right.resize(kDirections ? count : 0);
  parallel_blocks(count, kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    stretch_part<kDirections>(reference, current, begin, end, out);
  });
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
  for (std::vector<double>* values : {&stretch.minimum, &stretch.maximum})
    parallel_blocks(values->size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) (*values)[t] = std::pow((*values)[t], exponent);
    });
}

}  // namespace pucker
