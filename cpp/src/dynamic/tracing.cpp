#include "pucker/dynamic/tracing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pucker/errors.h"

namespace pucker {

namespace {

/// Finaliser of SplitMix64 (Steele, Lea & Flood 2014): every bit of the result depends on every bit of `x`.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Uniform in [0, 1), a function of its key alone.
double uniform(std::uint64_t key, std::uint64_t counter) { return double(mix(mix(key) ^ counter) >> 11) * 0x1p-53; }

/// Length of a walk that goes on as far as it can.
constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Of the angle within which directions of cloth are one: 45 degrees.
constexpr double kLeastAlikeCosine = 0.70710678118654752;

/// Places beside paths that are tried in a frame at most, or so many a triangle if that is more: cloth that has
/// exploded has room for any number, whose paths end at once.
constexpr std::int64_t kTries = std::int64_t(1) << 17;
constexpr std::int64_t kTriesPerTriangle = 256;

Vector2 quarter_turn(const Vector2& v) { return {-v.y(), v.x()}; }

/// The next corner of a triangle.
int after(int corner) { return corner == 2 ? 0 : corner + 1; }

/// The edge `corner` of a triangle in both triangles there: the neighbour's corners at its first and its second vertex.
struct SharedEdge {
  std::int32_t triangle;
  int corner;
  std::int32_t neighbour;
  int first;
  int second;
};

SharedEdge shared_edge(const Mesh& mesh, std::int32_t triangle, int corner, std::int32_t neighbour) {
  return {triangle, corner, neighbour, mesh.corner(neighbour, mesh.faces()(triangle, corner)),
          mesh.corner(neighbour, mesh.faces()(triangle, after(corner)))};
}

/// A direction, carried over the edge as if both triangles lay flat.
Vector2 carry_over(const LocalFrames& frames, const SharedEdge& edge, const Vector2& direction) {
  const RowMatrix2& from = frames.matrices[std::size_t(edge.triangle)];
  const RowMatrix2& to = frames.matrices[std::size_t(edge.neighbour)];
  const Vector2 out = corner_in_plane(from, after(edge.corner)) - corner_in_plane(from, edge.corner);
  const Vector2 in = corner_in_plane(to, edge.second) - corner_in_plane(to, edge.first);
  // In both planes along the edge and to the left of it. Where the neighbour's corners run the same way, it is folded
  // over and left becomes right.
  const double along = direction.dot(out);
  const double aside = edge.second == after(edge.first) ? -cross(out, direction) : cross(out, direction);
  return (1 / in.squaredNorm()) * (along * in + aside * quarter_turn(in));
}

/// The point, which lies on the edge, in the neighbour there, going straight on.
SurfacePoint enter(const LocalFrames& frames, const SurfacePoint& point, const SharedEdge& edge) {
  const double first = point.barycentrics[edge.corner];
  const double second = point.barycentrics[after(edge.corner)];
  const auto weight = [&](int k) { return k == edge.first ? first : k == edge.second ? second : 0.0; };
  return {edge.neighbour,
          {weight(0), weight(1), weight(2)},
          edge.second == after(edge.first) ? edge.first : edge.second,
          carry_over(frames, edge, point.direction)};
}

/// The next_crossing of `point`, or false if there is none.
inline bool leave(const LocalFrames& frames, const SurfacePoint& point, EdgeCrossing& crossing) {
  if (!(frames.area(std::size_t(point.triangle)) > 0)) return false;
  // Rates of the barycentric coordinates along the direction, all times twice the triangle's area.
  const RowMatrix2& matrix = frames.matrices[std::size_t(point.triangle)];
  const double along_first = point.direction.x() * matrix(1, 1) - matrix(0, 1) * point.direction.y();
  const double along_second = point.direction.y() * matrix(0, 0);
  const double rate[3] = {-along_first - along_second, along_first, along_second};
  const double left[3] = {std::max(point.barycentrics[0], 0.0), std::max(point.barycentrics[1], 0.0),
                          std::max(point.barycentrics[2], 0.0)};
  if (point.entry != kNone && !(rate[(point.entry + 2) % 3] > 0)) return false;
  // Opposite the edge the line leaves by: the least way to it over the rate, compared without a division. By which edge
  // it leaves no processor foretells, hence the comparisons make numbers and no branches.
  const bool falls[3] = {rate[0] < 0, rate[1] < 0, rate[2] < 0};
  const int earlier = falls[1] & (!falls[0] | (left[1] * -rate[0] < left[0] * -rate[1]));
  const int vertex =
      falls[2] & (!(falls[0] | falls[1]) | (left[2] * -rate[earlier] < left[earlier] * -rate[2])) ? 2 : earlier;
  const double time = left[vertex] / -rate[vertex];
  if (!falls[vertex] || !std::isfinite(time)) return false;
  double weights[3];
  for (int k = 0; k < 3; ++k) weights[k] = k == vertex ? 0 : std::max(point.barycentrics[k] + time * rate[k], 0.0);
  const double scale = 1 / (weights[0] + weights[1] + weights[2]);
  crossing = {after(vertex), {scale * weights[0], scale * weights[1], scale * weights[2]}};
  return true;
}

/// A point in coordinates of an edge: along it from its corner `start` to `end`, and away from it, to its left if the
/// triangle's corners run that way and else to its right. Both times the edge's length, whose square is `square`.
struct Beside {
  double along, away, square;
};

Beside beside(const RowMatrix2& matrix, int start, int end, const Vector3& barycentrics) {
  // Number by number: vectors of two would go through memory. Laid flat, the corners of a triangle run
  // counter-clockwise, so that it lies to the left of an edge along them.
  const double x[3] = {0, matrix(0, 0), matrix(0, 1)};
  const double y[3] = {0, matrix(1, 0), matrix(1, 1)};
  const double along_x = x[end] - x[start];
  const double along_y = y[end] - y[start];
  const double offset_x = x[1] * barycentrics[1] + x[2] * barycentrics[2] - x[start];
  const double offset_y = y[1] * barycentrics[1] + y[2] * barycentrics[2] - y[start];
  const double left = along_x * offset_y - along_y * offset_x;
  return {along_x * offset_x + along_y * offset_y, end == after(start) ? left : -left,
          along_x * along_x + along_y * along_y};
}

/// Where the straight line from a point of the edge's triangle to one of the neighbour, both laid flat, meets the edge:
/// the weight of its second vertex. None if the line runs along the edge.
std::optional<double> meeting(const LocalFrames& frames, const SharedEdge& edge, const Vector3& from,
                              const Vector3& to) {
  const Beside p = beside(frames.matrices[std::size_t(edge.triangle)], edge.corner, after(edge.corner), from);
  const Beside q = beside(frames.matrices[std::size_t(edge.neighbour)], edge.first, edge.second, to);
  const double height = p.away + q.away;
  if (!(height > 0)) return std::nullopt;
  return (p.along * q.away + q.along * p.away) / (height * p.square);
}

}  // namespace

std::optional<EdgeCrossing> next_crossing(const LocalFrames& frames, const SurfacePoint& point) {
  EdgeCrossing crossing;
  return leave(frames, point, crossing) ? std::optional(crossing) : std::nullopt;
}

Vector2 unfold(const Mesh& mesh, const LocalFrames& frames, std::int32_t triangle, int corner, std::int32_t neighbour,
               const Vector2& direction) {
  return carry_over(frames, shared_edge(mesh, triangle, corner, neighbour), direction);
}

std::optional<double> unfolded_intersection(const Mesh& mesh, const LocalFrames& frames, std::int32_t first,
                                            const Vector3& from, std::int32_t second, const Vector3& to) {
  const int corner = mesh.neighbour_corner(first, second);
  if (corner == kNone) return std::nullopt;
  const std::optional<double> weight = meeting(frames, shared_edge(mesh, first, corner, second), from, to);
  if (!weight) return std::nullopt;
  return mesh.faces()(first, corner) < mesh.faces()(first, after(corner)) ? 1 - *weight : *weight;
}

Tracer::Tracer(std::shared_ptr<const Mesh> mesh, const Params& params, std::shared_ptr<WrinklePool> pool)
    : mesh_(std::move(mesh)),
      params_(params),
      bend_(params),
      pool_(pool ? std::move(pool) : std::make_shared<WrinklePool>()) {
  params_.validate();
}

bool Tracer::may_start(const CompressionField& field, std::int32_t triangle) const {
  return field.compression[std::size_t(triangle)] > params_.threshold && field.frames.area(std::size_t(triangle)) > 0 &&
         field.has_direction(triangle, params_.tracing.isotropy);
}

double Tracer::spacing(const CompressionField& field, std::int32_t triangle) const {
  return seed_distance() / field.compression[std::size_t(triangle)];
}

std::optional<SurfacePoint> Tracer::straight_on(const CompressionField& field, SurfacePoint point,
                                                double distance) const {
  // A line that crosses more edges than that turns round a vertex.
  constexpr int most = 256;
  for (int passed = 0; passed < most; ++passed) {
    const std::optional<EdgeCrossing> crossing = next_crossing(field.frames, point);
    if (!crossing) return std::nullopt;
    const double whole =
        make_segment(field.frames, point.triangle, point.barycentrics, crossing->barycentrics, kNone, 0).length();
    if (whole >= distance) {
      const double part = distance / whole;
      point.barycentrics = (1 - part) * point.barycentrics + part * crossing->barycentrics;
      return point;
    }
    distance -= whole;
    point.barycentrics = crossing->barycentrics;
    const std::int32_t next = mesh_->triangle_neighbours()(point.triangle, crossing->corner);
    if (next == kNone) return std::nullopt;
    point = enter(field.frames, point, shared_edge(*mesh_, point.triangle, crossing->corner, next));
  }
  return std::nullopt;
}

bool Tracer::is_coherent(const CompressionField& field, const Seed& seed) const {
  if (!(params_.tracing.coherence > 0) || params_.verbatim) return true;
  const double half =
      0.5 * params_.tracing.coherence * params_.flat_width() / field.compression[std::size_t(seed.triangle)];
  const Vector2 across = quarter_turn(field.a_max(seed.triangle));
  for (const double side : {-1.0, 1.0}) {
    const std::optional<SurfacePoint> there =
        straight_on(field, {seed.triangle, seed.barycentrics, kNone, side * across}, half);
    if (!there || there->triangle == seed.triangle) continue;
    if (!field.compressed(there->triangle, params_.end_threshold())) return false;
    if (!field.has_direction(there->triangle, params_.tracing.isotropy)) continue;
    const Vector2 along = quarter_turn(there->direction.normalized());
    if (std::fabs(along.dot(field.a_max(there->triangle))) < kLeastAlikeCosine) return false;
  }
  return true;
}

void Tracer::seeds_beside(const CompressionField& field, const Wrinkle& wrinkle, std::vector<Seed>& out) const {
  const double length = path_length(wrinkle, field.positions);
  // However narrow wrinkles are, a path has no more places beside it than it may have points.
  const double places = std::clamp(std::floor(length / params_.flat_width()), 1.0, double(params_.tracing.max_points));
  const double step = length / places;
  double next = 0.5 * step;
  // Counted as well: of a path so short that rounding takes its length in space, but not its lengths in the planes of
  // its triangles, the step is nothing.
  double left = places;
  visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
    const std::int32_t triangle = wrinkle.triangles[i];
    const double whole = segment.length();
    for (; left > 0 && next < segment.arc_length + whole; next += step, --left) {
      const double along = (next - segment.arc_length) / whole;
      const Vector2 first = (1 - along) * segment.a_barycentrics + along * segment.b_barycentrics;
      const Vector2 across = quarter_turn((segment.b - segment.a) / whole);
      for (const double side : {-1.0, 1.0}) {
        const SurfacePoint from{triangle, {first.x(), first.y(), 1 - first.sum()}, kNone, side * across};
        const std::optional<SurfacePoint> beside = straight_on(field, from, spacing(field, triangle));
        if (beside && may_start(field, beside->triangle)) out.push_back({beside->triangle, beside->barycentrics});
      }
    }
  });
}

void Tracer::seeds(const CompressionField& field, std::int64_t frame, std::vector<Seed>& out) {
  out.clear();
  visit_seeds(field, frame, [&](const Seed& seed) {
    out.push_back(seed);
    return true;
  });
}

template <class Visitor>
void Tracer::visit_seeds(const CompressionField& field, std::int64_t frame, Visitor&& visit) {
  order_.clear();
  const TracingParams& tracing = params_.tracing;
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t)
    if (may_start(field, t)) order_.push_back(t);
  std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
    const double first = field.compression[std::size_t(a)];
    const double second = field.compression[std::size_t(b)];
    return first != second ? first > second : a < b;
  });
  const double room = params_.flat_width() * params_.flat_width();
  const std::uint64_t run = params_.verbatim ? mix(params_.seed ^ mix(std::uint64_t(frame))) : params_.seed;
  for (const std::int32_t t : order_) {
    const double wanted = 1 + std::floor(field.frames.area(std::size_t(t)) / room);
    const int attempts = int(std::min(wanted, double(tracing.seeds_per_triangle)));
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::uint64_t key = mix(run) ^ std::uint64_t(t);
      // Uniform over the triangle: the root makes the density the same at every distance from corner 0.
      const double root = std::sqrt(uniform(key, 2 * std::uint64_t(attempt)));
      const double split = uniform(key, 2 * std::uint64_t(attempt) + 1);
      if (!visit(Seed{t, {1 - root, root * (1 - split), root * split}})) return;
    }
  }
}

bool Tracer::cross(const CompressionField& field, SurfacePoint& point, int corner, double straight,
                   EdgeCrossing& crossing, WalkEnd& end) const {
  const std::int32_t next = mesh_->triangle_neighbours()(point.triangle, corner);
  end = WalkEnd::border;
  if (next == kNone) return false;
  end = WalkEnd::below_threshold;
  if (!field.compressed(next, params_.end_threshold())) return false;
  end = WalkEnd::no_direction;
  SurfacePoint entered = enter(field.frames, point, shared_edge(*mesh_, point.triangle, corner, next));
  if (field.has_direction(next, params_.tracing.isotropy)) {
    const Vector2 line = field.a_max(next);
    const Vector2 along = (line.dot(entered.direction) < 0 ? -1.0 : 1.0) * line;
    if (!bend_.is_bounded()) {
      entered.direction = along;
    } else {
      entered.direction.normalize();
      if (!bend_.turn(along, straight, entered.direction)) {
        end = WalkEnd::too_sharp;
        return false;
      }
    }
  }
  if (!leave(field.frames, entered, crossing)) return false;
  point = entered;
  return true;
}

bool Tracer::go_over(const CompressionField& field, const SegmentIndex& occupied, std::int64_t id, SurfacePoint& point,
                     int corner, double straight, EdgeCrossing& crossing, double& length, Trail trail, WalkEnd& end) {
  return cross(field, point, corner, straight, crossing, end) ||
         (end == WalkEnd::below_threshold &&
          bridge(field, occupied, id, point, corner, straight, crossing, length, trail));
}

bool Tracer::bridge(const CompressionField& field, const SegmentIndex& occupied, std::int64_t id, SurfacePoint& point,
                    int corner, double straight, EdgeCrossing& crossing, double& length, Trail trail) {
  if (!(params_.tracing.bridge > 0) || params_.verbatim) return false;
  const std::size_t points = trail.points.size();
  double left = std::min(params_.tracing.bridge * params_.flat_width(), length);
  SurfacePoint next = point;
  const auto fail = [&] {
    trail.points.resize(points);
    trail.triangles.resize(points - 1);
    return false;
  };
  const auto clear = [&](const SurfacePoint& from, const EdgeCrossing& to, double& segment_length) {
    const PathSegment segment = make_segment(field.frames, from.triangle, from.barycentrics, to.barycentrics, id, 0);
    segment_length = segment.length();
    return clear_part(field, occupied, from.triangle, segment, trail) >= 1;
  };
  double segment_length = 0;
  while (true) {
    const std::int32_t triangle = mesh_->triangle_neighbours()(next.triangle, corner);
    if (triangle == kNone || trail.points.size() >= std::size_t(params_.tracing.max_points)) return fail();
    if (field.compressed(triangle, params_.end_threshold())) {
      const Vector2 ahead = unfold(*mesh_, field.frames, next.triangle, corner, triangle, next.direction).normalized();
      const bool leads_on = !field.has_direction(triangle, params_.tracing.isotropy) ||
                            std::fabs(ahead.dot(field.a_max(triangle))) >= kLeastAlikeCosine;
      // Beyond the gap there must be room, or its far side would be trimmed again.
      WalkEnd end;
      if (!leads_on || !cross(field, next, corner, straight, crossing, end) || !clear(next, crossing, segment_length))
        return fail();
      length -= std::min(params_.tracing.bridge * params_.flat_width(), length) - left;
      point = next;
      return true;
    }
    if (field.collapsed(triangle)) return fail();
    const SurfacePoint entered = enter(field.frames, next, shared_edge(*mesh_, next.triangle, corner, triangle));
    const std::optional<EdgeCrossing> out = next_crossing(field.frames, entered);
    if (!out || !clear(entered, *out, segment_length)) return fail();
    left -= segment_length;
    straight += segment_length;
    if (!(left > 0)) return fail();
    add(triangle, trail) = edge_point(*mesh_, triangle, out->corner, out->barycentrics[out->corner]);
    next = entered;
    next.barycentrics = out->barycentrics;
    corner = out->corner;
  }
}

PathPoint& Tracer::add(std::int32_t triangle, Trail trail) {
  trail.triangles.push_back(triangle);
  revisits_ |= walked_[std::size_t(triangle)] == walk_;
  walked_[std::size_t(triangle)] = walk_;
  return trail.points.emplace_back();
}

double Tracer::clear_part(const CompressionField& field, const SegmentIndex& occupied, std::int32_t triangle,
                          const PathSegment& segment, const Trail& trail) const {
  const double distance = params_.persistence.merge_distance * params_.least_width();
  double clear = 1;
  occupied.visit(triangle, [&](const PathSegment& other) {
    if (other.wrinkle == segment.wrinkle || clear == 0) return;  // nothing is less than that
    if (const auto blocked = blocked_interval(segment, other, distance)) clear = std::min(clear, blocked->low);
  });
  if (walked_[std::size_t(triangle)] != walk_) return clear;
  double gap = 0;  // along the trail from the segment compared to the walker
  Vector3 later = position(trail.points.back(), field.positions);
  for (std::size_t i = trail.points.size() - 1; i-- > 0;) {
    const Vector3 earlier = position(trail.points[i], field.positions);
    if (trail.triangles[i] == triangle) {
      const PathSegment own = make_segment(field.frames, triangle, barycentric(*mesh_, trail.points[i], triangle),
                                           barycentric(*mesh_, trail.points[i + 1], triangle), segment.wrinkle, 0);
      if (const auto blocked = blocked_interval(segment, own, self_distance(distance, gap)))
        clear = std::min(clear, blocked->low);
    }
    gap += (later - earlier).norm();
    later = earlier;
  }
  return clear;
}

void Tracer::begin_walk(const std::vector<std::int32_t>& triangles) {
  // Numbers begin anew after 2³² walks.
  if (++walk_ == 0) walked_.clear();
  walk_ = std::max(walk_, 1u);
  walked_.resize(std::size_t(mesh_->triangle_count()), 0);
  for (const std::int32_t triangle : triangles) walked_[std::size_t(triangle)] = walk_;
}

WalkEnd Tracer::walk(const CompressionField& field, SurfacePoint point, const SegmentIndex& occupied, std::int64_t id,
                     double length, double behind, Trail trail) {
  begin_walk(trail.triangles);
  EdgeCrossing crossing;
  if (!leave(field.frames, point, crossing)) return WalkEnd::no_direction;
  while (trail.points.size() < std::size_t(params_.tracing.max_points)) {
    // Measured only where something may end it: most triangles are free, and a new path goes on as far as it can.
    double whole = 0;
    double part = 1;
    WalkEnd end = WalkEnd::near_path;
    const bool may_end =
        length < kEndless || occupied.holds(point.triangle) || walked_[std::size_t(point.triangle)] == walk_;
    PathSegment segment;
    if (may_end || bend_.is_bounded()) {
      segment = make_segment(field.frames, point.triangle, point.barycentrics, crossing.barycentrics, id, 0);
      whole = segment.length();
    }
    if (may_end) {
      part = clear_part(field, occupied, point.triangle, segment, trail);
      if (whole * part > length) {
        part = length / whole;
        end = WalkEnd::length;
      }
    }
    if (part < 1) {
      if (part > 0) {
        const Vector3 barycentrics = (1 - part) * point.barycentrics + part * crossing.barycentrics;
        const PathPoint stop =
            inner_point(*mesh_, point.triangle, barycentrics, point.entry == kNone ? crossing.corner : point.entry);
        if (!trail.points.empty() && stop.same_edge(trail.points.back())) return end;  // it has not left the edge
        add(point.triangle, trail) = stop;
      }
      return end;
    }
    add(point.triangle, trail) =
        edge_point(*mesh_, point.triangle, crossing.corner, crossing.barycentrics[crossing.corner]);
    length -= whole;
    point.barycentrics = crossing.barycentrics;
    if (!go_over(field, occupied, id, point, crossing.corner, behind + whole, crossing, length, trail, end)) return end;
    behind = 0;
  }
  return WalkEnd::cap;
}

Trace Tracer::trace(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id) {
  const bool long_enough = draft(field, seed, occupied, id);
  return {long_enough ? std::optional(draft_) : std::nullopt, draft_ends_};
}

bool Tracer::draft(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id) {
  Wrinkle& wrinkle = draft_;
  revisits_ = false;
  wrinkle.id = id;
  wrinkle.points.clear();
  wrinkle.triangles.clear();
  const Vector2 along = field.a_max(seed.triangle);
  wrinkle.points.push_back(inner_point(*mesh_, seed.triangle, seed.barycentrics, 0));
  draft_ends_[0] = walk(field, {seed.triangle, seed.barycentrics, kNone, -along}, occupied, id, kEndless, 0,
                        {wrinkle.points, wrinkle.triangles});
  std::reverse(wrinkle.points.begin(), wrinkle.points.end());
  std::reverse(wrinkle.triangles.begin(), wrinkle.triangles.end());
  // The second half covers the way from the seed as well, unless there is no room for it: a path round a sleeve meets
  // its other end where it started.
  const PathPoint start = wrinkle.points.back();
  const bool first_way = wrinkle.size() > 1;
  if (first_way) {
    wrinkle.points.pop_back();
    wrinkle.triangles.pop_back();
  }
  const std::size_t first_half = wrinkle.size();
  draft_ends_[1] = walk(field, {seed.triangle, seed.barycentrics, kNone, along}, occupied, id, kEndless, 0,
                        {wrinkle.points, wrinkle.triangles});
  if (wrinkle.size() == first_half) {
    if (!first_way) return false;
    wrinkle.points.push_back(start);
    wrinkle.triangles.push_back(seed.triangle);
  }
  anchor_ends(*mesh_, wrinkle);

  if (path_length(wrinkle, field.positions) < params_.least_length()) return false;
  straight_ = wrinkle.points;
  smooth_path(*mesh_, field.frames, wrinkle);
  if (crosses_another(field, wrinkle, occupied) || (revisits_ && crosses_itself(field, wrinkle)))
    wrinkle.points = straight_;
  wrinkle.knot_widths.assign(2 * wrinkle.size() - 1, params_.flat_width());
  wrinkle.knot_heights.assign(2 * wrinkle.size() - 1, 0.0);
  return true;
}

void Tracer::grow(const CompressionField& field, std::int64_t frame, std::size_t alive, SegmentIndex& occupied,
                  CurveIndex& curves, std::int64_t& next_id, std::vector<Wrinkle>& wrinkles) {
  const std::size_t old_segments = occupied.size();
  const std::size_t old_wrinkles = wrinkles.size();
  std::int64_t id = next_id;
  try {
    const bool trains = params_.tracing.seeding == Seeding::trains && !params_.verbatim;
    const auto full = [&] { return alive >= std::size_t(params_.tracing.max_wrinkles); };
    const auto start = [&](const Seed& seed) {
      const Vector3& normal = field.frames.frames[std::size_t(seed.triangle)].normal;
      const Vector3 place = field.at(seed.triangle, seed.barycentrics);
      if (curves.near(place, normal, trains ? kKept * spacing(field, seed.triangle) : seed_distance())) return;
      if (!is_coherent(field, seed) || !draft(field, seed, occupied, id)) return;
      ++id;
      ++alive;
      insert_path(field, draft_, occupied);
      path_curve(draft_, field.positions, field.frames, curve_);
      curves.insert(curve_, std::int32_t(wrinkles.size()));
      wrinkles.push_back(pool_->take());
      wrinkles.back() = draft_;
    };
    std::size_t neighboured = 0;  // wrinkles beside which others have been started
    std::int64_t tries = std::max(kTries, kTriesPerTriangle * mesh_->triangle_count());
    const auto start_trains = [&] {
      for (; trains && neighboured < wrinkles.size() && tries > 0 && !full(); ++neighboured) {
        if (!wrinkles[neighboured].alive) continue;
        beside_.clear();
        seeds_beside(field, wrinkles[neighboured], beside_);
        for (const Seed& seed : beside_) {
          if (tries == 0 || full()) break;
          --tries;
          start(seed);
        }
      }
    };
    start_trains();
    visit_seeds(field, frame, [&](const Seed& seed) {
      if (full()) return false;
      start(seed);
      start_trains();
      return true;
    });
  } catch (...) {
    occupied.shorten(old_segments);
    wrinkles.resize(old_wrinkles);
    throw;
  }
  next_id = id;
}

double Tracer::extend(const CompressionField& field, const SegmentIndex& occupied, double length, Wrinkle& wrinkle) {
  const PathPoint end = wrinkle.points.back();
  const std::int32_t last = wrinkle.triangles.back();
  const std::size_t size = wrinkle.size();

  SurfacePoint point{last, barycentric(*mesh_, end, last), kNone, Vector2::Zero()};
  const Vector3 from = barycentric(*mesh_, wrinkle.points[size - 2], last);
  const PathSegment segment = make_segment(field.frames, last, from, point.barycentrics, wrinkle.id, 0);
  if (!(segment.length() > 0) || !field.compressed(last, params_.end_threshold())) return 0;
  point.direction = (segment.b - segment.a).normalized();
  if (end.on_edge()) {
    const int corner = mesh_->edge_corner(last, end.v0, end.v1);
    EdgeCrossing crossing;
    WalkEnd stop;
    if (params_.tracing.bridge > 0) begin_walk(wrinkle.triangles);
    if (!go_over(field, occupied, wrinkle.id, point, corner, segment.length(), crossing, length,
                 {wrinkle.points, wrinkle.triangles}, stop))
      return 0;
  } else {
    wrinkle.points.pop_back();
    wrinkle.triangles.pop_back();
  }
  walk(field, point, occupied, wrinkle.id, length, end.on_edge() ? 0 : segment.length(),
       {wrinkle.points, wrinkle.triangles});
  const auto added_length = [&] {
    Vector3 previous = position(wrinkle.points[size - 2], field.positions);
    double out = -(position(end, field.positions) - previous).norm();
    for (std::size_t i = size - 1; i < wrinkle.size(); ++i) {
      const Vector3 next = position(wrinkle.points[i], field.positions);
      out += (next - previous).norm();
      previous = next;
    }
    return out;
  };
  const bool grown = wrinkle.size() >= size && wrinkle.points.back() != end;
  if (grown) anchor_ends(*mesh_, wrinkle);
  const double added = grown ? added_length() : 0;
  if (added >= kLeastStep * params_.least_width()) return added;
  wrinkle.points.resize(end.on_edge() ? size : size - 1);
  wrinkle.triangles.resize(wrinkle.points.size() - 1);
  if (!end.on_edge()) {
    wrinkle.points.push_back(end);
    wrinkle.triangles.push_back(last);
  }
  return 0;
}

double self_distance(double distance, double gap) { return std::min(distance, 0.25 * gap); }

void anchor_ends(const Mesh& mesh, Wrinkle& wrinkle) {
  const auto anchor = [&](PathPoint& end, const PathPoint& inner, std::int32_t triangle) {
    if (end.on_edge()) return;
    const Vector3 barycentrics = barycentric(mesh, end, triangle);
    int corner = kNone;
    if (inner.on_edge()) {
      corner = mesh.edge_corner(triangle, inner.v0, inner.v1);
    } else {
      // The whole path lies in this triangle: the edge it is nearest to, in barycentric coordinates.
      int apex = 0;
      barycentrics.minCoeff(&apex);
      corner = (apex + 1) % 3;
    }
    end = inner_point(mesh, triangle, barycentrics, corner);
  };
  anchor(wrinkle.points.front(), wrinkle.points[1], wrinkle.triangles.front());
  anchor(wrinkle.points.back(), wrinkle.points[wrinkle.size() - 2], wrinkle.triangles.back());
}

void reverse_path(Wrinkle& wrinkle) {
  std::reverse(wrinkle.points.begin(), wrinkle.points.end());
  std::reverse(wrinkle.triangles.begin(), wrinkle.triangles.end());
  std::reverse(wrinkle.knot_widths.begin(), wrinkle.knot_widths.end());
  std::reverse(wrinkle.knot_heights.begin(), wrinkle.knot_heights.end());
}

void insert_path(const CompressionField& field, const Wrinkle& wrinkle, SegmentIndex& index) {
  visit_segments(field, wrinkle,
                 [&](std::size_t i, const PathSegment& segment) { index.insert(wrinkle.triangles[i], segment); });
}

bool crosses_another(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index) {
  if (index.empty()) return false;
  bool crossed = false;
  visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
    index.visit(wrinkle.triangles[i], [&](const PathSegment& other) {
      crossed = crossed || (other.wrinkle != wrinkle.id && crossing(segment, other));
    });
  });
  return crossed;
}

bool crosses_itself(const CompressionField& field, const Wrinkle& wrinkle) {
  bool crossed = false;
  visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
    for (std::size_t j = 0; j + 1 < i && !crossed; ++j)
      if (wrinkle.triangles[j] == wrinkle.triangles[i])
        crossed = crossing(segment, make_segment(field.frames, wrinkle.triangles[j],
                                                 barycentric(field.mesh, wrinkle.points[j], wrinkle.triangles[j]),
                                                 barycentric(field.mesh, wrinkle.points[j + 1], wrinkle.triangles[j]),
                                                 wrinkle.id, 0))
                      .has_value();
  });
  return crossed;
}

bool crosses_any(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index) {
  return crosses_another(field, wrinkle, index) || crosses_itself(field, wrinkle);
}

void smooth_path(const Mesh& mesh, const LocalFrames& frames, Wrinkle& wrinkle) {
  Vector3 from = barycentric(mesh, wrinkle.points[0], wrinkle.triangles[0]);
  for (std::size_t i = 1; i + 1 < wrinkle.size(); ++i) {
    PathPoint& point = wrinkle.points[i];
    const std::int32_t first = wrinkle.triangles[i - 1];
    const std::int32_t second = wrinkle.triangles[i];
    // The corners at v0 and v1, then in the order of the first triangle.
    const int of_v0 = mesh.corner(first, point.v0);
    const int of_v1 = mesh.corner(first, point.v1);
    const int there_of_v0 = mesh.corner(second, point.v0);
    const int there_of_v1 = mesh.corner(second, point.v1);
    const bool forward = of_v1 == after(of_v0);
    const SharedEdge edge{first, forward ? of_v0 : of_v1, second, forward ? there_of_v0 : there_of_v1,
                          forward ? there_of_v1 : there_of_v0};
    const Vector3 before = from;
    from = Vector3::Zero();
    from[there_of_v0] = point.t;
    from[there_of_v1] = 1 - point.t;
    if (mesh.neighbour_corner(first, second) == kNone) continue;
    const Vector3 to = barycentric(mesh, wrinkle.points[i + 1], second);
    if (const std::optional<double> weight = meeting(frames, edge, before, to)) {
      const double straight = forward ? 1 - *weight : *weight;
      point.t = off_the_vertices(0.5 * (point.t + straight));
    }
  }
}

}  // namespace pucker
