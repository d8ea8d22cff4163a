#include "pucker/dynamic/reference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/errors.h"

namespace pucker {

ReferenceShape::ReferenceShape(Matrix2List current, const Params& params)
    : matrices_(std::move(current)),
      keep_(params.reference.keep),
      interval_(params.interval),
      verbatim_(params.verbatim) {
  params.validate();
}

void ReferenceShape::set_matrices(Matrix2List matrices) {
  require(matrices.size() == matrices_.size(), "the reference has ", matrices_.size(), " triangles, got ",
          matrices.size());
  for (std::size_t t = 0; t < matrices.size(); ++t)
    require(matrices[t].allFinite() && matrices[t].determinant() >= 0, "reference triangle ", t,
            " must be finite and not mirrored, its determinant is ", matrices[t].determinant());
  matrices_ = std::move(matrices);
}

void ReferenceShape::step(std::span<const std::int8_t> labels, const Matrix2List& current, double dt) {
  preview(labels, current, dt, next_);
  matrices_.swap(next_);
}

void ReferenceShape::accept(const Matrix2List& next) noexcept {
  std::copy(next.begin(), next.end(), matrices_.begin());
}

void ReferenceShape::preview(std::span<const std::int8_t> labels, const Matrix2List& current, double dt,
                             Matrix2List& out) const {
  require(current.size() == matrices_.size(), "the reference has ", matrices_.size(), " triangles, but current has ",
          current.size());
  require(labels.size() == matrices_.size(), "the reference has ", matrices_.size(), " triangles, but labels has ",
          labels.size());
  require(std::isfinite(dt) && dt > 0, "dt must be a finite time above 0 s, got ", dt);
  for (std::size_t t = 0; t < labels.size(); ++t)
    require(labels[t] >= kCompress && labels[t] <= kStretch, "labels must be 0, 1 or 2, but labels[", t, "] is ",
            int(labels[t]));

  out = matrices_;
  const double keep = verbatim_ ? keep_ : std::pow(keep_, dt / interval_);
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] == kRest) continue;
    if (!(out[t].determinant() > 0) || !(current[t].determinant() > 0)) continue;
    const SvdFactors f = svd(deformation_gradient(out[t], current[t]));
    if (labels[t] == kStretch) {
      if (f.minimum > 1 && f.maximum > 1) out[t] = current[t];
      continue;
    }
    const Vector2 relaxed(1 / (keep * f.maximum + (1 - keep)), 1 / (keep * f.minimum + (1 - keep)));
    const RowMatrix2 next = f.right * relaxed.asDiagonal() * f.left.transpose() * current[t];
    // Between shapes many orders of magnitude apart the product may round to a singular matrix; it would stay so.
    if (next.allFinite() && next.determinant() > 0) out[t] = next;
  }
}

}  // namespace pucker
