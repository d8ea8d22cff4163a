#include "pucker/loop_detail.h"

#include <algorithm>
#include <cmath>

#include "pucker/errors.h"

namespace pucker {

void LoopDetail::evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                               Evaluation& out) const {
  points_of_mesh(mesh(), positions(), triangles, barycentrics, out);
  SurfacePoints& points = out.points;
  const Array3& fine = fine_positions();
  const Array3& normals = fine_normals();
  for (Eigen::Index i = 0; i < points.base.rows(); ++i) {
    const std::int32_t t = triangles[std::size_t(i)];
    const FinePoint at = subdivision()->locate(t, barycentrics.row(i).transpose());
    Eigen::RowVector3d place = Eigen::RowVector3d::Zero();
    Eigen::RowVector3d normal = Eigen::RowVector3d::Zero();
    for (int k = 0; k < 3; ++k) {
      const std::int32_t v = at.face == kNone ? mesh().faces()(t, k) : subdivision()->fine()->faces()(at.face, k);
      place += at.barycentrics[k] * fine.row(v);
      normal += at.barycentrics[k] * normals.row(v);
    }
    points.positions.row(i) = place;
    points.displacements.row(i) = place - points.base.row(i);
    if (const double length = normal.norm(); length > 0) points.normals.row(i) = normal / length;
  }
}

std::vector<std::uint8_t> LoopDetail::reached() const {
  return std::vector<std::uint8_t>(std::size_t(mesh().triangle_count()), 1);
}

std::vector<double> LoopDetail::feature_sizes() const {
  std::vector<double> out(std::size_t(mesh().triangle_count()));
  for (std::int32_t t = 0; t < mesh().triangle_count(); ++t) {
    double length = 0;
    for (int k = 0; k < 3; ++k)
      length += (positions().row(mesh().faces()(t, (k + 1) % 3)) - positions().row(mesh().faces()(t, k))).norm() / 3;
    out[std::size_t(t)] = std::max(std::ldexp(2 * length, -subdivision()->levels()), feature_size());
  }
  return out;
}

std::array<double, 2> LoopDetail::offset_range() const {
  // A point of the surface is as far from its base as the mean, by its coordinates, of the corners of its fine
  // triangle.
  double farthest = 0;
  const SparseRows& places = subdivision()->barycentrics();
  const Array3& fine = fine_positions();
  for (Eigen::Index v = 0; v < places.rows(); ++v) {
    Eigen::RowVector3d away = fine.row(v);
    for (SparseRows::InnerIterator entry(places, v); entry; ++entry)
      away -= entry.value() * positions().row(entry.col());
    farthest = std::max(farthest, away.norm());
  }
  return {-farthest, farthest};
}

std::vector<std::int32_t> LoopDetail::edge_levels(double target_edge, int limit) const {
  require(std::isfinite(target_edge) && target_edge > 0, "target_edge must be finite and positive, got ", target_edge);
  require(limit >= 1, "limit must be at least 1, got ", limit);
  std::vector<std::int32_t> out(std::size_t(mesh().edge_count()), std::min(1 << subdivision()->levels(), limit));
  return out;
}

}  // namespace pucker
