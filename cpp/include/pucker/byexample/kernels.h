/// The inner loops of by-example detail, vectorised, with the same bits on every processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pucker::byexample {

/// SIMD width in floats; rows are padded to multiples of it.
inline constexpr std::ptrdiff_t kLanes = 8;

/// `count` rounded up to a multiple of kLanes.
constexpr std::ptrdiff_t whole_lanes(std::ptrdiff_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

/// Where the weights of fine vertices come from: rows of few shares each.
struct Spread {
  const std::int32_t* begins;
  const std::int32_t* columns;
  const double* shares;
};

/// Fills `out` (C,) with Σ_k counts[k] (row_k − values[k])², of `size` padded rows (C,).
void sum_squares(const float* const* rows, const float* values, const float* counts, std::size_t size,
                 std::ptrdiff_t width, float* out);

/// Fills `out` (width,) with the first of the rows and, for each other, `factors` times it; rows are padded.
void add_rows(const float* rows, std::ptrdiff_t size, std::ptrdiff_t width, const float* factors, float* out);

/// Fills `out` (size, 3) with what `details` (size, 3, count) are by weights (k, count) spread to the fine vertices,
/// each of one to three shares, `gain` times. Rows are padded.
void blend_single(const Spread& spread, const float* weights, const float* details, std::ptrdiff_t count,
                  std::ptrdiff_t size, double gain, double* out);

}  // namespace pucker::byexample
