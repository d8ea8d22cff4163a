#include "pucker/dynamic/border.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/distance.h"

namespace pucker {

namespace {

/// Half a width is at most this share of the distance to the border: between two knots, where the width is
/// interpolated, the distance may be smaller than on the straight line between its values there.
constexpr double kWidthShare = 0.6;
/// Widths stay positive: at the border itself, where the height is 0, this share of the flat width is left.
constexpr double kLeastWidth = 1e-4;

}  // namespace

SharedBorder::SharedBorder(std::shared_ptr<const Mesh> of, const std::vector<std::int32_t>& shared)
    : mesh_(std::move(of)), heads_(std::size_t(mesh_->triangle_count()), kNone), visited_by_(heads_.size()) {
  const Mesh& mesh = *mesh_;
  std::vector<std::uint8_t> is_shared(std::size_t(mesh.vertex_count()));
  for (const std::int32_t vertex : shared) {
    require(vertex >= 0 && vertex < mesh.vertex_count(), "shared vertices must lie in [0, ", mesh.vertex_count(),
            "), got ", vertex);
    is_shared[std::size_t(vertex)] = 1;
  }
  std::vector<std::uint8_t> alone = is_shared;
  for (std::int32_t edge = 0; edge < mesh.edge_count(); ++edge) {
    const std::int32_t a = mesh.edges()(edge, 0);
    const std::int32_t b = mesh.edges()(edge, 1);
    if (mesh.edge_triangles(edge)[1] != kNone || !is_shared[std::size_t(a)] || !is_shared[std::size_t(b)]) continue;
    segments_.push_back({a, b});
    alone[std::size_t(a)] = alone[std::size_t(b)] = 0;
  }
  for (std::size_t v = 0; v < alone.size(); ++v)
    if (alone[v]) segments_.push_back({std::int32_t(v), std::int32_t(v)});
}

void SharedBorder::measure(const Array3& positions, double radius) {
  radius_ = radius;
  entries_.clear();
  std::ranges::fill(heads_, kNone);
  std::ranges::fill(visited_by_, 0);
  const auto place = [&](std::int32_t vertex) -> Vector3 { return positions.row(vertex); };
  for (std::size_t p = 0; p < segments_.size(); ++p) {
    const auto queue_round = [&](std::int32_t vertex) {
      for (const std::int32_t t : mesh_->ring(vertex)) {
        if (visited_by_[std::size_t(t)] == p + 1) continue;
        visited_by_[std::size_t(t)] = p + 1;
        queue_.push_back(t);
      }
    };
    queue_.clear();
    queue_round(segments_[p].from);
    queue_round(segments_[p].to);
    const Vector3 from = place(segments_[p].from);
    const Vector3 to = place(segments_[p].to);
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::int32_t t = queue_[head];
      const auto face = mesh_->faces().row(t);
      if (segment_triangle_distance(from, to, place(face[0]), place(face[1]), place(face[2]), radius) > radius)
        continue;
      entries_.push_back({p, heads_[std::size_t(t)]});
      heads_[std::size_t(t)] = std::int32_t(entries_.size()) - 1;
      for (const std::int32_t vertex : face) queue_round(vertex);
    }
  }
}

double SharedBorder::distance(const Array3& positions, std::int32_t triangle, const Vector3& a,
                              const Vector3& b) const {
  double square = radius_ * radius_;
  for (std::int32_t e = heads_[std::size_t(triangle)]; e != kNone; e = entries_[std::size_t(e)].next) {
    const Segment& segment = segments_[entries_[std::size_t(e)].segment];
    square = std::min(
        square, segment_segment_square(a, b, Vector3(positions.row(segment.from)), Vector3(positions.row(segment.to))));
  }
  return std::sqrt(square);
}

void SharedBorder::measure_knots(const Array3& positions, const Wrinkle& wrinkle, const PathCurve& curve, double most) {
  distances_.assign(2 * wrinkle.size() - 1, most);
  for (std::size_t i = 0; i + 1 < wrinkle.size(); ++i) {
    const std::int32_t triangle = wrinkle.triangles[i];
    if (!near(triangle)) continue;
    const BezierCurve segment = segment_curve(curve, i);
    const auto at = [&](int j) { return segment.at(double(j) / kCurveSamples); };
    const auto along = [&](int j, int k) { return distance(positions, triangle, at(j), at(k)); };
    for (int half = 0; half < 2; ++half) {
      double& first = distances_[2 * i + std::size_t(half)];
      double& last = distances_[2 * i + std::size_t(half) + 1];
      const int begin = half * kCurveSamples / 2;
      const int end = begin + kCurveSamples / 2;
      const double from = along(begin, begin);
      const double to = along(end, end);
      double least = most;
      for (int j = begin; j < end; ++j) least = std::min(least, along(j, j + 1));
      // Where the border is nearest in between, neither knot may be wider than it allows there.
      const bool between = least < (1 - 1e-9) * std::min(from, to);
      first = std::min(first, between ? least : from);
      last = std::min(last, between ? least : to);
    }
  }
}

void SharedBorder::fade_out(const Array3& positions, const std::vector<Wrinkle>& wrinkles,
                            const std::vector<PathCurve>& curves, const Params& params, PackedWrinkles& packed) {
  std::size_t points = 0;
  for (const Wrinkle& wrinkle : wrinkles) points += wrinkle.size();
  require(points == packed.points.size(), "packed must be of the wrinkles, which have ", points, " points, but it has ",
          packed.points.size());
  if (segments_.empty() || params.verbatim || params.shape.border_fade == 0) return;
  const double flat = params.flat_width();
  const double range = params.shape.border_fade * flat;
  const double farthest = std::max(range, flat);
  measure(positions, farthest);
  const auto fade = [&](double distance, float& width, float& height) {
    if (distance >= farthest) return;
    const double x = std::min(distance / range, 1.0);
    height = float(height * x * x * (3 - 2 * x));
    width = float(std::min(double(width), std::max(2 * kWidthShare * distance, kLeastWidth * flat)));
  };
  std::size_t first = 0;
  for (std::size_t w = 0; w < wrinkles.size(); ++w) {
    const std::size_t count = wrinkles[w].size();
    if (std::ranges::any_of(wrinkles[w].triangles, [&](std::int32_t t) { return near(t); })) {
      measure_knots(positions, wrinkles[w], curves[w], farthest);
      for (std::size_t i = 0; i < count; ++i) {
        PackedPoint& point = packed.points[first + i];
        fade(distances_[2 * i], point.width, point.height);
        if (i + 1 < count) fade(distances_[2 * i + 1], point.mid_width, point.mid_height);
      }
    }
    first += count;
  }
}

}  // namespace pucker
