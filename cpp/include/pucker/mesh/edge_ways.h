/// Shortest ways along the edges of a mesh.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// Distances along edges (Dijkstra 1959). They do not depend on the order in which edges are tried.
class EdgeWays {
 public:
  /// `lengths` (e,), at least 0. Throws InvalidArgument for another number.
  EdgeWays(const Mesh& mesh, std::span<const double> lengths);
  /// Those of edges as long as in `positions` (n, 3). Throws InvalidArgument for positions that do not fit.
  static EdgeWays in(const Mesh& mesh, const ConstArray3& positions);

  /// (n,): from each vertex to the nearest of `starts`; infinite where there is no way. Throws InvalidArgument for a
  /// vertex that there is not.
  std::vector<double> from(std::span<const std::int32_t> starts) const;

  /// How far a vertex is, and the vertex.
  using Place = std::pair<double, std::int32_t>;
  /// What `around` holds on to from call to call, of one mesh.
  struct Room {
    std::vector<double> distances;
    std::vector<Place> open;
  };
  /// Vertices that are no farther than `most` from `start`, the nearest first, up to the first of the three `ends`.
  /// Takes as long as there are such. Throws InvalidArgument for a vertex that there is not.
  std::vector<Place> around(std::int32_t start, double most, const std::array<std::int32_t, 3>& ends, Room& room) const;

 private:
  /// Gives each vertex no farther than `most` from the nearest of `starts` to `reached`, the nearest first, until that
  /// says to stop; what is still open then is left in the room. Throws InvalidArgument for a vertex that there is not.
  template <class Reached>
  void walk(std::span<const std::int32_t> starts, double most, Room& room, Reached reached) const;

  /// Neighbours of vertex v and how far they are: entries offsets_[v] to offsets_[v + 1].
  std::vector<std::size_t> offsets_;
  std::vector<std::pair<std::int32_t, double>> neighbours_;
};

}  // namespace pucker
