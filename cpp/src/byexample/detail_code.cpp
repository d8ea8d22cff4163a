#include "pucker/byexample/detail_code.h"

#include <cmath>
#include <utility>

#include "pucker/byexample/synthesis.h"
#include "pucker/errors.h"
#include "pucker/mesh/loop.h"

namespace pucker::byexample {

DetailCode::DetailCode(std::shared_ptr<const Mesh> mesh, int levels, const ConstArray3& rest)
    : frames_(SmoothSurface(mesh, levels, rest).frames().frames()), first_(mesh->vertex_count()) {
  std::shared_ptr<const Mesh> coarser = std::move(mesh);
  for (int level = 0; level < levels; ++level) {
    for (std::int32_t e = 0; e < coarser->edge_count(); ++e)
      ends_.push_back({coarser->edges()(e, 0), coarser->edges()(e, 1)});
    if (level + 1 < levels) coarser = LoopSubdivision(coarser, 1).fine();
  }
}

Array3 DetailCode::encode(const ConstArray3& details, double step) const {
  require_rows(details, step);
  Array3 decoded(details.rows(), 3);
  Array3 out(details.rows(), 3);
  for (std::int64_t v = 0; v < vertex_count(); ++v) {
    const Eigen::RowVector3d prediction = predicted(v, decoded);
    out.row(v) = ((details.row(v) - prediction) / step).array().rint();
    decoded.row(v) = prediction + step * out.row(v);
  }
  return out;
}

Array3 DetailCode::decode(const ConstArray3& multiples, double step) const {
  require_rows(multiples, step);
  Array3 out(multiples.rows(), 3);
  for (std::int64_t v = 0; v < vertex_count(); ++v) out.row(v) = predicted(v, out) + step * multiples.row(v);
  return out;
}

void DetailCode::require_rows(const ConstArray3& rows, double step) const {
  require(rows.rows() == vertex_count(), "details must have one row a fine vertex, ", vertex_count(), ", not ",
          rows.rows());
  require(rows.allFinite(), "details must be finite");
  require(std::isfinite(step) && step > 0, "the step of details must be positive, not ", step);
}

Eigen::RowVector3d DetailCode::predicted(std::int64_t v, const Array3& details) const {
  if (v < first_) return Eigen::RowVector3d::Zero();
  const auto [a, b] = ends_[std::size_t(v - first_)];
  const Vector3 mean = 0.5 * (frames_[std::size_t(a)] * details.row(a).transpose() +
                              frames_[std::size_t(b)] * details.row(b).transpose());
  return (frames_[std::size_t(v)].transpose() * mean).transpose();
}

}  // namespace pucker::byexample
