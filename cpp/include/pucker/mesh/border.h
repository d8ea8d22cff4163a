/// Where heights fade out: towards a border that the cloth shares with the rest of the character, and under other
/// layers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// The vertices at which a mesh ends, those of edges with fewer or more than two triangles, ascending.
std::vector<std::int32_t> border_vertices(const Mesh& mesh);

/// How much farther from what is covered a vertex counts to be: nothing opens there, so that heights may rise sooner.
inline constexpr double kBesideCovered = 2;

/// Distance (n,) of each vertex to the nearest of those that are shared, or kBesideCovered times that to the nearest
/// that covers() finds in `positions` (n, 3) where that is less, along edges as long as there; infinite where there is
/// no way. Throws InvalidArgument for positions that do not fit and a vertex that there is not.
std::vector<double> border_distances(const Mesh& mesh, const Array3& positions, std::span<const std::int32_t> shared);

/// The share of a height that is kept so far from there: S(x) = x²(3 − 2x) of the distance over `range`, 0 at the
/// border itself and 1 from `range` on; 1 everywhere for a range of 0.
double border_share(double distance, double range);

}  // namespace pucker
