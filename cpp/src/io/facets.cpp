#include "pucker/io/facets.h"

#include <algorithm>
#include <numbers>

namespace pucker::io {
namespace {

constexpr std::int64_t kMostFrames = 16;

double length_of(const Mesh& mesh, const Eigen::Ref<const Array3>& positions, std::int32_t edge) {
  return (positions.row(mesh.edges()(edge, 0)) - positions.row(mesh.edges()(edge, 1))).norm();
}

/// Degrees, mean over the length of the edges of two triangles with area; 0 without such edges.
double mean_turn(const Mesh& mesh, const Eigen::Ref<const Array3>& positions) {
  const auto normal_of = [&](std::int32_t triangle) -> Vector3 {
    const auto at = [&](int k) -> Vector3 { return positions.row(mesh.faces()(triangle, k)); };
    return (at(1) - at(0)).cross(at(2) - at(0)).stableNormalized();
  };
  double sum = 0.0;
  double total = 0.0;
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
    const auto [a, b] = mesh.edge_triangles(e);
    if (b == kNone) continue;
    const Vector3 first = normal_of(a);
    Vector3 second = normal_of(b);
    if (first.isZero() || second.isZero()) continue;
    const std::int32_t from = mesh.edges()(e, 0);
    const auto leads = [&](std::int32_t triangle) {
      return mesh.faces()(triangle, (mesh.corner(triangle, from) + 1) % 3) == mesh.edges()(e, 1);
    };
    // Two triangles of one side run along their edge in opposite ways.
    if (leads(a) == leads(b)) second = -second;
    const double length = length_of(mesh, positions, e);
    sum += length * std::atan2(first.cross(second).norm(), first.dot(second));
    total += length;
  }
  return total > 0.0 ? sum / total * 180.0 / std::numbers::pi : 0.0;
}

double median_edge(const Mesh& mesh, const Eigen::Ref<const Array3>& positions) {
  std::vector<double> lengths(std::size_t(mesh.edge_count()));
  if (lengths.empty()) return 0.0;
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) lengths[std::size_t(e)] = length_of(mesh, positions, e);
  const auto middle = lengths.begin() + std::ptrdiff_t(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle;
}

}  // namespace

Facets facets_of(const Clip& clip) {
  const Mesh& mesh = *clip.mesh();
  Facets out;
  const std::int64_t frames = clip.frame_count();
  const std::int64_t looked_at = std::min(frames, kMostFrames);
  for (std::int64_t k = 0; k < looked_at; ++k)
    out.turn = std::max(out.turn, mean_turn(mesh, clip.positions(k * frames / looked_at)));
  if (clip.height() > 0.0)
    out.edge = (clip.rest() ? median_edge(mesh, *clip.rest()) : median_edge(mesh, clip.positions(0))) / clip.height();
  const double vertices = double(clip.vertex_count() + clip.body_vertex_count());
  const double bytes = 4.0 * vertices * double(frames) * 3.0 * sizeof(double);
  if (out.turn >= kFlatTurn && out.edge >= kFineEdge && bytes <= kMostSmoothBytes) out.smooth = 1;
  return out;
}

}  // namespace pucker::io
