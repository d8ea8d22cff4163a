/// A few points of a garment that stand for all of it, and how what is known at them reaches the vertices between.
#pragma once

#include <cstdint>
#include <vector>

#include "pucker/byexample/features.h"
#include "pucker/mesh/loop.h"

namespace pucker::byexample {

/// Points that a vertex takes values from, at most.
inline constexpr int kRegionsEach = 4;

/// Vertices of a feature mesh, spread over it.
///
/// Distances d are those along edges in the rest pose. A vertex takes from its nearest points, in the proportion of
/// exp(−(1.5 d/h)²), h being the distance of the vertex that is farthest from any point.
class Regions {
 public:
  /// `count` vertices, each the farthest from those before it, the first vertex being the first: all vertices if there
  /// are no more. Parts of the mesh that nothing connects have one each before any has a second. Throws InvalidArgument
  /// for a count below 1, or below that of such parts.
  static Regions spread(const Features& features, std::int64_t count);
  /// Throws InvalidArgument for no points, vertices that there are not, the same one twice, and a vertex that no point
  /// is connected with.
  Regions(const Features& features, std::vector<std::int32_t> points);

  /// (R,) vertices of the feature mesh.
  const std::vector<std::int32_t>& points() const { return points_; }
  /// (n, R): how much each vertex takes from each point; rows sum to 1.
  const SparseRows& shares() const { return shares_; }

 private:
  /// `distances` (R, n): of each vertex from each point.
  Regions(std::vector<std::int32_t> points, const std::vector<std::vector<double>>& distances);

  std::vector<std::int32_t> points_;
  SparseRows shares_;
};

}  // namespace pucker::byexample
