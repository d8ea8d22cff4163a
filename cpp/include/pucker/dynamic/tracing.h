/// Wrinkle paths traced across the compression (Gillette 2015, section 5.1).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pucker/dynamic/bend.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker {

/// A point at which a path may start.
struct Seed {
  std::int32_t triangle;
  Vector3 barycentrics;
};

/// A point of the surface and the direction to go on from it.
struct SurfacePoint {
  std::int32_t triangle;
  Vector3 barycentrics;
  int entry;          ///< the k of the edge (k, k+1) it was come to by, or kNone
  Vector2 direction;  ///< in the plane of the triangle
};

/// Where a straight line from a surface point leaves its triangle.
struct EdgeCrossing {
  int corner;            ///< by edge (corner, corner+1)
  Vector3 barycentrics;  ///< exactly 0 for the vertex opposite the edge
};
/// None if the direction points nowhere (zero, or a triangle without area) or leads back out by the entry.
std::optional<EdgeCrossing> next_crossing(const LocalFrames& frames, const SurfacePoint& point);

/// `direction` in the plane of `triangle`, carried over its edge `corner` into the neighbour as if both lay flat.
Vector2 unfold(const Mesh& mesh, const LocalFrames& frames, std::int32_t triangle, int corner, std::int32_t neighbour,
               const Vector2& direction);

/// Where the straight line between two points of the unfolded triangles `first` and `second` meets their common edge:
/// the weight of the edge's smaller vertex, which lies outside [0, 1] if the line passes the edge by. None if they have
/// no common edge or the line runs along it.
std::optional<double> unfolded_intersection(const Mesh& mesh, const LocalFrames& frames, std::int32_t first,
                                            const Vector3& from, std::int32_t second, const Vector3& to);

/// Why a walk ended: at cloth compressed less than the threshold (or without area), at the border of the cloth or an
/// edge of three or more triangles, at the distance kept from a path (another, or itself), where no direction leads on,
/// after the length asked for, at the largest number of points. With tracing.bridge a path does not end at cloth
/// compressed less than the threshold where it would lead straight across it, within so many flat widths, to cloth
/// compressed more whose direction is within 45 degrees of its own.
///
/// With tracing.bend a path turns no more than that within three flat widths: it follows the direction as far as it may
/// turn, and ends (`too_sharp`) where that leaves it more than 45 degrees from it.
enum class WalkEnd { below_threshold, border, near_path, no_direction, too_sharp, length, cap };

/// A path and why its two walks ended, in the order of its ends.
struct Trace {
  std::optional<Wrinkle> wrinkle;  ///< none: it would be too short
  std::array<WalkEnd, 2> ends;
};

/// Starts new paths and lengthens living ones. Deterministic: the points tried depend on (seed, triangle, attempt)
/// only.
class Tracer {
 public:
  /// `pool`: memory for new wrinkles, shared with whoever takes them out again; none: an own one.
  Tracer(std::shared_ptr<const Mesh> mesh, const Params& params, std::shared_ptr<WrinklePool> pool = nullptr);

  const Params& params() const { return params_; }
  const Mesh& mesh() const { return *mesh_; }

  /// Fills `out` with the points tried in this frame: random points of the triangles with compression above the
  /// threshold and a direction, the most compressed triangle first. `frame` enters the key only if `verbatim`.
  void seeds(const CompressionField& field, std::int64_t frame, std::vector<Seed>& out);

  /// The path through `seed`, traced both ways and smoothed once; its ends keep merge_distance from the `occupied`
  /// segments and from itself. No wrinkle if it is shorter than min_length. Heights are 0, widths flat; `id` is given.
  Trace trace(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id);

  /// Points to both sides of the path, across it, where the next wrinkles of a train have room: away from it by
  /// spacing(), at every flat width along it (the seeds of evenly spaced streamlines, Jobard and Lefer 1997). Those of
  /// them that a path may start at are appended to `out`.
  void seeds_beside(const CompressionField& field, const Wrinkle& wrinkle, std::vector<Seed>& out) const;

  /// Distance that seeds keep from paths, in the clip's unit.
  double seed_distance() const { return params_.tracing.seed_distance * params_.flat_width(); }

  /// Distance between the wrinkles of a train in the triangle: seed_distance flat widths of cloth, as wide as they are
  /// when compressed. So many wrinkles side by side take up all that the cloth is too long.
  double spacing(const CompressionField& field, std::int32_t triangle) const;

  /// Seeds and traces all new paths of a frame: a seed keeps seed_distance() from every curve of `curves`, whose radius
  /// is at least that, or with Seeding::trains the share kKept of the spacing there, and what is beside a path comes
  /// first. New paths are appended to `wrinkles` and entered in both indices, their place among the wrinkles as owner
  /// of the curve; ids count up from `next_id`. Across tracing.coherence flat widths of a seed the cloth is compressed
  /// alike. `alive`: paths alive before. If it throws, `occupied`, `next_id` and
  /// `wrinkles` are as before.
  void grow(const CompressionField& field, std::int64_t frame, std::size_t alive, SegmentIndex& occupied,
            CurveIndex& curves, std::int64_t& next_id, std::vector<Wrinkle>& wrinkles);

  /// Lengthens `wrinkle` at its last point by at most `length`, along its last segment to the end of that triangle and
  /// on along the field. An addition shorter than kLeastStep·min_width is not made. Returns the length added.
  double extend(const CompressionField& field, const SegmentIndex& occupied, double length, Wrinkle& wrinkle);

  static constexpr double kLeastStep = 0.05;
  static constexpr double kKept = 0.9;

 private:
  /// A path under construction, of one or more points.
  struct Trail {
    std::vector<PathPoint>& points;
    std::vector<std::int32_t>& triangles;
  };
  /// Calls `visit(seed)` for each of seeds(), until it returns false.
  template <class Visitor>
  void visit_seeds(const CompressionField& field, std::int64_t frame, Visitor&& visit);
  /// Traces into `draft_`; false if the path is too short.
  bool draft(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id);
  /// `behind`: how far the path has come straight to the point.
  WalkEnd walk(const CompressionField& field, SurfacePoint point, const SegmentIndex& occupied, std::int64_t id,
               double length, double behind, Trail trail);
  /// Takes the point over edge `corner` of its triangle, if there is cloth to wrinkle beyond and the way leads on: by
  /// `crossing`. False if not, `end` says why. `straight`: how far the path has come without a turn.
  bool cross(const CompressionField& field, SurfacePoint& point, int corner, double straight, EdgeCrossing& crossing,
             WalkEnd& end) const;
  /// The same, or else across a gap of at most the `length` that is left; what lies in the gap is added to the trail
  /// and its length subtracted.
  bool go_over(const CompressionField& field, const SegmentIndex& occupied, std::int64_t id, SurfacePoint& point,
               int corner, double straight, EdgeCrossing& crossing, double& length, Trail trail, WalkEnd& end);
  /// Goes straight on through cloth that is not compressed until it is again. False, and nothing changed, if it is not
  /// within tracing.bridge flat widths and `length`, or the way is not clear.
  bool bridge(const CompressionField& field, const SegmentIndex& occupied, std::int64_t id, SurfacePoint& point,
              int corner, double straight, EdgeCrossing& crossing, double& length, Trail trail);
  /// Marks the triangles that the path leads through already.
  void begin_walk(const std::vector<std::int32_t>& triangles);
  /// The next point of the trail, to be filled in, with the triangle of the segment to it.
  PathPoint& add(std::int32_t triangle, Trail trail);
  /// Whether a path may start in the triangle.
  bool may_start(const CompressionField& field, std::int32_t triangle) const;
  /// The point at `distance` straight on from `point` and the direction there; none if the cloth ends before.
  std::optional<SurfacePoint> straight_on(const CompressionField& field, SurfacePoint point, double distance) const;
  /// Whether the cloth half a wrinkle to both sides of the seed, as far as there is any, is compressed as well and
  /// within 45 degrees of the same direction.
  bool is_coherent(const CompressionField& field, const Seed& seed) const;
  /// The u up to which `segment` keeps clear of the occupied segments and of the trail.
  double clear_part(const CompressionField& field, const SegmentIndex& occupied, std::int32_t triangle,
                    const PathSegment& segment, const Trail& trail) const;

  std::shared_ptr<const Mesh> mesh_;
  Params params_;
  BendLimit bend_;
  std::vector<Seed> beside_;
  std::vector<std::int32_t> order_;
  PathCurve curve_;
  Wrinkle draft_;
  std::array<WalkEnd, 2> draft_ends_{};
  std::shared_ptr<WrinklePool> pool_;
  std::vector<PathPoint> straight_;
  std::vector<std::uint32_t> walked_;  ///< per triangle: number of the last walk whose trail leads through it
  std::uint32_t walk_ = 0;
  bool revisits_ = false;  ///< a walk of this draft has come into a triangle of its trail
};

/// How close a path may come to itself after a way of `gap` along it, if other paths are kept at `distance`: at a bend
/// it is always near itself.
double self_distance(double distance, double gap);

/// Describes the ends that lie inside a triangle by the edge their neighbour lies on, so that the whole path slides
/// alike.
void anchor_ends(const Mesh& mesh, Wrinkle& wrinkle);

/// The same path run through the other way.
void reverse_path(Wrinkle& wrinkle);

/// Calls `visit(i, segment)` for each segment of the path.
template <class Visitor>
void visit_segments(const CompressionField& field, const Wrinkle& wrinkle, Visitor&& visit) {
  double length = 0;
  for (std::size_t i = 0; i + 1 < wrinkle.size(); ++i) {
    const std::int32_t triangle = wrinkle.triangles[i];
    const PathSegment segment =
        make_segment(field.frames, triangle, barycentric(field.mesh, wrinkle.points[i], triangle),
                     barycentric(field.mesh, wrinkle.points[i + 1], triangle), wrinkle.id, length);
    length += segment.length();
    visit(i, segment);
  }
}

/// Enters all segments of the wrinkle in the index.
void insert_path(const CompressionField& field, const Wrinkle& wrinkle, SegmentIndex& index);

/// Whether the path crosses an indexed segment of another wrinkle.
bool crosses_another(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index);
/// Whether the path crosses itself.
bool crosses_itself(const CompressionField& field, const Wrinkle& wrinkle);
/// Either.
bool crosses_any(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index);

/// One tangential Laplacian step: every inner point moves half way to where the straight line between its neighbours
/// crosses its edge, the two triangles laid flat; all from the old points. It stays on its edge.
void smooth_path(const Mesh& mesh, const LocalFrames& frames, Wrinkle& wrinkle);

}  // namespace pucker
