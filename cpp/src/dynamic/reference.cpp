#include "pucker/dynamic/reference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "blocks.h"
#include "pucker/errors.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// The reference shape of a triangle that shows as `current` and has a label; `keep`: the share that is kept of what
/// it is compressed by.
RowMatrix2 next_shape(const RowMatrix2& reference, const RowMatrix2& current, std::int8_t label, double keep) {
  if (label == kRest || !(reference.determinant() > 0) || !(current.determinant() > 0)) return reference;
  const SvdFactors f = svd(deformation_gradient(reference, current));
  if (label == kStretch) return f.minimum > 1 && f.maximum > 1 ? current : reference;
  const Vector2 relaxed(1 / (keep * f.maximum + (1 - keep)), 1 / (keep * f.minimum + (1 - keep)));
  const RowMatrix2 next = f.right.matrix() * relaxed.asDiagonal() * f.left.matrix().transpose() * current;
  // Between shapes many orders of magnitude apart the product may round to a singular matrix; it would stay so.
  return next.allFinite() && next.determinant() > 0 ? next : reference;
}

}  // namespace

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
  const auto require_labels = [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      require(labels[t] >= kCompress && labels[t] <= kStretch, "labels must be 0, 1 or 2, but labels[", t, "] is ",
              int(labels[t]));
  };
  parallel_blocks(labels.size(), kTrianglesTaken, require_labels);

  out.resize(reference.size());
  const double keep = params.verbatim ? params.reference.keep : std::pow(params.reference.keep, dt / params.interval);
  parallel_blocks(labels.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) out[t] = next_shape(reference[t], current[t], labels[t], keep);
  });
}

}  // namespace pucker
