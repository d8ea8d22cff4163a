#include "pucker/dynamic/path_index.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pucker/mesh/distance.h"

namespace pucker {

namespace {

/// Segments that a path segment's curve is cut into for distance tests.
constexpr int kDistanceSamples = 4;
/// Shorter segments are joined; the curve deviates from a segment of this share of the radius by much less than the
/// radius.
constexpr double kShortestSegment = 0.125;
/// A piece of more cells than this lies in wider ones.
constexpr std::int64_t kMostCells = 64;
constexpr double kWiderCells = 4;
/// Numbers of cells from which on they are not told apart.
constexpr double kFarthestCell = 1e15;
/// Cells of the smallest radii would be infinitely many, and none could be distinguished from another.
constexpr double kMostCellsPerLength = 1e200;
/// Steps to the end of an interval: each at least halves the way to it, so that no double lies beyond the last.
constexpr int kSteps = 52;
/// Of a number up to 1.
constexpr double kRounding = std::numeric_limits<double>::epsilon();

double square_to(const PathSegment& segment, const Vector2& point) {
  return point_segment_square(point, segment.a, segment.b);
}

/// Where along `segment` the distance to `other` is least, if they do not cross: at an end of one of the two.
double nearest_parameter(const PathSegment& segment, const PathSegment& other) {
  const Vector2 along = segment.b - segment.a;
  const double square = along.squaredNorm();
  double best = 0;
  double least = square_to(other, segment.a);
  const auto consider = [&](double u) {
    const double d = square_to(other, segment.at(u));
    if (d < least) {
      least = d;
      best = u;
    }
  };
  consider(1);
  if (square > 0) {
    consider(std::clamp((other.a - segment.a).dot(along) / square, 0.0, 1.0));
    consider(std::clamp((other.b - segment.a).dot(along) / square, 0.0, 1.0));
  }
  return best;
}

/// Whether all of `other` lies farther than `distance` from the line of `segment`, to one side of it: most pairs in a
/// triangle do, which costs no division to tell.
bool aside(const PathSegment& segment, const PathSegment& other, double distance) {
  const Vector2 along = segment.b - segment.a;
  const double from = cross(along, other.a - segment.a);
  const double to = cross(along, other.b - segment.a);
  if (!(from * to > 0)) return false;
  const double least = std::min(std::fabs(from), std::fabs(to));
  // Only beyond rounding, which is that of the coordinates.
  constexpr double rounding = 1e-9;
  const double extent =
      segment.a.squaredNorm() + segment.b.squaredNorm() + other.a.squaredNorm() + other.b.squaredNorm();
  const double reach = (1 + rounding) * distance * distance + rounding * rounding * extent;
  return least * least > reach * along.squaredNorm();
}

}  // namespace

PathSegment make_segment(const LocalFrames& frames, std::int32_t triangle, const Vector3& from, const Vector3& to,
                         std::int64_t wrinkle, double arc_length) {
  const RowMatrix2& m = frames.matrices[std::size_t(triangle)];
  return {wrinkle, arc_length, m * from.tail<2>(), m * to.tail<2>(), from.head<2>(), to.head<2>()};
}

namespace {

/// Whether the boxes round both lie apart. Parts of one line have no crossing then, though rounding of their directions
/// may find one.
bool boxes_apart(const PathSegment& segment, const PathSegment& other) {
  using Corner = Eigen::Array2d;
  const auto low = [](const PathSegment& s) -> Corner { return s.a_barycentrics.cwiseMin(s.b_barycentrics); };
  const auto high = [](const PathSegment& s) -> Corner { return s.a_barycentrics.cwiseMax(s.b_barycentrics); };
  return (high(segment) < low(other) || high(other) < low(segment)).any();
}

/// The first u of `segment` on which `other`, of the same direction, lies.
std::optional<double> overlap(const Vector2& along, const Vector2& across, const Vector2& offset) {
  if (cross(offset, along) != 0 || cross(offset, across) != 0) return std::nullopt;
  const double square = along.squaredNorm();
  if (square == 0) {  // a point
    const double other = across.squaredNorm();
    const double v = other > 0 ? -offset.dot(across) / other : 0;
    return offset.isZero(0) || (other > 0 && v >= 0 && v <= 1) ? std::optional(0.0) : std::nullopt;
  }
  const double from = offset.dot(along) / square;
  const double to = (offset + across).dot(along) / square;
  const double first = std::max(std::min(from, to), 0.0);
  return first <= std::min(std::max(from, to), 1.0) ? std::optional(first) : std::nullopt;
}

}  // namespace

std::optional<double> crossing(const PathSegment& segment, const PathSegment& other) {
  if (boxes_apart(segment, other)) return std::nullopt;
  const Vector2 along = segment.b_barycentrics - segment.a_barycentrics;
  const Vector2 across = other.b_barycentrics - other.a_barycentrics;
  const Vector2 offset = other.a_barycentrics - segment.a_barycentrics;
  const double determinant = cross(along, across);
  if (determinant == 0) return overlap(along, across, offset);
  const double u = cross(offset, across) / determinant;
  const double v = cross(offset, along) / determinant;
  if (u < 0 || u > 1 || v < 0 || v > 1) return std::nullopt;
  return u;
}

bool comes_near(const PathSegment& segment, const PathSegment& other, double distance) {
  if (aside(segment, other, distance)) return false;
  const double square = distance * distance;
  return square_to(other, segment.at(nearest_parameter(segment, other))) < square ||
         crossing(segment, other).has_value();
}

std::optional<Interval> blocked_interval(const PathSegment& segment, const PathSegment& other, double distance) {
  if (aside(segment, other, distance)) return std::nullopt;
  const std::optional<double> hit = crossing(segment, other);
  const double square = distance * distance;
  const auto close = [&](double u) { return square_to(other, segment.at(u)) < square; };
  // Where two segments all but lie on one line, rounding decides where they cross, but not where they are near.
  const double nearest = hit && close(*hit) ? *hit : nearest_parameter(segment, other);
  if (!close(nearest)) return hit ? std::optional(Interval{*hit, *hit}) : std::nullopt;
  const Vector2 along = segment.b - segment.a;
  // By rounding a step may end inside: back out of it by the least that helps.
  const auto back_out = [&](double inside, double outside) {
    for (double step = kRounding; step < std::fabs(outside - inside); step *= 2) {
      const double back = inside + std::copysign(step, outside - inside);
      if (!close(back)) return back;
    }
    return outside;
  };
  // Newton's method on the squared distance, which is convex: from outside it never comes in but by rounding.
  const auto boundary = [&](double outside) {
    for (int i = 0; i < kSteps && !close(outside); ++i) {
      const Vector2 point = segment.at(outside);
      const Vector2 foot = other.a + nearest_on_segment(point, other.a, other.b) * (other.b - other.a);
      const double excess = (point - foot).squaredNorm() - square;
      const double next = outside - excess / (2 * (point - foot).dot(along));
      // Where the distance does not fall towards the nearest point any more.
      if (!(std::fabs(next - nearest) < std::fabs(outside - nearest))) break;
      if (close(next)) return back_out(next, outside);
      outside = next;
    }
    return outside;
  };
  return Interval{boundary(0), boundary(1)};
}

void SegmentIndex::clear() {
  for (const Entry& entry : entries_) heads_[std::size_t(entry.triangle)] = kNone;
  entries_.clear();
}

void SegmentIndex::shorten(std::size_t size) noexcept {
  for (; entries_.size() > size; entries_.pop_back())
    heads_[std::size_t(entries_.back().triangle)] = entries_.back().next;
}

void SegmentIndex::insert(std::int32_t triangle, const PathSegment& segment) {
  std::int32_t& head = heads_[std::size_t(triangle)];
  entries_.push_back({segment, triangle, head});
  head = std::int32_t(entries_.size()) - 1;
}

void CurveIndex::reset(double radius) {
  radius_ = radius;
  // Cells so wide that a ball of the radius lies in at most two of them in each direction, with room for rounding.
  double per_length = radius > 0 ? std::min(0.49 / radius, kMostCellsPerLength) : 0;
  for (double& level : cells_per_length_) level = std::exchange(per_length, per_length / kWiderCells);
  levels_ = 0;
  ++stamp_;
  used_ = 0;
  if (slots_.empty()) slots_.resize(1024);
  links_.clear();
  segments_.clear();
  pieces_.clear();
  long_pieces_.clear();
}

CurveIndex::Cell CurveIndex::cell_of(const Vector3& point, std::int32_t level) const {
  const auto along = [&](double x) {
    const double cell = std::clamp(x * cells_per_length_[std::size_t(level)], -kFarthestCell, kFarthestCell);
    const auto whole = std::int64_t(cell);
    return whole - (double(whole) > cell);
  };
  return {along(point.x()), along(point.y()), along(point.z()), level};
}

std::size_t CurveIndex::find(const Cell& cell) const {
  const std::uint64_t hash = std::uint64_t(cell.x) * 0x9E3779B97F4A7C15u ^ std::uint64_t(cell.y) * 0xC2B2AE3D27D4EB4Fu ^
                             std::uint64_t(cell.z) * 0x165667B19E3779F9u ^ std::uint64_t(cell.level);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::size_t(hash ^ (hash >> 29)) & mask;
  while (slots_[slot].stamp == stamp_ && !(slots_[slot].x == cell.x && slots_[slot].y == cell.y &&
                                           slots_[slot].z == cell.z && slots_[slot].level == cell.level))
    slot = (slot + 1) & mask;
  return slot;
}

void CurveIndex::link(const Cell& cell, std::int32_t piece) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  Slot& slot = slots_[find(cell)];
  if (slot.stamp != stamp_) {
    slot = {stamp_, cell.x, cell.y, cell.z, cell.level, kNone};
    ++used_;
  }
  links_.push_back({piece, slot.head});
  slot.head = std::int32_t(links_.size()) - 1;
}

void CurveIndex::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.stamp == stamp_) slots_[find({slot.x, slot.y, slot.z, slot.level})] = slot;
}

void CurveIndex::enter(std::size_t first, const Vector3& low, const Vector3& high, std::int32_t owner) {
  const std::int32_t piece = std::int32_t(pieces_.size());
  pieces_.push_back({low, high, std::int32_t(first), std::int32_t(segments_.size()), owner});
  const double farthest = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
  for (std::int32_t level = 0; level < kLevels; ++level) {
    if (!(farthest * cells_per_length_[std::size_t(level)] < kFarthestCell)) continue;
    const Cell from = cell_of(low, level);
    const Cell to = cell_of(high, level);
    const double cells = double(to.x - from.x + 1) * double(to.y - from.y + 1) * double(to.z - from.z + 1);
    if (cells > double(kMostCells)) continue;
    for (std::int64_t x = from.x; x <= to.x; ++x)
      for (std::int64_t y = from.y; y <= to.y; ++y)
        for (std::int64_t z = from.z; z <= to.z; ++z) link({x, y, z, level}, piece);
    levels_ |= std::uint64_t(1) << level;
    return;
  }
  long_pieces_.push_back(piece);
}

void CurveIndex::insert(const PathCurve& curve, std::int32_t owner) {
  if (!(radius_ > 0)) return;  // nothing is nearer than that
  const double shortest = kShortestSegment * radius_;
  Vector3 from = curve.points.front();
  double from_length = 0;
  // Of the piece in the making.
  std::size_t first = segments_.size();
  Vector3 start = from;
  Vector3 low = from;
  Vector3 high = from;
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const BezierCurve bezier = segment_curve(curve, i);
    for (int j = 1; j <= kDistanceSamples; ++j) {
      const Vector3 to = bezier.at(double(j) / kDistanceSamples);
      // On a fine mesh samples lie closer than the distance asked for needs.
      const bool last = i + 2 == curve.size() && j == kDistanceSamples;
      if (!last && (to - from).squaredNorm() < shortest * shortest) continue;
      const double to_length = std::lerp(curve.arc_lengths[i], curve.arc_lengths[i + 1], double(j) / kDistanceSamples);
      segments_.push_back({from, to, curve.normals[i], from_length, to_length});
      low = low.cwiseMin(to);
      high = high.cwiseMax(to);
      from = to;
      from_length = to_length;
      if (!last && (to - start).squaredNorm() < radius_ * radius_) continue;
      enter(first, low, high, owner);
      first = segments_.size();
      start = low = high = to;
    }
  }
}

std::size_t insert_living(const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
                          CurveIndex& index) {
  std::size_t alive = 0;
  for (std::size_t w = 0; w < wrinkles.size(); ++w) {
    if (!wrinkles[w].alive) continue;
    ++alive;
    index.insert(curves[w], std::int32_t(w));
  }
  return alive;
}

bool CurveIndex::near(const Vector3& point, const Vector3& normal, double distance) const {
  return visit(point, distance, [&](const Segment& segment, std::int32_t) {
    return segment.normal.dot(normal) > 0 && point_segment_square(point, segment.a, segment.b) < distance * distance;
  });
}

}  // namespace pucker
