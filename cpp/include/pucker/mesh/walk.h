/// Straight lines over a mesh, from triangle to triangle laid flat (Gillette 2015, section 5.1).
#pragma once

#include <cstdint>
#include <optional>

#include "pucker/mesh/frames.h"
#include "pucker/mesh/topology.h"

namespace pucker {

inline Vector2 quarter_turn(const Vector2& v) { return {-v.y(), v.x()}; }

/// The corner of a triangle that follows `corner`.
inline int next_corner(int corner) { return corner == 2 ? 0 : corner + 1; }

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

/// Where the line from `point` leaves its triangle. False, and `crossing` as it was, if the direction points nowhere
/// (zero, or a triangle without area) or leads back out by the entry.
bool next_crossing(const LocalFrames& frames, const SurfacePoint& point, EdgeCrossing& crossing);
/// The same, none for false.
std::optional<EdgeCrossing> next_crossing(const LocalFrames& frames, const SurfacePoint& point);

/// The edge `corner` of a triangle in both triangles there: the neighbour's corners at its first and its second vertex.
struct SharedEdge {
  std::int32_t triangle;
  int corner;
  std::int32_t neighbour;
  int first;
  int second;
};

SharedEdge shared_edge(const Mesh& mesh, std::int32_t triangle, int corner, std::int32_t neighbour);

/// The point, which lies on the edge, in the neighbour there, going straight on.
SurfacePoint enter(const LocalFrames& frames, const SurfacePoint& point, const SharedEdge& edge);

/// `direction` in the plane of `triangle`, carried over its edge `corner` into the neighbour as if both lay flat.
Vector2 unfold(const Mesh& mesh, const LocalFrames& frames, std::int32_t triangle, int corner, std::int32_t neighbour,
               const Vector2& direction);

/// Where the straight line from a point of the edge's triangle to one of the neighbour, both laid flat, meets the edge:
/// the weight of its second vertex. None if the line runs along the edge.
std::optional<double> unfolded_meeting(const LocalFrames& frames, const SharedEdge& edge, const Vector3& from,
                                       const Vector3& to);

/// Where the straight line between two points of the unfolded triangles `first` and `second` meets their common edge:
/// the weight of the edge's smaller vertex, which lies outside [0, 1] if the line passes the edge by. None if they have
/// no common edge or the line runs along it.
std::optional<double> unfolded_intersection(const Mesh& mesh, const LocalFrames& frames, std::int32_t first,
                                            const Vector3& from, std::int32_t second, const Vector3& to);

}  // namespace pucker
