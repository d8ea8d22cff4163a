#include "pucker/byexample/kernels.h"

#include <array>
#include <cstring>

#include "pucker/target_clones.h"

namespace pucker::byexample {

namespace {

#if defined(__GNUC__)
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
#else
struct Lanes {
  std::array<float, kLanes> x;
  friend Lanes operator+(Lanes a, const Lanes& b) { return a += b; }
  friend Lanes operator-(Lanes a, const Lanes& b) {
    for (std::size_t k = 0; k < a.x.size(); ++k) a.x[k] -= b.x[k];
    return a;
  }
  friend Lanes operator*(Lanes a, const Lanes& b) {
    for (std::size_t k = 0; k < a.x.size(); ++k) a.x[k] *= b.x[k];
    return a;
  }
  friend Lanes operator*(float b, Lanes a) {
    for (float& x : a.x) x *= b;
    return a;
  }
  friend Lanes operator-(Lanes a, float b) {
    for (float& x : a.x) x -= b;
    return a;
  }
  Lanes& operator+=(const Lanes& b) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += b.x[k];
    return *this;
  }
};
#endif

/// Fills the lanes with the numbers from a place on; and the other way.
inline void load(const float* from, Lanes& out) { std::memcpy(&out, from, sizeof out); }
inline void store(const Lanes& lanes, float* to) { std::memcpy(to, &lanes, sizeof lanes); }
/// In the order that halves have.
inline float sum(const Lanes& lanes) {
  float x[kLanes];
  store(lanes, x);
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

}  // namespace

PUCKER_TARGET_CLONES void sum_squares(const float* const* rows, const float* values, const float* counts,
                                      std::size_t size, std::ptrdiff_t width, float* out) {
  std::ptrdiff_t lane = 0;
  // Two sums need not wait for each other.
  for (; lane + 2 * kLanes <= width; lane += 2 * kLanes) {
    Lanes first = {};
    Lanes second = {};
    for (std::size_t k = 0; k < size; ++k) {
      Lanes a;
      Lanes b;
      load(rows[k] + lane, a);
      load(rows[k] + lane + kLanes, b);
      a = a - values[k];
      b = b - values[k];
      first += counts[k] * (a * a);
      second += counts[k] * (b * b);
    }
    store(first, out + lane);
    store(second, out + lane + kLanes);
  }
  if (lane == width) return;
  Lanes sum = {};
  for (std::size_t k = 0; k < size; ++k) {
    Lanes a;
    load(rows[k] + lane, a);
    a = a - values[k];
    sum += counts[k] * (a * a);
  }
  store(sum, out + lane);
}

PUCKER_TARGET_CLONES void add_rows(const float* rows, std::ptrdiff_t size, std::ptrdiff_t width, const float* factors,
                                   float* out) {
  std::memcpy(out, rows, std::size_t(width) * sizeof(float));
  const float* row = rows + width;
  std::ptrdiff_t k = 0;
  for (; k + 4 < size; k += 4, row += 4 * width)
    for (std::ptrdiff_t lane = 0; lane < width; lane += kLanes) {
      Lanes sum, a, b, c, d;
      load(out + lane, sum);
      load(row + lane, a);
      load(row + width + lane, b);
      load(row + 2 * width + lane, c);
      load(row + 3 * width + lane, d);
      sum += (factors[k] * a + factors[k + 1] * b) + (factors[k + 2] * c + factors[k + 3] * d);
      store(sum, out + lane);
    }
  for (; k + 1 < size; ++k, row += width)
    for (std::ptrdiff_t lane = 0; lane < width; lane += kLanes) {
      Lanes sum, a;
      load(out + lane, sum);
      load(row + lane, a);
      sum += factors[k] * a;
      store(sum, out + lane);
    }
}

PUCKER_TARGET_CLONES void blend_single(const Spread& spread, const float* weights, const float* details,
                                       std::ptrdiff_t count, std::ptrdiff_t size, double gain, double* out) {
  for (std::ptrdiff_t v = 0; v < size; ++v, details += 3 * count, out += 3) {
    const std::int32_t begin = spread.begins[v];
    const std::int32_t corners = spread.begins[v + 1] - begin;
    // A corner that is not there is the first again, with no share.
    const std::int32_t second = begin + (corners > 1 ? 1 : 0);
    const std::int32_t third = begin + (corners > 2 ? 2 : 0);
    const auto of_first = float(spread.shares[begin]);
    const float of_second = corners > 1 ? float(spread.shares[second]) : 0.0F;
    const float of_third = corners > 2 ? float(spread.shares[third]) : 0.0F;
    const float* const at_first = weights + spread.columns[begin] * count;
    const float* const at_second = weights + spread.columns[second] * count;
    const float* const at_third = weights + spread.columns[third] * count;
    Lanes x = {};
    Lanes y = {};
    Lanes z = {};
    for (std::ptrdiff_t q = 0; q < count; q += kLanes) {
      Lanes a, b, c, part;
      load(at_first + q, a);
      load(at_second + q, b);
      load(at_third + q, c);
      a = of_first * a + (of_second * b + of_third * c);
      load(details + q, part);
      x += a * part;
      load(details + count + q, part);
      y += a * part;
      load(details + 2 * count + q, part);
      z += a * part;
    }
    out[0] = gain * double(sum(x));
    out[1] = gain * double(sum(y));
    out[2] = gain * double(sum(z));
  }
}

}  // namespace pucker::byexample
