#include "pucker/dynamic/wrinkle.h"

#include <algorithm>
#include <cmath>

namespace pucker {

PathPoint inner_point(const Mesh& mesh, std::int32_t triangle, const Vector3& barycentrics, int corner) {
  int nearest = 0;
  if (barycentrics.minCoeff(&nearest) < kOnEdge) {
    const int first = (nearest + 1) % 3;
    return edge_point(mesh, triangle, first,
                      barycentrics[first] / (barycentrics[first] + barycentrics[(first + 1) % 3]));
  }
  PathPoint p = edge_point(mesh, triangle, corner, 0.5);
  const int apex = (corner + 2) % 3;
  p.apex = mesh.faces()(triangle, apex);
  p.depth = std::min(barycentrics[apex], 1 - kVertexMargin);
  const double first = barycentrics[mesh.corner(triangle, p.v0)];
  const double second = barycentrics[mesh.corner(triangle, p.v1)];
  p.t = off_the_vertices(first / (first + second));
  return p;
}

void Wrinkle::reserve(std::size_t count) {
  points.reserve(count);
  triangles.reserve(count);
  knot_widths.reserve(2 * count);
  knot_heights.reserve(2 * count);
}

Wrinkle WrinklePool::take() {
  Wrinkle out;
  if (spare_.empty()) {
    out.reserve(kUsualPoints);
  } else {
    out = std::move(spare_.back());
    spare_.pop_back();
  }
  return out;
}

void WrinklePool::copy(const std::vector<Wrinkle>& from, std::vector<Wrinkle>& to) {
  while (to.size() > from.size()) {
    give(std::move(to.back()));
    to.pop_back();
  }
  while (to.size() < from.size()) to.push_back(take());
  std::copy(from.begin(), from.end(), to.begin());
}

void SizeAlong::take(const Wrinkle& wrinkle, const std::vector<double>& arc_lengths) {
  widths = wrinkle.knot_widths;
  heights = wrinkle.knot_heights;
  knots.resize(widths.size());
  for (std::size_t i = 0; i < knots.size(); ++i) knots[i] = 0.5 * (arc_lengths[i / 2] + arc_lengths[(i + 1) / 2]);
}

void SizeAlong::give(const std::vector<double>& sources, Wrinkle& wrinkle) const {
  const std::size_t count = 2 * sources.size() - 1;
  wrinkle.knot_widths.resize(count);
  wrinkle.knot_heights.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double s = 0.5 * (sources[i / 2] + sources[(i + 1) / 2]);
    if (s < knots.front() || s > knots.back()) {
      wrinkle.knot_widths[i] = s < knots.front() ? widths.front() : widths.back();
      wrinkle.knot_heights[i] = 0;
      continue;
    }
    const auto after = std::upper_bound(knots.begin(), knots.end() - 1, s);
    const std::size_t b = std::max<std::size_t>(1, std::size_t(after - knots.begin()));
    const double span = knots[b] - knots[b - 1];
    const double u = span > 0 ? (s - knots[b - 1]) / span : 0;
    wrinkle.knot_widths[i] = widths[b - 1] + u * (widths[b] - widths[b - 1]);
    wrinkle.knot_heights[i] = heights[b - 1] + u * (heights[b] - heights[b - 1]);
  }
}

void arc_lengths(const Wrinkle& wrinkle, const Array3& positions, std::vector<double>& out) {
  out.resize(wrinkle.size());
  double length = 0;
  Vector3 previous = Vector3::Zero();
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    const Vector3 p = position(wrinkle.points[i], positions);
    if (i > 0) length += (p - previous).norm();
    out[i] = length;
    previous = p;
  }
}

double path_length(const Wrinkle& wrinkle, const Array3& positions) {
  double length = 0;
  Vector3 previous = Vector3::Zero();
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    const Vector3 p = position(wrinkle.points[i], positions);
    if (i > 0) length += (p - previous).norm();
    previous = p;
  }
  return length;
}

void require_path(const Mesh& mesh, const Wrinkle& wrinkle) {
  const std::size_t k = wrinkle.size();
  require(k >= 2, "a wrinkle has at least 2 points, wrinkle ", wrinkle.id, " has ", k);
  require(wrinkle.triangles.size() == k - 1, "a wrinkle of ", k, " points has ", k - 1, " triangles, wrinkle ",
          wrinkle.id, " has ", wrinkle.triangles.size());
  require(wrinkle.knot_widths.size() == 2 * k - 1 && wrinkle.knot_heights.size() == 2 * k - 1, "a wrinkle of ", k,
          " points has ", 2 * k - 1, " knots, wrinkle ", wrinkle.id, " has ", wrinkle.knot_widths.size(),
          " widths and ", wrinkle.knot_heights.size(), " heights");
  for (const double value : wrinkle.knot_widths)
    require(std::isfinite(value) && value > 0, "widths must be finite and above 0, wrinkle ", wrinkle.id, " has ",
            value);
  for (const double value : wrinkle.knot_heights)
    require(std::isfinite(value) && value >= 0, "heights must be finite and at least 0, wrinkle ", wrinkle.id, " has ",
            value);
  for (std::size_t i = 0; i < k; ++i) {
    const PathPoint& p = wrinkle.points[i];
    require(p.v0 >= 0 && p.v0 < mesh.vertex_count() && p.v1 >= 0 && p.v1 < mesh.vertex_count(),
            "vertices must lie in [0, ", mesh.vertex_count(), "), but point ", i, " of wrinkle ", wrinkle.id,
            " lies between ", p.v0, " and ", p.v1);
    require(p.v0 != p.v1, "an edge joins two vertices, but both ends of that of point ", i, " of wrinkle ", wrinkle.id,
            " are ", p.v0);
    require(p.t >= 0 && p.t <= 1, "t must lie in [0, 1], but point ", i, " of wrinkle ", wrinkle.id, " has ", p.t);
    require(p.depth >= 0 && p.depth < 1, "depth must lie in [0, 1), but point ", i, " of wrinkle ", wrinkle.id, " has ",
            p.depth);
    require(p.on_edge() || i == 0 || i == k - 1, "inner points lie on edges, but point ", i, " of wrinkle ", wrinkle.id,
            " has depth ", p.depth);
  }
  for (std::size_t i = 0; i + 1 < k; ++i) {
    const std::int32_t triangle = wrinkle.triangles[i];
    require(triangle >= 0 && triangle < mesh.triangle_count(), "triangles must lie in [0, ", mesh.triangle_count(),
            "), but segment ", i, " of wrinkle ", wrinkle.id, " lies in ", triangle);
    barycentric(mesh, wrinkle.points[i], triangle);
    barycentric(mesh, wrinkle.points[i + 1], triangle);
  }
}

}  // namespace pucker
