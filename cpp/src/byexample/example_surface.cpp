#include "pucker/byexample/example_surface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/byexample/by_example.h"
#include "pucker/draw/content.h"
#include "pucker/errors.h"

namespace pucker::byexample {

ExampleDetail::ExampleDetail(const ExampleState& state)
    : Detail(*state.run().synthesis().features().mesh(), state.positions),
      state_(state),
      feature_size_(smallest_feature(state.run().synthesis().features(), subdivision()->levels())) {}

const std::shared_ptr<const LoopSubdivision>& ExampleDetail::subdivision() const {
  return state_.run().synthesis().share_subdivision();
}

const Array3& ExampleDetail::fine_positions() const { return state_.surface().positions; }

const Array3& ExampleDetail::fine_normals() const { return state_.normals(); }

std::string_view ExampleDetail::shaders() const {
  return state_.run().params().compute == Compute::gpu ? "byexample" : "";
}

draw::Content ExampleDetail::draw_content(const Vector3& origin, const draw::Continued* done) const {
  if (shaders().empty()) return {};
  return state_.run().content(positions(), state_.sway().offsets, state_.pose_weights(), origin, done);
}

SurfacePoints ExampleDetail::evaluate(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const {
  SurfacePoints out = points_of_mesh(mesh(), positions(), triangles, barycentrics);
  const Array3& fine = fine_positions();
  const Array3& normals = fine_normals();
  for (Eigen::Index i = 0; i < out.base.rows(); ++i) {
    const std::int32_t t = triangles[std::size_t(i)];
    const FinePoint at = subdivision()->locate(t, barycentrics.row(i).transpose());
    Eigen::RowVector3d place = Eigen::RowVector3d::Zero();
    Eigen::RowVector3d normal = Eigen::RowVector3d::Zero();
    for (int k = 0; k < 3; ++k) {
      const std::int32_t v = at.face == kNone ? mesh().faces()(t, k) : subdivision()->fine()->faces()(at.face, k);
      place += at.barycentrics[k] * fine.row(v);
      normal += at.barycentrics[k] * normals.row(v);
    }
    out.positions.row(i) = place;
    out.displacements.row(i) = place - out.base.row(i);
    if (const double length = normal.norm(); length > 0) out.normals.row(i) = normal / length;
  }
  return out;
}

std::vector<std::uint8_t> ExampleDetail::reached() const {
  return std::vector<std::uint8_t>(std::size_t(mesh().triangle_count()), 1);
}

std::vector<double> ExampleDetail::feature_sizes() const {
  std::vector<double> out(std::size_t(mesh().triangle_count()));
  for (std::int32_t t = 0; t < mesh().triangle_count(); ++t) {
    double length = 0;
    for (int k = 0; k < 3; ++k)
      length += (positions().row(mesh().faces()(t, (k + 1) % 3)) - positions().row(mesh().faces()(t, k))).norm() / 3;
    out[std::size_t(t)] = std::max(std::ldexp(2 * length, -subdivision()->levels()), feature_size_);
  }
  return out;
}

std::array<double, 2> ExampleDetail::offset_range() const {
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

std::vector<std::int32_t> ExampleDetail::edge_levels(double target_edge, int limit) const {
  require(std::isfinite(target_edge) && target_edge > 0, "target_edge must be finite and positive, got ", target_edge);
  require(limit >= 1, "limit must be at least 1, got ", limit);
  std::vector<std::int32_t> out(std::size_t(mesh().edge_count()), std::min(1 << subdivision()->levels(), limit));
  return out;
}

double smallest_feature(const Features& features, int levels) {
  return std::ldexp(0.5 * features.mean_length(), -levels);
}

}  // namespace pucker::byexample
