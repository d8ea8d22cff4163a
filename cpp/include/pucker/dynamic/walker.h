/// A path led over the compression, point by point (Gillette 2015, section 5.1).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "pucker/dynamic/bend.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/wrinkle.h"
#include "pucker/mesh/walk.h"

namespace pucker {

/// Why a walk ended: at cloth compressed less than the threshold (or without area), at the border of the cloth or an
/// edge of three or more triangles, at the distance kept from a path (another, or itself), where no direction leads on,
/// after the length asked for, at the largest number of points. With tracing.bridge a path does not end at cloth
/// compressed less than the threshold where it would lead straight across it, within so many flat widths, to cloth
/// compressed more whose direction is within 45 degrees of its own.
///
/// With tracing.bend a path turns no more than that within three flat widths: it follows the direction as far as it may
/// turn, and ends (`too_sharp`) where that leaves it more than 45 degrees from it.
enum class WalkEnd { below_threshold, border, near_path, no_direction, too_sharp, length, cap };

/// The triangles that a path leads through already; memory that walks use again.
class PassedTriangles {
 public:
  /// Holds these, of a mesh of so many triangles, and no others.
  void reset(std::size_t triangle_count, const std::vector<std::int32_t>& triangles);
  void add(std::int32_t triangle);
  bool holds(std::int32_t triangle) const { return passed_[std::size_t(triangle)] == walk_; }
  /// Whether a triangle was added that it held, since `forget_revisits`.
  bool revisited() const { return revisited_; }
  void forget_revisits() { revisited_ = false; }

 private:
  std::vector<std::uint32_t> passed_;  ///< per triangle: number of the last walk whose path leads through it
  std::uint32_t walk_ = 0;
  bool revisited_ = false;
};

/// Lengthens one path of one or more points at its last, for as long as what it refers to lives.
class Walker {
 public:
  /// `occupied`: the segments of other paths, from which it keeps merge_distance. `length`: by which the path is
  /// lengthened at most.
  Walker(const Params& params, const BendLimit& bend, const CompressionField& field, const SegmentIndex& occupied,
         Wrinkle& path, PassedTriangles& passed, double length = std::numeric_limits<double>::infinity());

  /// Leads the path on from `point`, which it has come to straight from as far as `behind`.
  WalkEnd walk(SurfacePoint point, double behind);
  /// Takes the point over edge `corner` of its triangle, if there is cloth to wrinkle beyond and the way leads on, by
  /// `crossing`; or else straight across a gap within tracing.bridge flat widths and the length that is left, and what
  /// lies in the gap is added to the path. False, and nothing changed, if not; `end` says why. `straight`: how far the
  /// path has come without a turn.
  bool go_over(SurfacePoint& point, int corner, double straight, EdgeCrossing& crossing, WalkEnd& end);

 private:
  bool cross(SurfacePoint& point, int corner, double straight, EdgeCrossing& crossing, WalkEnd& end) const;
  bool bridge(SurfacePoint& point, int corner, double straight, EdgeCrossing& crossing);
  /// The next point of the path, to be filled in, with the triangle of the segment to it.
  PathPoint& add(std::int32_t triangle);
  /// The u up to which `segment` keeps clear of the occupied segments and of the path.
  double clear_part(std::int32_t triangle, const PathSegment& segment) const;

  const Params& params_;
  const BendLimit& bend_;
  const CompressionField& field_;
  const SegmentIndex& occupied_;
  const Mesh& mesh_;
  std::int64_t id_;
  std::vector<PathPoint>& points_;
  std::vector<std::int32_t>& triangles_;
  PassedTriangles& passed_;
  double left_;  ///< of the length
};

}  // namespace pucker
