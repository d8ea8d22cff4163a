#include "soak/checks.h"

#include <algorithm>
#include <cmath>

namespace pucker::soak {

namespace {

constexpr Eigen::Index kPoints = 24;  ///< evaluated in a frame

Vector3 inside(Draws& draws) {
  double a = draws.uniform();
  double b = draws.uniform();
  if (a + b > 1) {
    a = 1 - a;
    b = 1 - b;
  }
  return {a, b, 1 - a - b};
}

/// The same point of edge (k, k+1) of a triangle, seen from the other triangle.
Vector3 across(const Mesh& mesh, std::int32_t from, int k, std::int32_t to, const Vector3& weights) {
  Vector3 out = Vector3::Zero();
  for (const int corner : {k, (k + 1) % 3}) out[mesh.corner(to, mesh.faces()(from, corner))] = weights[corner];
  return out;
}

}  // namespace

void Checks::frame(const Method& run, const Shot& shot, int still, Draws& draws) {
  const State& state = run.state();
  hold(state.frame == frames_, "the frame is ", state.frame, ", not ", frames_);
  hold(state.time == shot.time, "the time is ", state.time, ", not ", shot.time);
  hold(state.positions == shot.positions, "the state holds other positions than it was given");
  hold(state.seconds.size() == run.stages().size(), state.seconds.size(), " stages took time, there are ",
       run.stages().size());
  for (const double seconds : state.seconds)
    hold(std::isfinite(seconds) && seconds >= 0, "a stage took ", seconds, " s");
  method_frame(run, frames_ == 0 ? 0 : shot.time - time_, still);
  detail(state, draws);
  ++frames_;
  time_ = shot.time;
}

void Checks::detail(const State& state, Draws& draws) const {
  const Detail& detail = state.detail();
  const Mesh& mesh = detail.mesh();
  const std::int64_t count = mesh.triangle_count();
  const std::vector<std::uint8_t> reached = detail.reached();
  hold(std::int64_t(reached.size()) == count, "reached() has ", reached.size(), " entries");
  const auto [low, high] = detail.offset_range();
  hold(std::isfinite(low) && std::isfinite(high) && low <= 0 && high >= 0, "offset_range() is ", low, " … ", high);
  const double feature = detail.feature_size();
  hold(std::isfinite(feature) && (feature > 0 || count == 0), "feature_size() is ", feature);
  const std::vector<double> features = detail.feature_sizes();
  hold(std::int64_t(features.size()) == count, "feature_sizes() has ", features.size(), " entries");
  for (const double size : features) hold(size >= feature, "a triangle has the feature size ", size, " < ", feature);
  if (count == 0) return;
  for (const std::int32_t level : detail.edge_levels(feature, 8))
    hold(level >= 1 && level <= 8, "an edge has ", level, " pieces");

  std::vector<std::int32_t> triangles;
  Array3 weights(kPoints, 3);
  for (Eigen::Index i = 0; i + 1 < kPoints; i += 2) {
    const auto triangle = std::int32_t(draws.below(count));
    const int k = int(draws.below(3));
    const std::int32_t other = mesh.triangle_neighbours()(triangle, k);
    triangles.insert(triangles.end(), {triangle, other == kNone ? triangle : other});
    Vector3 place = inside(draws);
    if (other != kNone) {
      place[(k + 2) % 3] = 0;
      place /= place.sum();
    }
    weights.row(i) = place.transpose();
    weights.row(i + 1) = (other == kNone ? place : across(mesh, triangle, k, other, place)).transpose();
  }
  const SurfacePoints points = detail.evaluate(triangles, weights);
  for (const Array3* rows :
       {&points.base, &points.base_normals, &points.displacements, &points.positions, &points.normals})
    hold(rows->rows() == kPoints && rows->allFinite(), "an evaluated point is not finite");
  const double far = state.positions.cwiseAbs().maxCoeff();
  const std::vector<double> offsets = normal_offsets(points);
  for (Eigen::Index i = 0; i < kPoints; ++i) {
    const auto triangle = std::size_t(triangles[std::size_t(i)]);
    hold(std::abs(points.normals.row(i).norm() - 1) < 1e-6, "a normal is ", points.normals.row(i).norm(), " long");
    hold(std::abs(points.base_normals.row(i).norm() - 1) < 1e-6, "a base normal is ", points.base_normals.row(i).norm(),
         " long");
    const double rounding = 1e-6 * (high - low) + 1e-12 * far;
    const double offset = offsets[std::size_t(i)];
    hold(offset >= low - rounding && offset <= high + rounding, "a point of triangle ", triangle, " is displaced by ",
         offset, ", beyond ", low, " … ", high);
    hold(reached[triangle] || points.displacements.row(i).norm() <= 1e-12 * far, "a point of triangle ", triangle,
         ", which is not reached, is displaced by ", points.displacements.row(i).norm());
    Vector3 base = Vector3::Zero();
    for (int k = 0; k < 3; ++k)
      base += weights(i, k) * state.positions.row(mesh.faces()(Eigen::Index(triangle), k)).transpose();
    hold((points.base.row(i).transpose() - base).norm() <= 1e-12 * far, "a base point lies beside its triangle");
  }
  const double most = seam(state);
  for (Eigen::Index i = 0; i + 1 < kPoints && most >= 0; i += 2) {
    const double gap = (points.positions.row(i) - points.positions.row(i + 1)).norm();
    hold(gap <= most + 1e-9 * far, "a point of the edge between triangles ", triangles[std::size_t(i)], " and ",
         triangles[std::size_t(i + 1)], " comes out ", gap, " apart from its two sides");
  }
}

}  // namespace pucker::soak
