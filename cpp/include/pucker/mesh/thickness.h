/// How thick what a garment goes round is.
#pragma once

#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// Distance (n,) from each vertex straight inwards, against its normal, to the other side of the mesh; infinite where
/// there is none. What is nearer than the share `own` of the mesh's longest side is the vertex's own fold, or a second
/// layer. Cloth that is modelled with an inner side is looked through: a side that is nearer than a twentieth of the
/// mesh's longest side, but six times as far over the surface, as no limb is round. Beyond it counts what the ray
/// leaves by, and of both sides of such cloth the smaller distance. Then the median of each vertex and its neighbours.
/// Throws InvalidArgument for positions of another shape.
std::vector<double> thickness(const Mesh& mesh, const ConstArray3& positions, double own = 1e-3);

/// Takes each of the numbers (n,) of vertices half of the way to the mean of its neighbours.
void smooth_over_edges(const Mesh& mesh, std::vector<double>& values);

}  // namespace pucker
