/// Where the paths of one frame lie: by triangle, to keep them from crossing, and in space, to keep seeds away from
/// them (Gillette 2015, chapter 8).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/wrinkle.h"
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

/// Smoothed curves in space, for the distance from a point to the nearest one on the same side of the cloth.
class CurveIndex {
 public:
  /// Empties the index for queries up to `radius`.
  void reset(double radius);
  void insert(const PathCurve& curve);
  /// Whether a curve passes within the radius of `point`. Cloth that faces away from `normal` does not count: two
  /// layers may lie closer together than a wrinkle is wide.
  bool near(const Vector3& point, const Vector3& normal) const { return near(point, normal, radius_); }
  /// The same within a `distance` up to the radius.
  bool near(const Vector3& point, const Vector3& normal, double distance) const;

 private:
  struct Segment {
    Vector3 a, b, normal;
  };
  struct Link {
    std::int32_t segment;
    std::int32_t next;
  };
  struct Slot {
    std::uint64_t stamp = 0;
    std::int64_t x = 0, y = 0, z = 0;
    std::int32_t head = kNone;
  };
  struct Cell {
    std::int64_t x, y, z;
  };
  Cell cell_of(const Vector3& point) const;
  /// Slot of the cell, or of the free place for it.
  std::size_t find(const Cell& cell) const;
  void link(const Cell& cell, std::int32_t segment);
  void grow();

  double radius_ = 0;
  double cells_per_length_ = 0;
  std::uint64_t stamp_ = 0;  ///< slots of another stamp are empty
  std::size_t used_ = 0;
  std::vector<Slot> slots_;
  std::vector<Link> links_;
  std::vector<Segment> segments_;
  std::vector<std::int32_t> long_segments_;  ///< segments that would fill too many cells
};

}  // namespace pucker
