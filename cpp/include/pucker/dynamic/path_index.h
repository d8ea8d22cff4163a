/// Where the paths of one frame lie: by triangle, to keep them from crossing, and in space, to keep seeds away from
/// them (Gillette 2015, chapter 8).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/wrinkle.h"
#include "pucker/mesh/distance.h"
#include "pucker/mesh/frames.h"

namespace pucker {

/// A straight segment of a path inside one triangle.
struct PathSegment {
  std::int64_t wrinkle;
  double arc_length;       ///< from the path's first point to `a`
  Vector2 a, b;            ///< in the plane of the triangle, in the clip's unit
  Vector2 a_barycentrics;  ///< barycentric coordinates of `a` for the first two vertices: free of rounding by the shape
  Vector2 b_barycentrics;

  Vector2 at(double u) const { return (1 - u) * a + u * b; }
  double length() const { return (b - a).norm(); }
};

/// The segment between two points with barycentric coordinates `from`, `to` in `triangle`.
PathSegment make_segment(const LocalFrames& frames, std::int32_t triangle, const Vector3& from, const Vector3& to,
                         std::int64_t wrinkle, double arc_length);

/// The u ∈ [0, 1] of `segment` at which it crosses `other`, or none; touching counts. Of those that lie on one line and
/// overlap: the first u.
std::optional<double> crossing(const PathSegment& segment, const PathSegment& other);

/// Part of a segment.
struct Interval {
  double low;
  double high;
};

/// Whether any part of `segment` is closer to `other` than `distance` or crosses it: whether there is a
/// blocked_interval.
bool comes_near(const PathSegment& segment, const PathSegment& other, double distance);

/// The part of `segment` that is closer to `other` than `distance` or crosses it (then at least the crossing itself).
/// The set is an interval, because the distance to a straight segment is convex along a line.
std::optional<Interval> blocked_interval(const PathSegment& segment, const PathSegment& other, double distance);

/// Segments of paths by triangle. Clearing costs as much as was inserted, not as much as the mesh is large.
class SegmentIndex {
 public:
  explicit SegmentIndex(const Mesh& mesh) : heads_(std::size_t(mesh.triangle_count()), kNone) {}

  std::int64_t triangle_count() const { return std::int64_t(heads_.size()); }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// Takes out the segments inserted last, down to `size` of them.
  void shorten(std::size_t size) noexcept;
  void clear();
  void insert(std::int32_t triangle, const PathSegment& segment);
  bool holds(std::int32_t triangle) const { return heads_[std::size_t(triangle)] != kNone; }
  /// Calls `visit(segment)` for each segment in `triangle`, the last inserted first.
  template <class Visitor>
  void visit(std::int32_t triangle, Visitor&& visit) const {
    for (std::int32_t e = heads_[std::size_t(triangle)]; e != kNone; e = entries_[std::size_t(e)].next)
      visit(entries_[std::size_t(e)].segment);
  }

 private:
  struct Entry {
    PathSegment segment;
    std::int32_t triangle;
    std::int32_t next;
  };
  std::vector<std::int32_t> heads_;
  std::vector<Entry> entries_;
};

/// Where a curve of an index is nearest to a point.
struct NearestCurve {
  std::int32_t owner;
  double arc_length;  ///< from the curve's first point
  Vector3 point;
};

/// Smoothed curves in space, for the distance from a point to the nearest one on the same side of the cloth.
class CurveIndex {
 public:
  /// Empties the index for queries up to `radius`.
  void reset(double radius);
  /// `owner`: whose curve it is, for `nearest`.
  void insert(const PathCurve& curve, std::int32_t owner = kNone);
  /// Whether a curve passes within a `distance`, up to the radius, of `point`. Cloth that faces away from `normal` does
  /// not count: two layers may lie closer together than a wrinkle is wide.
  bool near(const Vector3& point, const Vector3& normal, double distance) const;
  /// The nearest curve within a `distance` up to the radius, counted as by `near`, of those whose owner
  /// `counts(owner)`.
  template <class Counts>
  std::optional<NearestCurve> nearest(const Vector3& point, const Vector3& normal, double distance,
                                      Counts&& counts) const {
    std::optional<NearestCurve> found;
    double least = distance * distance;
    visit(point, distance, [&](const Segment& segment, std::int32_t owner) {
      if (!(segment.normal.dot(normal) > 0) || !counts(owner)) return false;
      const double u = nearest_on_segment(point, segment.a, segment.b);
      const Vector3 foot = segment.a + u * (segment.b - segment.a);
      const double square = (point - foot).squaredNorm();
      if (square < least) {
        least = square;
        found = {owner, std::lerp(segment.from, segment.to, u), foot};
      }
      return false;
    });
    return found;
  }

 private:
  struct Segment {
    Vector3 a, b, normal;
    double from, to;  ///< arc lengths of a and b
  };
  /// Segments that follow each other on a curve, together about as long as the radius: found together.
  struct Piece {
    Vector3 low, high;  ///< bounding box
    std::int32_t first;
    std::int32_t end;
    std::int32_t owner;
  };
  struct Link {
    std::int32_t piece;
    std::int32_t next;
  };
  struct Slot {
    std::uint64_t stamp = 0;
    std::int64_t x = 0, y = 0, z = 0;
    std::int32_t level = 0;
    std::int32_t head = kNone;
  };
  /// Of a level, whose cells are four times as wide as those of the level below. A piece lies in cells of the first
  /// level at which they are few: on cloth that has exploded, curves are far longer than the radius.
  struct Cell {
    std::int64_t x, y, z;
    std::int32_t level;
  };
  static constexpr std::int32_t kLevels = 64;
  Cell cell_of(const Vector3& point, std::int32_t level) const;
  /// Calls `visitor(segment, owner)` for the segments that may lie within `distance` of the point, some of them more
  /// than once, until it returns true; whether it has.
  template <class Visitor>
  bool visit(const Vector3& point, double distance, Visitor&& visitor) const {
    if (segments_.empty()) return false;
    const double square = distance * distance;
    const auto any_of = [&](std::int32_t piece) {
      const auto& [low, high, first, end, owner] = pieces_[std::size_t(piece)];
      const Vector3 beyond = (low - point).cwiseMax(point - high).cwiseMax(0.0);
      if (beyond.squaredNorm() > square) return false;
      for (std::int32_t i = first; i < end; ++i)
        if (visitor(segments_[std::size_t(i)], owner)) return true;
      return false;
    };
    for (const std::int32_t piece : long_pieces_)
      if (any_of(piece)) return true;
    for (std::uint64_t levels = levels_; levels != 0; levels &= levels - 1) {
      const std::int32_t level = std::countr_zero(levels);
      const Cell low = cell_of(point.array() - distance, level);
      const Cell high = cell_of(point.array() + distance, level);
      for (std::int64_t x = low.x; x <= high.x; ++x)
        for (std::int64_t y = low.y; y <= high.y; ++y)
          for (std::int64_t z = low.z; z <= high.z; ++z) {
            const Slot& slot = slots_[find({x, y, z, level})];
            if (slot.stamp != stamp_) continue;
            for (std::int32_t l = slot.head; l != kNone; l = links_[std::size_t(l)].next)
              if (any_of(links_[std::size_t(l)].piece)) return true;
          }
    }
    return false;
  }
  /// Makes a piece of the segments from `first` on, whose bounding box is given, and links it.
  void enter(std::size_t first, const Vector3& low, const Vector3& high, std::int32_t owner);
  /// Slot of the cell, or of the free place for it.
  std::size_t find(const Cell& cell) const;
  void link(const Cell& cell, std::int32_t piece);
  void grow();

  double radius_ = 0;
  std::array<double, kLevels> cells_per_length_{};  ///< of each level
  std::uint64_t levels_ = 0;                        ///< a bit for each level that holds a piece
  std::uint64_t stamp_ = 0;                         ///< slots of another stamp are empty
  std::size_t used_ = 0;
  std::vector<Slot> slots_;
  std::vector<Link> links_;
  std::vector<Segment> segments_;
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> long_pieces_;  ///< pieces that would fill too many cells of any level
};

/// Inserts the curves of the living wrinkles, each with its place among them as owner, and returns how many they are.
/// `curves` may be more than the wrinkles.
std::size_t insert_living(const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
                          CurveIndex& index);

}  // namespace pucker
