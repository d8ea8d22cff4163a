#include "pucker/dynamic/reference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/errors.h"

namespace pucker {

void require_reference(const Matrix2List& reference, std::size_t count) {
  require(reference.size() == count, "the reference has ", count, " triangles, got ", reference.size());
  for (std::size_t t = 0; t < count; ++t)
    require(reference[t].allFinite() && reference[t].determinant() >= 0, "reference triangle ", t,
            " must be finite and not mirrored, its determinant is ", reference[t].determinant());
}

ReferenceShape::ReferenceShape(Matrix2List current, const Params& params)
    : matrices_(std::move(current)), params_(params) {
  params_.validate();
}

void ReferenceShape::step(std::span<const std::int8_t> labels, const Matrix2List& current, double dt) {
  next_reference(matrices_, labels, current, dt, params_, next_);
  matrices_.swap(next_);
}

void next_reference(const Matrix2List& reference, std::span<const std::int8_t> labels, const Matrix2List& current,
                    double dt, const Params& params, Matrix2List& out) {
  require(current.size() == reference.size(), "the reference has ", reference.size(), " triangles, but current has ",
          current.size());
  require(labels.size() == reference.size(), "the reference has ", reference.size(), " triangles, but labels has ",
          labels.size());
  require(std::isfinite(dt) && dt > 0, "dt must be a finite time above 0 s, got ", dt);
  for (std::size_t t = 0; t < labels.size(); ++t)
    require(labels[t] >= kCompress && labels[t] <= kStretch, "labels must be 0, 1 or 2, but labels[", t, "] is ",
            int(labels[t]));

  out = reference;
  const double keep = params.verbatim ? params.reference.keep : std::pow(params.reference.keep, dt / params.interval);
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] == kRest) continue;
    if (!(out[t].determinant() > 0) || !(current[t].determinant() > 0)) continue;
    const SvdFactors f = svd(deformation_gradient(out[t], current[t]));
    if (labels[t] == kStretch) {
      if (f.minimum > 1 && f.maximum > 1) out[t] = current[t];
      continue;
    }
    const Vector2 relaxed(1 / (keep * f.maximum + (1 - keep)), 1 / (keep * f.minimum + (1 - keep)));
    const RowMatrix2 next = f.right.matrix() * relaxed.asDiagonal() * f.left.matrix().transpose() * current[t];
    // Between shapes many orders of magnitude apart the product may round to a singular matrix; it would stay so.
    if (next.allFinite() && next.determinant() > 0) out[t] = next;
  }
}

}  // namespace pucker
