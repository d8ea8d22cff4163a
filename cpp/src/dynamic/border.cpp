#include "pucker/dynamic/border.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/border.h"
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
/// What of a width is left so far from where nothing is to be displaced.
double widest(double distance, double flat, double width) {
  return std::min(width, std::max(2 * kWidthShare * distance, kLeastWidth * flat));
}
/// Boxes are taken to be apart only by so much more than a distance, for rounding.
constexpr double kSlack = 1 + 1e-9;

/// Whether a triangle by its corners comes within `radius` of the straight segment from `from` to `to`.
bool reaches(const Vector3& from, const Vector3& to, const Vector3 (&corners)[3], double radius) {
  // Most that do not are all beyond the plane across the shortest way to their nearest corner.
  const auto nearer = [&](const Vector3& one, const Vector3& other) {
    return point_segment_square(one, from, to) < point_segment_square(other, from, to);
  };
  const Vector3& nearest = *std::min_element(std::begin(corners), std::end(corners), nearer);
  const Vector3 away = nearest - (from + nearest_on_segment(nearest, from, to) * (to - from));
  double least = away.dot(nearest);
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

SharedBorder::SharedBorder(std::shared_ptr<const Mesh> of, const std::vector<std::int32_t>& shared,
                           const std::optional<Array3>& rest)
    : mesh_(std::move(of)),
      near_(std::size_t(mesh_->triangle_count())),
      visited_(near_.size()),
      passed_(std::size_t(mesh_->vertex_count())),
      corners_(std::size_t(mesh_->vertex_count())) {
  const Mesh& mesh = *mesh_;
  std::vector<std::uint8_t> is_shared(std::size_t(mesh.vertex_count()));
  for (const std::int32_t vertex : shared) {
    require(vertex >= 0 && vertex < mesh.vertex_count(), "shared vertices must lie in [0, ", mesh.vertex_count(),
            "), got ", vertex);
    is_shared[std::size_t(vertex)] = 1;
  }
  std::vector<std::uint8_t> on_border(is_shared.size());
  for (const std::int32_t vertex : border_vertices(mesh)) on_border[std::size_t(vertex)] = 1;
  std::vector<std::vector<std::int32_t>> next(is_shared.size());
  for (std::int32_t edge = 0; edge < mesh.edge_count(); ++edge) {
    const std::int32_t a = mesh.edges()(edge, 0);
    const std::int32_t b = mesh.edges()(edge, 1);
    if (!is_shared[std::size_t(a)] || !is_shared[std::size_t(b)]) continue;
    // Of two vertices on the border, an edge may lead across the cloth; one inside is in a seam.
    const bool across = on_border[std::size_t(a)] != 0 && on_border[std::size_t(b)] != 0;
    if (across && mesh.edge_triangles(edge)[1] != kNone) continue;
    next[std::size_t(a)].push_back(b);
    next[std::size_t(b)].push_back(a);
  }
  std::vector<std::int32_t> queue;
  for (std::int32_t first = 0; first < mesh.vertex_count(); ++first) {
    if (!std::exchange(is_shared[std::size_t(first)], 0)) continue;
    lines_.push_back({segments_.size(), 0});
    if (next[std::size_t(first)].empty()) segments_.push_back({first, first});
    queue.assign(1, first);
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const std::int32_t other : next[std::size_t(queue[head])]) {
        if (queue[head] < other) segments_.push_back({queue[head], other});
        if (std::exchange(is_shared[std::size_t(other)], 0)) queue.push_back(other);
      }
    lines_.back().end = segments_.size();
  }
  if (rest) from_covered_ = border_distances(mesh, *rest, {});
  if (std::ranges::all_of(from_covered_, [](double distance) { return std::isinf(distance); })) from_covered_.clear();
}

void SharedBorder::box_curves(const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
                              double radius) {
  pieces_.clear();
  paths_.clear();
  for (std::size_t w = 0; w < wrinkles.size(); ++w) {
    const PathCurve& curve = curves[w];
    Path& path = paths_.emplace_back(Path{Box(curve.points.front()), pieces_.size(), 0});
    for (std::size_t i = 0; i + 1 < wrinkles[w].size(); ++i) {
      Box box(curve.points[i], curve.points[i + 1]);
      // The control points lie a third of the chord from its ends, see segment_curve.
      const double reach = (curve.arc_lengths[i + 1] - curve.arc_lengths[i]) / 3;
      box.widen(reach);
      path.box.add(box);
      pieces_.push_back({box, curve.points[i], curve.points[i + 1], reach, wrinkles[w].triangles[i], radius});
    }
    path.end = pieces_.size();
  }
}

SharedBorder::Box SharedBorder::place(const Line& line, const Array3& positions) {
  placed_.clear();
  nearest_ = 0;
  Box all(positions.row(segments_[line.first].from));
  for (const Segment& segment : std::span(segments_).subspan(line.first, line.end - line.first)) {
    const Vector3 from = positions.row(segment.from);
    const Vector3 to = positions.row(segment.to);
    placed_.push_back({from, to, Box(from, to)});
    all.add(placed_.back().box);
  }
  return all;
}

bool SharedBorder::near_vertex(std::int32_t vertex, const Array3& positions, double radius) {
  Corner& corner = corners_[std::size_t(vertex)];
  if (corner.measured == stamp_) return corner.near;
  const Vector3 point = positions.row(vertex);
  const auto within = [&](const Placed& segment) {
    return point_segment_square(point, segment.from, segment.to) <= radius * radius;
  };
  // Most of the time it is a neighbour of the one before.
  corner = {stamp_, within(placed_[nearest_])};
  for (std::size_t s = 0; s < placed_.size() && !corner.near; ++s) {
    if (placed_[s].box.apart(Box(point), radius)) continue;
    corner.near = within(placed_[s]);
    if (corner.near) nearest_ = s;
  }
  return corner.near;
}

bool SharedBorder::near_triangle(std::int32_t triangle, const Array3& positions, double radius) {
  const auto face = mesh_->faces().row(triangle);
  for (const std::int32_t vertex : face)
    if (near_vertex(vertex, positions, radius)) return true;
  const Vector3 corners[]{positions.row(face[0]), positions.row(face[1]), positions.row(face[2])};
  Box box(corners[0], corners[1]);
  box.add(Box(corners[2]));
  return std::ranges::any_of(placed_, [&](const Placed& segment) {
    return !segment.box.apart(box, radius) && reaches(segment.from, segment.to, corners, radius);
  });
}

void SharedBorder::find_near(const Line& line, const Array3& positions, double radius) {
  const auto queue_round = [&](std::int32_t vertex) {
    if (std::exchange(passed_[std::size_t(vertex)], stamp_) == stamp_) return;
    for (const std::int32_t t : mesh_->ring(vertex))
      if (std::exchange(visited_[std::size_t(t)], stamp_) != stamp_) queue_.push_back(t);
  };
  queue_.clear();
  for (std::size_t s = line.first; s < line.end; ++s)
    for (const std::int32_t vertex : {segments_[s].from, segments_[s].to}) queue_round(vertex);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const std::int32_t t = queue_[head];
    if (!near_triangle(t, positions, radius)) continue;
    near_[std::size_t(t)] = stamp_;
    for (const std::int32_t vertex : mesh_->faces().row(t)) queue_round(vertex);
  }
}

void SharedBorder::bring_near(Piece& piece, const BezierCurve& curve, const Placed& segment, double radius) {
  if (piece.samples == kNone) {
    piece.samples = std::int32_t(samples_.size());
    Samples& samples = samples_.emplace_back();
    for (std::size_t j = 0; j < samples.points.size(); ++j) samples.points[j] = curve.at(double(j) / kCurveSamples);
    samples.at_points.fill(radius * radius);
    samples.between.fill(radius * radius);
  }
  auto& [points, at_points, between] = samples_[std::size_t(piece.samples)];
  const auto& [from, to, box] = segment;
  for (std::size_t j = 0; j < points.size(); ++j)
    at_points[j] = std::min(at_points[j], point_segment_square(points[j], from, to));
  for (std::size_t j = 0; j < between.size(); ++j)
    between[j] = std::min(between[j], segment_segment_square(points[j], points[j + 1], from, to));
  piece.farthest = std::sqrt(*std::ranges::max_element(at_points));
}

void SharedBorder::bring_near(const Path& path, const PathCurve& curve, double radius) {
  alongside_.clear();
  std::copy_if(placed_.begin(), placed_.end(), std::back_inserter(alongside_),
               [&](const Placed& segment) { return !path.box.apart(segment.box, radius); });
  if (alongside_.empty()) return;
  std::size_t nearest = 0;
  for (std::size_t i = path.first; i < path.end; ++i) {
    Piece& piece = pieces_[i];
    if (near_[std::size_t(piece.triangle)] != stamp_) continue;
    const BezierCurve bezier = segment_curve(curve, i - path.first);
    double least = std::numeric_limits<double>::infinity();
    const auto bring = [&](std::size_t s) {
      const Placed& segment = alongside_[s];
      if (piece.box.apart(segment.box, piece.farthest)) return;
      // The curve is nowhere farther from its chord than its control points.
      const double most = kSlack * (piece.farthest + piece.reach);
      const double square = segment_segment_square(segment.from, segment.to, piece.from, piece.to);
      if (square > most * most) return;
      bring_near(piece, bezier, segment, radius);
      if (square < least) {
        least = square;
        nearest = s;
      }
    };
    // Once it is as near as to the nearest of the piece before, few others are nearer.
    const std::size_t first = nearest;
    bring(first);
    for (std::size_t s = 0; s < alongside_.size(); ++s)
      if (s != first) bring(s);
  }
}

void SharedBorder::measure_knots(const Path& path, double most) {
  constexpr std::size_t samples = kCurveSamples;
  const std::size_t count = path.end - path.first;
  distances_.assign(2 * count + 1, most);
  for (std::size_t i = 0; i < count; ++i) {
    const Piece& piece = pieces_[path.first + i];
    if (piece.samples == kNone) continue;
    const auto& [points, at_points, between] = samples_[std::size_t(piece.samples)];
    for (std::size_t half = 0; half < 2; ++half) {
      double& first = distances_[2 * i + half];
      double& last = distances_[2 * i + half + 1];
      constexpr std::size_t steps = samples / 2;
      const double from = std::sqrt(at_points[half * steps]);
      const double to = std::sqrt(at_points[(half + 1) * steps]);
      const auto begin = between.begin() + std::ptrdiff_t(half * steps);
      const double least = std::min(most, std::sqrt(*std::min_element(begin, begin + steps)));
      // Where the border is nearest in between, neither knot may be wider than it allows there.
      const bool dips = least < (1 - 1e-9) * std::min(from, to);
      first = std::min(first, dips ? least : from);
      last = std::min(last, dips ? least : to);
      // The farther knot is no wider than leaves room at the points between.
      for (std::size_t j = 1; j < steps; ++j) {
        const double u = double(j) / double(steps);
        const double room = kDip * std::sqrt(at_points[half * steps + j]);
        if (first < last) {
          last = std::min(last, std::max(first, (room - (1 - u) * first) / u));
        } else {
          first = std::min(first, std::max(last, (room - u * last) / (1 - u)));
        }
      }
    }
  }
}

void SharedBorder::sink_under(const std::vector<Wrinkle>& wrinkles, double range, double flat,
                              PackedWrinkles& packed) const {
  const auto distance_at = [&](const PathPoint& point) {
    const auto of = [&](std::int32_t vertex) { return from_covered_[std::size_t(vertex)]; };
    // What no way leads to counts nothing where a share of 0 would make it no number.
    const auto mixed = [](double share, double a, double b) {
      return share == 0 ? b : share == 1 ? a : share * a + (1 - share) * b;
    };
    const double on_edge = mixed(point.t, of(point.v0), of(point.v1));
    return point.on_edge() ? on_edge : mixed(point.depth, of(point.apex), on_edge);
  };
  const auto sink = [&](double distance, float& width, float& height) {
    height = float(height * border_share(distance, range));
    width = float(widest(distance / kBesideCovered, flat, width));
  };
  auto point = packed.points.begin();
  for (const Wrinkle& wrinkle : wrinkles) {
    for (std::size_t i = 0; i < wrinkle.size(); ++i, ++point) {
      const double here = distance_at(wrinkle.points[i]);
      sink(here, point->width, point->height);
      if (i + 1 < wrinkle.size())
        sink((here + distance_at(wrinkle.points[i + 1])) / 2, point->mid_width, point->mid_height);
    }
  }
}

void SharedBorder::fade_out(const Array3& positions, const std::vector<Wrinkle>& wrinkles,
                            const std::vector<PathCurve>& curves, const Params& params, PackedWrinkles& packed) {
  std::size_t points = 0;
  for (const Wrinkle& wrinkle : wrinkles) points += wrinkle.size();
  require(points == packed.points.size(), "packed must be of the wrinkles, which have ", points, " points, but it has ",
          packed.points.size());
  if (params.verbatim || params.shape.border_fade == 0) return;
  const double flat = params.flat_width();
  const double range = params.shape.border_fade * flat;
  if (!from_covered_.empty()) sink_under(wrinkles, range, flat, packed);
  if (segments_.empty()) return;
  const double farthest = std::max(range, flat);
  box_curves(wrinkles, curves, farthest);
  samples_.clear();
  for (const Line& line : lines_) {
    const Box box = place(line, positions);
    const auto apart = [&](const Path& path) { return path.box.apart(box, farthest); };
    if (std::ranges::all_of(paths_, apart)) continue;
    ++stamp_;
    find_near(line, positions, farthest);
    for (std::size_t w = 0; w < paths_.size(); ++w)
      if (!apart(paths_[w])) bring_near(paths_[w], curves[w], farthest);
  }
  const auto fade = [&](double distance, float& width, float& height) {
    if (distance >= farthest) return;
    height = float(height * border_share(distance, range));
    width = float(widest(distance, flat, width));
  };
  std::size_t first = 0;
  for (std::size_t w = 0; w < wrinkles.size(); ++w) {
    const std::size_t count = wrinkles[w].size();
    measure_knots(paths_[w], farthest);
    for (std::size_t i = 0; i < count; ++i) {
      PackedPoint& point = packed.points[first + i];
      fade(distances_[2 * i], point.width, point.height);
      if (i + 1 < count) fade(distances_[2 * i + 1], point.mid_width, point.mid_height);
    }
    first += count;
  }
}

}  // namespace pucker
