/// A wrinkle: a path over the mesh and the size of its cross-section along it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// A point of a path. Inner points lie on a mesh edge, p = t·v0 + (1−t)·v1 with depth 0. An end may lie inside a
/// triangle: then (v0, v1) is an edge of it, `apex` its third vertex, and
/// p = (1−depth)·(t·v0 + (1−t)·v1) + depth·apex, so that changing t slides the end parallel to the edge.
struct PathPoint {
  std::int32_t v0 = kNone;
  std::int32_t v1 = kNone;
  double t = 0;
  std::int32_t apex = kNone;
  double depth = 0;

  bool on_edge() const { return depth == 0; }
  bool same_edge(const PathPoint& other) const {
    return on_edge() && other.on_edge() && ((v0 == other.v0 && v1 == other.v1) || (v0 == other.v1 && v1 == other.v0));
  }
  bool operator==(const PathPoint&) const = default;
};

/// Points of a path keep this share of an edge's length from its vertices: at a vertex itself the direction in which a
/// path passes it would not be defined.
inline constexpr double kVertexMargin = 1e-6;
inline double off_the_vertices(double t) { return std::clamp(t, kVertexMargin, 1 - kVertexMargin); }

/// Where `point` lies for the vertex positions given.
inline Vector3 position(const PathPoint& point, const Array3& positions) {
  const Vector3 on_edge =
      point.t * positions.row(point.v0).transpose() + (1 - point.t) * positions.row(point.v1).transpose();
  if (point.on_edge()) return on_edge;
  return (1 - point.depth) * on_edge + point.depth * positions.row(point.apex).transpose();
}

/// Barycentric coordinates of `point` in `triangle`; throws InvalidArgument if the point does not lie in it.
inline Vector3 barycentric(const Mesh& mesh, const PathPoint& point, std::int32_t triangle) {
  const int a = mesh.corner(triangle, point.v0);
  const int b = mesh.corner(triangle, point.v1);
  require(a != kNone && b != kNone, "a point of edge (", point.v0, ", ", point.v1, ") does not lie in triangle ",
          triangle);
  const int c = 3 - a - b;
  require(point.on_edge() || mesh.faces()(triangle, c) == point.apex, "a point below vertex ", point.apex,
          " does not lie in triangle ", triangle);
  Vector3 barycentrics;
  barycentrics[a] = (1 - point.depth) * point.t;
  barycentrics[b] = (1 - point.depth) * (1 - point.t);
  barycentrics[c] = point.depth;
  return barycentrics;
}

/// A point with a barycentric coordinate below this lies on the edge: rounding must not decide in which of the two
/// triangles at the edge it lies.
inline constexpr double kOnEdge = 1e-9;

/// A point of `triangle` with barycentric coordinates `barycentrics`, slid parallel to edge (corner, corner+1), or a
/// point of the edge it lies on.
PathPoint inner_point(const Mesh& mesh, std::int32_t triangle, const Vector3& barycentrics, int corner);

/// A point of edge (corner, corner+1) of `triangle`, `t` the weight of vertex `corner`, kept off the vertices by
/// kVertexMargin. The edge's smaller vertex becomes v0, so that equal points of neighbouring triangles are equal.
inline PathPoint edge_point(const Mesh& mesh, std::int32_t triangle, int corner, double t) {
  const std::int32_t first = mesh.faces()(triangle, corner);
  const std::int32_t second = mesh.faces()(triangle, corner == 2 ? 0 : corner + 1);
  const double weight = off_the_vertices(t);
  PathPoint p;
  p.v0 = std::min(first, second);
  p.v1 = std::max(first, second);
  p.t = first > second ? 1 - weight : weight;
  return p;
}

/// A path over the mesh with widths and heights, alive or sinking.
///
/// `points` (k ≥ 2) and `triangles` (k−1): segment i joins points i and i+1 inside triangles[i]. Widths and heights are
/// held at 2k−1 knots: at the points and at the middles of the segments, so that a path inside a single triangle has a
/// middle too.
struct Wrinkle {
  std::int64_t id = 0;
  double age = 0;     ///< seconds since it was traced
  bool alive = true;  ///< false: dying, it only sinks where it lies
  std::vector<PathPoint> points;
  std::vector<std::int32_t> triangles;
  std::vector<double> knot_widths;   ///< full widths, (2k−1,), in the clip's unit of length
  std::vector<double> knot_heights;  ///< heights, (2k−1,)

  std::size_t size() const { return points.size(); }
  /// Takes memory for `count` points, so that a path that grows and shrinks later takes none.
  void reserve(std::size_t count);
  bool operator==(const Wrinkle&) const = default;
};

/// Points that most paths never have more of.
inline constexpr std::size_t kUsualPoints = 48;

/// Wrinkles that are gone, kept for their memory: new ones use it, so that a run in its steady state takes none.
class WrinklePool {
 public:
  /// A wrinkle of any content.
  Wrinkle take();
  void give(Wrinkle&& wrinkle) { spare_.push_back(std::move(wrinkle)); }
  /// Takes out the wrinkles for which `is_out(wrinkle)`; the others keep their order.
  template <class Predicate>
  void drop(std::vector<Wrinkle>& wrinkles, Predicate&& is_out) {
    std::size_t kept = 0;
    for (Wrinkle& wrinkle : wrinkles) {
      if (is_out(wrinkle)) {
        give(std::move(wrinkle));
      } else {
        if (&wrinkles[kept] != &wrinkle) wrinkles[kept] = std::move(wrinkle);
        ++kept;
      }
    }
    wrinkles.resize(kept);
  }
  /// Makes `to` equal to `from`.
  void copy(const std::vector<Wrinkle>& from, std::vector<Wrinkle>& to);

 private:
  std::vector<Wrinkle> spare_;
};

/// Widths and heights of a path as functions of its arc length, to give them to the path's next form.
struct SizeAlong {
  std::vector<double> knots;
  std::vector<double> widths;
  std::vector<double> heights;

  /// Takes the sizes of `wrinkle`, whose points lie at `arc_lengths` (k,).
  void take(const Wrinkle& wrinkle, const std::vector<double>& arc_lengths);
  /// Sets the sizes of `wrinkle`, whose points come from `sources` (k,) along the old path: beyond its ends the width
  /// is that of the end and the height 0.
  void give(const std::vector<double>& sources, Wrinkle& wrinkle) const;
};

/// Arc lengths of the points from the first one, (k,), for the vertex positions given.
void arc_lengths(const Wrinkle& wrinkle, const Array3& positions, std::vector<double>& out);
double path_length(const Wrinkle& wrinkle, const Array3& positions);

/// Throws InvalidArgument unless the wrinkle is a path of `mesh`: every point on its edge or in its triangle,
/// consecutive points in the segment's triangle, inner points on edges, sizes that fit each other. Names the first
/// broken rule.
void require_path(const Mesh& mesh, const Wrinkle& wrinkle);

}  // namespace pucker
