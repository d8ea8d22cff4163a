/// Four numbers of single precision at once: three of a vertex and a zero, or one of each of four edges.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace pucker::drape {

#if defined(__GNUC__)
using Four = float __attribute__((vector_size(4 * sizeof(float))));
#else
struct Four {
  float x[4];
  float operator[](std::size_t k) const { return x[k]; }
  float& operator[](std::size_t k) { return x[k]; }
  friend Four operator+(Four a, const Four& b) { return a += b; }
  friend Four operator-(Four a, const Four& b) { return a -= b; }
  friend Four operator*(Four a, const Four& b) {
    for (std::size_t k = 0; k < 4; ++k) a.x[k] *= b.x[k];
    return a;
  }
  friend Four operator/(Four a, const Four& b) {
    for (std::size_t k = 0; k < 4; ++k) a.x[k] /= b.x[k];
    return a;
  }
  friend Four operator*(float b, Four a) {
    for (float& x : a.x) x *= b;
    return a;
  }
  Four& operator+=(const Four& b) {
    for (std::size_t k = 0; k < 4; ++k) x[k] += b.x[k];
    return *this;
  }
  Four& operator-=(const Four& b) {
    for (std::size_t k = 0; k < 4; ++k) x[k] -= b.x[k];
    return *this;
  }
};
#endif

using Fours = std::vector<Four>;

inline float sum(const Four& a) { return (a[0] + a[2]) + (a[1] + a[3]); }

/// Of numbers that are at least 0, each rounded as one alone would be.
inline Four root(const Four& a) {
#if defined(__SSE2__)
  return Four(_mm_sqrt_ps(a));
#else
  return Four{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

inline Four larger(const Four& a, float b) {
#if defined(__SSE2__)
  return Four(_mm_max_ps(a, Four{b, b, b, b}));
#else
  return Four{std::fmax(a[0], b), std::fmax(a[1], b), std::fmax(a[2], b), std::fmax(a[3], b)};
#endif
}

/// Rows become columns.
inline void transpose(Four& a, Four& b, Four& c, Four& d) {
#if defined(__SSE2__)
  __m128 p = a, q = b, r = c, s = d;
  _MM_TRANSPOSE4_PS(p, q, r, s);
  a = Four(p), b = Four(q), c = Four(r), d = Four(s);
#else
  const Four p = a, q = b, r = c, s = d;
  a = Four{p[0], q[0], r[0], s[0]};
  b = Four{p[1], q[1], r[1], s[1]};
  c = Four{p[2], q[2], r[2], s[2]};
  d = Four{p[3], q[3], r[3], s[3]};
#endif
}

/// A symmetric 3×3 matrix of a vertex.
struct Block {
  float xx, xy, xz, yy, yz, zz;
};

/// Vertices or edges whose numbers are summed in single precision; sums of such blocks, in double. However much there
/// is, sums are as exact, and the same on every machine.
inline constexpr std::size_t kSumBlock = 256;
/// Vertices that a thread takes at a time, whole blocks of sums: enough that to share them costs little.
inline constexpr std::size_t kTaken = 2 * kSumBlock;

}  // namespace pucker::drape
