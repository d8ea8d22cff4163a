#include "pucker/dynamic/border.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/distance.h"

namespace pucker {

namespace {

/// Half a width is at most this share of the distance to the border: between two knots, where the width is
/// interpolated, the distance may be smaller than on the straight line between its values there.
constexpr double kWidthShare = 0.6;
/// Between two knots the distance to a straight border may be this much smaller than on the straight line between its
/// values there: √2. To a curve that turns away it may be smaller.
constexpr double kDip = 1.4142135623730951;
/// Widths stay positive: at the border itself, where the height is 0, this share of the flat width is left.
constexpr double kLeastWidth = 1e-4;
/// Boxes are taken to be apart only by so much more than a distance, for rounding.
constexpr double kSlack = 1 + 1e-9;

/// Whether a triangle comes within `radius` of the straight segment from `from` to `to`; `nearest` is the number of its
/// corner that is nearest to it.
template <class Face>
bool reaches(const Vector3& from, const Vector3& to, const Array3& positions, const Face& face, int nearest,
             double radius) {
  const Vector3 corners[]{positions.row(face[0]), positions.row(face[1]), positions.row(face[2])};
  // Most that do not are all beyond the plane across the shortest way to that corner.
  const double u = nearest_on_segment(corners[nearest], from, to);
  const Vector3 away = corners[nearest] - (from + u * (to - from));
  double least = away.dot(corners[nearest]);
  for (const Vector3& corner : corners) least = std::min(least, away.dot(corner));
  if (least - std::max(away.dot(from), away.dot(to)) > kSlack * radius * away.norm()) return false;
  return segment_triangle_distance(from, to, corners[0], corners[1], corners[2], radius) <= radius;
}

}  // namespace

void SharedBorder::Box::add(const Box& other) {
  low = low.cwiseMin(other.low);
  high = high.cwiseMax(other.high);
}

void SharedBorder::Box::widen(double by) {
  low.array() -= by;
  high.array() += by;
}

bool SharedBorder::Box::apart(const Box& other, double distance) const {
  const double most = kSlack * distance;
  return ((low - other.high).array() > most).any() || ((other.low - high).array() > most).any();
}

SharedBorder::SharedBorder(std::shared_ptr<const Mesh> of, const std::vector<std::int32_t>& shared)
    : mesh_(std::move(of)),
      heads_(std::size_t(mesh_->triangle_count()), kNone),
      wanted_(heads_.size()),
      visited_(heads_.size()),
      corners_(std::size_t(mesh_->vertex_count())) {
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

void SharedBorder::box_curves(const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves) {
  pieces_.clear();
  paths_.clear();
  for (std::size_t w = 0; w < wrinkles.size(); ++w) {
    const PathCurve& curve = curves[w];
    Path& path = paths_.emplace_back(Path{Box(curve.points.front()), pieces_.size()});
    for (std::size_t i = 0; i + 1 < wrinkles[w].size(); ++i) {
      Box box(curve.points[i], curve.points[i + 1]);
      // The control points lie a third of the chord from its ends, see segment_curve.
      const double reach = (curve.arc_lengths[i + 1] - curve.arc_lengths[i]) / 3;
      box.widen(reach);
      path.box.add(box);
      pieces_.push_back({box, curve.points[i], curve.points[i + 1], reach, wrinkles[w].triangles[i]});
    }
  }
}

std::size_t SharedBorder::find_wanted(const Vector3& from, const Vector3& to, double radius) {
  const Box segment(from, to);
  std::size_t count = 0;
  for (std::size_t w = 0; w < paths_.size(); ++w) {
    if (segment.apart(paths_[w].box, radius)) continue;
    const std::size_t end = w + 1 < paths_.size() ? paths_[w + 1].first : pieces_.size();
    for (std::size_t i = paths_[w].first; i < end; ++i) {
      std::uint64_t& wanted = wanted_[std::size_t(pieces_[i].triangle)];
      if (wanted == stamp_ || segment.apart(pieces_[i].box, radius)) continue;
      // The curve is nowhere farther from its chord than its control points.
      const double most = kSlack * (radius + pieces_[i].reach);
      if (segment_segment_square(from, to, pieces_[i].from, pieces_[i].to) > most * most) continue;
      wanted = stamp_;
      ++count;
    }
  }
  return count;
}

void SharedBorder::enter(std::size_t segment, std::int32_t triangle) {
  entries_.push_back({segment, heads_[std::size_t(triangle)]});
  heads_[std::size_t(triangle)] = std::int32_t(entries_.size()) - 1;
}

void SharedBorder::measure(const Array3& positions, double radius) {
  radius_ = radius;
  entries_.clear();
  std::ranges::fill(heads_, kNone);
  const double surely = radius * radius / kSlack;
  for (std::size_t p = 0; p < segments_.size(); ++p) {
    ++stamp_;
    const auto [begin, end] = segments_[p];
    const Vector3 from = positions.row(begin);
    const Vector3 to = positions.row(end);
    std::size_t wanted = find_wanted(from, to, radius);
    // Most of the time these are at the segment itself.
    const auto take = [&](std::int32_t t) {
      if (wanted_[std::size_t(t)] != stamp_) return false;
      wanted_[std::size_t(t)] = 0;
      --wanted;
      return true;
    };
    for (const std::int32_t vertex : {begin, end})
      for (const std::int32_t t : mesh_->ring(vertex))
        if (take(t)) enter(p, t);
    if (wanted == 0) continue;
    const auto square_at = [&](std::int32_t vertex) {
      Corner& corner = corners_[std::size_t(vertex)];
      if (corner.measured != stamp_) {
        corner.measured = stamp_;
        corner.square = point_segment_square(Vector3(positions.row(vertex)), from, to);
      }
      return corner.square;
    };
    const auto queue_round = [&](std::int32_t vertex) {
      Corner& corner = corners_[std::size_t(vertex)];
      if (corner.passed == stamp_) return;
      corner.passed = stamp_;
      for (const std::int32_t t : mesh_->ring(vertex)) {
        if (visited_[std::size_t(t)] == stamp_) continue;
        visited_[std::size_t(t)] = stamp_;
        queue_.push_back(t);
      }
    };
    queue_.clear();
    queue_round(begin);
    queue_round(end);
    for (std::size_t head = 0; head < queue_.size() && wanted > 0; ++head) {
      const std::int32_t t = queue_[head];
      const auto face = mesh_->faces().row(t);
      const bool is_wanted = take(t);
      int nearest = 0;
      for (int k = 1; k < 3; ++k)
        if (square_at(face[k]) < square_at(face[nearest])) nearest = k;
      if (!(square_at(face[nearest]) < surely) && !reaches(from, to, positions, face, nearest, radius)) continue;
      if (is_wanted) enter(p, t);
      for (const std::int32_t vertex : face) queue_round(vertex);
    }
  }
}

void SharedBorder::measure_knots(const Array3& positions, const Wrinkle& wrinkle, const PathCurve& curve, double most) {
  constexpr std::size_t samples = kCurveSamples;
  distances_.assign(2 * wrinkle.size() - 1, most);
  for (std::size_t i = 0; i + 1 < wrinkle.size(); ++i) {
    const std::int32_t triangle = wrinkle.triangles[i];
    if (!near(triangle)) continue;
    const BezierCurve segment = segment_curve(curve, i);
    Box box(segment.p0, segment.p3);
    box.add(Box(segment.p1, segment.p2));
    std::array<Vector3, samples + 1> at;
    for (std::size_t j = 0; j <= samples; ++j) at[j] = segment.at(double(j) / kCurveSamples);
    // Squared distances of the straight pieces between the samples, and of the samples.
    std::array<double, samples> pieces;
    std::array<double, samples + 1> points;
    pieces.fill(radius_ * radius_);
    points.fill(radius_ * radius_);
    for (std::int32_t e = heads_[std::size_t(triangle)]; e != kNone; e = entries_[std::size_t(e)].next) {
      const Segment& border = segments_[entries_[std::size_t(e)].segment];
      const Vector3 from = positions.row(border.from);
      const Vector3 to = positions.row(border.to);
      if (box.apart(Box(from, to), radius_)) continue;
      for (std::size_t j = 0; j < samples; ++j)
        pieces[j] = std::min(pieces[j], segment_segment_square(at[j], at[j + 1], from, to));
      for (std::size_t j = 0; j <= samples; ++j)
        points[j] = std::min(points[j], segment_segment_square(at[j], at[j], from, to));
    }
    for (std::size_t half = 0; half < 2; ++half) {
      double& first = distances_[2 * i + half];
      double& last = distances_[2 * i + half + 1];
      constexpr std::size_t steps = samples / 2;
      const double from = std::sqrt(points[half * steps]);
      const double to = std::sqrt(points[(half + 1) * steps]);
      const auto begin = pieces.begin() + std::ptrdiff_t(half * steps);
      const double least = std::min(most, std::sqrt(*std::min_element(begin, begin + steps)));
      // Where the border is nearest in between, neither knot may be wider than it allows there.
      const bool between = least < (1 - 1e-9) * std::min(from, to);
      first = std::min(first, between ? least : from);
      last = std::min(last, between ? least : to);
      // The farther knot is no wider than leaves room at the points between.
      for (std::size_t j = 1; j < steps; ++j) {
        const double u = double(j) / double(steps);
        const double room = kDip * std::sqrt(points[half * steps + j]);
        if (first < last) {
          last = std::min(last, std::max(first, (room - (1 - u) * first) / u));
        } else {
          first = std::min(first, std::max(last, (room - u * last) / (1 - u)));
        }
      }
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
  box_curves(wrinkles, curves);
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
