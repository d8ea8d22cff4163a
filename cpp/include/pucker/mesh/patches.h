/// Dividing the triangles of a mesh in two by what each of them shows, without single ones that stand out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/mesh/topology.h"

namespace pucker {

/// The patches of triangles that are wanted, by a minimum cut: for each triangle the number of its patch from 0, in the
/// order of their first triangles, kNone for one that is in none. Triangles of a patch are connected across edges.
///
/// `wishes` (m,): what it costs that a triangle is in no patch; where negative, what it costs that it is in one, as an
/// absolute value. `borders` (e,), at least 0: what it costs that an edge has a patch on one side only. The sum of all
/// costs is least, and of equal sums that with the fewest triangles is taken (Greig, Porteous and Seheult 1989). Edges
/// of one triangle or of more than two cost nothing and connect nothing.
///
/// Throws InvalidArgument for another number of either, one that is not finite, and a negative border.
std::vector<std::int32_t> wanted_patches(const Mesh& mesh, std::span<const double> wishes,
                                         std::span<const double> borders);

}  // namespace pucker
