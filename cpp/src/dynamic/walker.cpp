#include "pucker/dynamic/walker.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pucker/dynamic/path.h"

namespace pucker {

void PassedTriangles::reset(std::size_t triangle_count, const std::vector<std::int32_t>& triangles) {
  // Numbers begin anew after 2³² walks.
  if (++walk_ == 0) passed_.clear();
  walk_ = std::max(walk_, 1u);
  passed_.resize(triangle_count, 0);
  for (const std::int32_t triangle : triangles) passed_[std::size_t(triangle)] = walk_;
}

void PassedTriangles::add(std::int32_t triangle) {
  revisited_ |= holds(triangle);
  passed_[std::size_t(triangle)] = walk_;
}

Walker::Walker(const Params& params, const BendLimit& bend, const CompressionField& field, const SegmentIndex& occupied,
               Wrinkle& path, PassedTriangles& passed, double length)
    : params_(params),
      bend_(bend),
      field_(field),
      occupied_(occupied),
      mesh_(field.mesh),
      id_(path.id),
      points_(path.points),
      triangles_(path.triangles),
      passed_(passed),
      left_(length) {}

bool Walker::cross(SurfacePoint& point, int corner, double straight, EdgeCrossing& crossing, WalkEnd& end) const {
  const std::int32_t next = mesh_.triangle_neighbours()(point.triangle, corner);
  end = WalkEnd::border;
  if (next == kNone) return false;
  end = WalkEnd::below_threshold;
  if (!field_.compressed(next, params_.end_threshold())) return false;
  end = WalkEnd::no_direction;
  SurfacePoint entered = enter(field_.frames, point, shared_edge(mesh_, point.triangle, corner, next));
  if (field_.has_direction(next, params_.tracing.isotropy)) {
    const Vector2 line = field_.a_max(next);
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
  if (!next_crossing(field_.frames, entered, crossing)) return false;
  point = entered;
  return true;
}

bool Walker::go_over(SurfacePoint& point, int corner, double straight, EdgeCrossing& crossing, WalkEnd& end) {
  return cross(point, corner, straight, crossing, end) ||
         (end == WalkEnd::below_threshold && bridge(point, corner, straight, crossing));
}

bool Walker::bridge(SurfacePoint& point, int corner, double straight, EdgeCrossing& crossing) {
  if (!(params_.tracing.bridge > 0) || params_.verbatim) return false;
  const std::size_t size = points_.size();
  const double gap = std::min(params_.tracing.bridge * params_.flat_width(), left_);
  double left = gap;
  SurfacePoint next = point;
  const auto fail = [&] {
    points_.resize(size);
    triangles_.resize(size - 1);
    return false;
  };
  const auto clear = [&](const SurfacePoint& from, const EdgeCrossing& to, double& segment_length) {
    const PathSegment segment = make_segment(field_.frames, from.triangle, from.barycentrics, to.barycentrics, id_, 0);
    segment_length = segment.length();
    return clear_part(from.triangle, segment) >= 1;
  };
  double segment_length = 0;
  while (true) {
    const std::int32_t triangle = mesh_.triangle_neighbours()(next.triangle, corner);
    if (triangle == kNone || points_.size() >= std::size_t(params_.tracing.max_points)) return fail();
    if (field_.compressed(triangle, params_.end_threshold())) {
      const Vector2 ahead = unfold(mesh_, field_.frames, next.triangle, corner, triangle, next.direction).normalized();
      const bool leads_on = !field_.has_direction(triangle, params_.tracing.isotropy) ||
                            std::fabs(ahead.dot(field_.a_max(triangle))) >= kLeastAlikeCosine;
      // Beyond the gap there must be room, or its far side would be trimmed again.
      WalkEnd end;
      if (!leads_on || !cross(next, corner, straight, crossing, end) || !clear(next, crossing, segment_length))
        return fail();
      left_ -= gap - left;
      point = next;
      return true;
    }
    if (field_.collapsed(triangle) || field_.width_at(triangle) == 0) return fail();
    const SurfacePoint entered = enter(field_.frames, next, shared_edge(mesh_, next.triangle, corner, triangle));
    const std::optional<EdgeCrossing> out = next_crossing(field_.frames, entered);
    if (!out || !clear(entered, *out, segment_length)) return fail();
    left -= segment_length;
    straight += segment_length;
    if (!(left > 0)) return fail();
    add(triangle) = edge_point(mesh_, triangle, out->corner, out->barycentrics[out->corner]);
    next = entered;
    next.barycentrics = out->barycentrics;
    corner = out->corner;
  }
}

PathPoint& Walker::add(std::int32_t triangle) {
  triangles_.push_back(triangle);
  passed_.add(triangle);
  return points_.emplace_back();
}

double Walker::clear_part(std::int32_t triangle, const PathSegment& segment) const {
  const double distance = field_.width_at(triangle) * params_.persistence.merge_distance * params_.least_width();
  double clear = 1;
  occupied_.visit(triangle, [&](const PathSegment& other) {
    if (other.wrinkle == segment.wrinkle || clear == 0) return;  // nothing is less than that
    if (const auto blocked = blocked_interval(segment, other, distance)) clear = std::min(clear, blocked->low);
  });
  if (!passed_.holds(triangle)) return clear;
  double gap = 0;  // along the path from the segment compared to the walker
  Vector3 later = position(points_.back(), field_.positions);
  for (std::size_t i = points_.size() - 1; i-- > 0;) {
    const Vector3 earlier = position(points_[i], field_.positions);
    if (triangles_[i] == triangle) {
      const PathSegment own = make_segment(field_.frames, triangle, barycentric(mesh_, points_[i], triangle),
                                           barycentric(mesh_, points_[i + 1], triangle), segment.wrinkle, 0);
      if (const auto blocked = blocked_interval(segment, own, self_distance(distance, gap)))
        clear = std::min(clear, blocked->low);
    }
    gap += (later - earlier).norm();
    later = earlier;
  }
  return clear;
}

WalkEnd Walker::walk(SurfacePoint point, double behind) {
  passed_.reset(std::size_t(mesh_.triangle_count()), triangles_);
  EdgeCrossing crossing;
  if (!next_crossing(field_.frames, point, crossing)) return WalkEnd::no_direction;
  while (points_.size() < std::size_t(params_.tracing.max_points)) {
    // Measured only where something may end it: most triangles are free, and a new path goes on as far as it can.
    double whole = 0;
    double part = 1;
    WalkEnd end = WalkEnd::near_path;
    const bool may_end = std::isfinite(left_) || occupied_.holds(point.triangle) || passed_.holds(point.triangle);
    PathSegment segment;
    if (may_end || bend_.is_bounded()) {
      segment = make_segment(field_.frames, point.triangle, point.barycentrics, crossing.barycentrics, id_, 0);
      whole = segment.length();
    }
    if (may_end) {
      part = clear_part(point.triangle, segment);
      if (whole * part > left_) {
        part = left_ / whole;
        end = WalkEnd::length;
      }
    }
    if (part < 1) {
      if (part > 0) {
        const Vector3 barycentrics = (1 - part) * point.barycentrics + part * crossing.barycentrics;
        const PathPoint stop =
            inner_point(mesh_, point.triangle, barycentrics, point.entry == kNone ? crossing.corner : point.entry);
        if (!points_.empty() && stop.same_edge(points_.back())) return end;  // it has not left the edge
        add(point.triangle) = stop;
      }
      return end;
    }
    add(point.triangle) = edge_point(mesh_, point.triangle, crossing.corner, crossing.barycentrics[crossing.corner]);
    left_ -= whole;
    point.barycentrics = crossing.barycentrics;
    if (!go_over(point, crossing.corner, behind + whole, crossing, end)) return end;
    behind = 0;
  }
  return WalkEnd::cap;
}

}  // namespace pucker
