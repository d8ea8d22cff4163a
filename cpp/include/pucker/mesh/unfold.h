/// The triangles round a vertex laid flat (Gillette 2015, section 5.2.1, figure 5.4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pucker/mesh/frames.h"
#include "pucker/mesh/topology.h"

namespace pucker {

/// The one or two triangles of a fan, by number, in which a point lies: two if it lies on a spoke.
struct Sectors {
  std::size_t low;
  std::size_t high;
  bool contains(std::size_t k) const { return k == low || k == high; }
};

/// Where a line drawn over an unfolded fan crosses its spokes.
struct SpokeCrossings {
  struct Crossing {
    std::size_t spoke;
    double share;        ///< of the spoke's length from the vertex; outside [0, 1] if the line passes the spoke by
    std::size_t sector;  ///< the triangle entered
    double along;  ///< where on the line: i + u is the point u of the way from its point i to the next; never falls
  };
  std::size_t first_sector = 0;
  std::vector<Crossing> crossings;
  std::size_t last_sector() const { return crossings.empty() ? first_sector : crossings.back().sector; }
};

/// A fan of triangles round a vertex, unfolded into the plane with the vertex at the origin.
///
/// Spoke k is the edge from the vertex to `spoke_vertex(k)`; triangle k lies between spokes k and k+1. Spokes keep
/// their lengths. Angles round an inner vertex are scaled to 2π in all; round a boundary vertex they are kept, unless
/// they sum to more than 2π, which no plane has room for: then they are scaled to 2π too.
class Umbrella {
 public:
  /// Lays the fan of `vertex` that holds `triangle` flat. Reuses its memory.
  void unfold(const Mesh& mesh, const LocalFrames& frames, std::int32_t vertex, std::int32_t triangle);

  std::int32_t vertex() const { return vertex_; }
  bool closed() const { return closed_; }
  std::size_t size() const { return triangles_.size(); }
  std::int32_t triangle(std::size_t k) const { return triangles_[k]; }
  /// Number of spokes: size() for a closed fan, size() + 1 for an open one.
  std::size_t spoke_count() const { return spokes_.size() - (closed_ ? 1 : 0); }
  std::int32_t spoke_vertex(std::size_t k) const { return spokes_[k]; }
  double spoke_length(std::size_t k) const { return lengths_[k]; }
  /// Angle of spoke k from spoke 0; spoke size() of a closed fan is spoke 0 at 2π.
  double angle(std::size_t k) const { return angles_[k]; }
  /// End of spoke k in the plane.
  Vector2 tip(std::size_t k) const;

  /// The k for which the spoke leads to `vertex`, or none.
  std::optional<std::size_t> spoke_to(std::int32_t vertex) const;
  /// The triangles that meet at spoke k.
  Sectors beside_spoke(std::size_t k) const;
  /// The k for which the triangle is `triangle`, or none.
  std::optional<std::size_t> index_of(std::int32_t triangle) const;

  /// Place of the point with `barycentrics` in triangle k, which may lie outside of it.
  Vector2 place(const Mesh& mesh, std::size_t k, const Vector3& barycentrics) const;
  /// The triangle in whose sector `point` lies, the nearest one for a point beside an open fan.
  std::size_t sector(const Vector2& point) const;
  /// Barycentric coordinates in triangle k of a point of its sector, brought into the triangle if it lies outside.
  Vector3 barycentrics(const Mesh& mesh, std::size_t k, const Vector2& point) const;

  /// Follows the polyline `outline` (two or more points) from a sector of `from` to one of `to`, round the vertex on
  /// the side on which the polyline passes it. Returns false if the fan ends before, or the points have no angle.
  bool follow(std::span<const Vector2> outline, Sectors from, Sectors to, SpokeCrossings& out);

 private:
  void measure_turning(std::span<const Vector2> outline);

  std::int32_t vertex_ = kNone;
  bool closed_ = false;
  std::vector<double> turned_;  // angle of each point of an outline, continuous along it
  std::vector<std::int32_t> triangles_;
  std::vector<std::int32_t> spokes_;
  std::vector<double> lengths_;
  std::vector<double> angles_;
};

}  // namespace pucker
