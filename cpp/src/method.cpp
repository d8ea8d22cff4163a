#include "pucker/method.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pucker/draw/content.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/subdivision.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

constexpr double kCoordinateTolerance = 1e-5;

Vector3 unit_or_up(const Vector3& v) {
  const double length = v.norm();
  return length > 0 ? Vector3(v / length) : Vector3(0, 1, 0);
}

void require_places(const Mesh& mesh, std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) {
  require(std::size_t(barycentrics.rows()) == triangles.size(), "barycentrics must have one row a point: (",
          triangles.size(), ", 3), got (", barycentrics.rows(), ", 3)");
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    require(triangles[i] >= 0 && triangles[i] < mesh.triangle_count(), "triangles must lie in [0, ",
            mesh.triangle_count(), "), but triangles[", i, "] is ", triangles[i]);
    const auto at = barycentrics.row(Eigen::Index(i));
    require(at.minCoeff() >= -kCoordinateTolerance && std::abs(at.sum() - 1) <= kCoordinateTolerance,
            "barycentric coordinates must be at least 0 with the sum 1, but those of point ", i, " are ", at);
  }
}

}  // namespace

SurfacePoints points_of_mesh(const Mesh& mesh, const ConstArray3& positions, std::span<const std::int32_t> triangles,
                             const ConstArray3& barycentrics) {
  Evaluation out;
  points_of_mesh(mesh, positions, triangles, barycentrics, out);
  return std::move(out.points);
}

void points_of_mesh(const Mesh& mesh, const ConstArray3& positions, std::span<const std::int32_t> triangles,
                    const ConstArray3& barycentrics, Evaluation& out) {
  require_positions(mesh, positions);
  require_places(mesh, triangles, barycentrics);
  vertex_normals(mesh, positions, out.vertex_normals);
  for (auto normal : out.vertex_normals.rowwise())
    if (normal.isZero(0)) normal << 0, 1, 0;

  SurfacePoints& points = out.points;
  const Eigen::Index count = barycentrics.rows();
  points.base.resize(count, 3);
  points.base_normals.resize(count, 3);
  parallel_blocks(std::size_t(count), kPointsTaken, [&](std::size_t begin, std::size_t end) {
    for (auto i = Eigen::Index(begin); i < Eigen::Index(end); ++i) {
      const std::int32_t t = triangles[std::size_t(i)];
      Vector3 base = Vector3::Zero();
      Vector3 normal = Vector3::Zero();
      for (int k = 0; k < 3; ++k) {
        base += barycentrics(i, k) * positions.row(mesh.faces()(t, k)).transpose();
        normal += barycentrics(i, k) * out.vertex_normals.row(mesh.faces()(t, k)).transpose();
      }
      points.base.row(i) = base.transpose();
      points.base_normals.row(i) = unit_or_up(normal).transpose();
    }
  });
  points.displacements.setZero(count, 3);
  points.positions = points.base;
  points.normals = points.base_normals;
}

SurfacePoints Detail::evaluate(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const {
  Evaluation out;
  evaluate_into(triangles, barycentrics, out);
  return std::move(out.points);
}

std::vector<double> normal_offsets(const SurfacePoints& points) {
  std::vector<double> out(std::size_t(points.base.rows()));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = points.displacements.row(Eigen::Index(i)).dot(points.base_normals.row(Eigen::Index(i)));
  return out;
}

std::vector<double> Detail::feature_sizes() const {
  const std::vector<std::uint8_t> reached = this->reached();
  std::vector<double> out(reached.size(), std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < out.size(); ++t)
    if (reached[t]) out[t] = feature_size();
  return out;
}

std::vector<std::int32_t> Detail::edge_levels(double target_edge, int limit) const {
  require(std::isfinite(target_edge) && target_edge > 0, "target_edge must be finite and positive, got ", target_edge);
  require(limit >= 1, "limit must be at least 1, got ", limit);
  const std::vector<std::uint8_t> reached = this->reached();
  std::vector<double> targets(reached.size(), std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < targets.size(); ++t)
    if (reached[t]) targets[t] = target_edge;
  return pucker::edge_levels(mesh_, positions_, targets, limit);
}

draw::Content Detail::draw_content(const Vector3&, const draw::Continued*) const { return {}; }

void require_next_frame(const Mesh& mesh, std::optional<double> last, const ConstArray3& positions, double time) {
  require_positions(mesh, positions);
  require(std::isfinite(time), "time must be finite, got ", time);
  require(!last || time > *last, "time must grow: the last frame was at ", last.value_or(0), " s, got ", time, " s");
}

}  // namespace pucker
