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

/// Reference triangles as 2×2 matrices. They start as the triangles of the first frame.
class ReferenceShape {
 public:
  /// `current`: triangle matrices of the first frame, shape (m, 2, 2).
  ReferenceShape(Matrix2List current, const Params& params);

  const Matrix2List& matrices() const { return matrices_; }
  /// Replaces the reference, for restoring a saved run. Throws InvalidArgument if the number of triangles differs, and
  /// for a matrix that is not finite or has a negative determinant.
  void set_matrices(Matrix2List matrices);

  /// One frame later by `dt` seconds. With F = AΣBᵀ from the reference to `current`:
  /// label C: the reference becomes BΣ'⁻¹Aᵀ·current, Σ' = kΣ + (1−k)I with k = keep^(dt/interval), so the stretches
  /// move toward 1 and keep their directions; label S with both stretches above 1: the reference becomes `current`;
  /// otherwise it keeps its bits. A triangle without area, in the reference or now, is left as it is.
  /// Throws InvalidArgument for a wrong length, a label outside 0…2 or dt ≤ 0; the reference is then unchanged.
  void step(std::span<const std::int8_t> labels, const Matrix2List& current, double dt);
  /// What step would make of the reference, in `out`.
  void preview(std::span<const std::int8_t> labels, const Matrix2List& current, double dt, Matrix2List& out) const;
  /// Takes over what preview has given.
  void accept(const Matrix2List& next) noexcept;

 private:
  Matrix2List matrices_;
  Matrix2List next_;
  double keep_;
  double interval_;
  bool verbatim_;
};

}  // namespace pucker
