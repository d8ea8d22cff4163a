/// A reference shape per triangle that remembers where the cloth is compressed (Gillette 2015, section 4.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/dynamic/label.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/stretch.h"
#include "pucker/types.h"

namespace pucker {

/// What a reference becomes one frame later by `dt` seconds, in `out`. With F = AΣBᵀ from the reference to `current`:
/// label C: the reference becomes BΣ'⁻¹Aᵀ·current, Σ' = kΣ + (1−k)I with k = keep^(dt/interval), so the stretches
/// move toward 1 and keep their directions; label S with both stretches above 1: the reference becomes `current`;
/// otherwise it keeps its bits. A triangle without area, in the reference or now, is left as it is.
/// Throws InvalidArgument for a wrong length, a label outside 0…2 or dt ≤ 0; `out` is then unchanged.
void next_reference(const Matrix2List& reference, std::span<const std::int8_t> labels, const Matrix2List& current,
                    double dt, const Params& params, Matrix2List& out);

/// Throws InvalidArgument unless there are `count` reference triangles, finite and of no negative determinant.
void require_reference(const Matrix2List& reference, std::size_t count);

/// Reference triangles as 2×2 matrices. They start as the triangles of the first frame.
class ReferenceShape {
 public:
  /// `current`: triangle matrices of the first frame, shape (m, 2, 2).
  ReferenceShape(Matrix2List current, const Params& params);

  const Matrix2List& matrices() const { return matrices_; }

  /// Takes the reference one frame on, see next_reference; if that throws, it is unchanged.
  void step(std::span<const std::int8_t> labels, const Matrix2List& current, double dt);

 private:
  Matrix2List matrices_;
  Matrix2List next_;
  Params params_;
};

}  // namespace pucker
