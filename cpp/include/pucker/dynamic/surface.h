/// The wrinkled surface, evaluated from packed wrinkles (Gillette 2015, chapter 7): what the shaders draw, in double
/// precision.
#pragma once

#include <span>
#include <vector>

#include "pucker/dynamic/packing.h"
#include "pucker/mesh/topology.h"
#include "pucker/params.h"

namespace pucker {

/// Points of a wrinkled surface, one row each.
struct SurfacePoints {
  Array3 base;                  ///< (N, 3) on the mesh
  Array3 base_normals;          ///< (N, 3) unit, interpolated from the vertices
  std::vector<double> offsets;  ///< (N,) ≥ 0, along the interpolated normal
  Array3 positions;             ///< (N, 3) base + offset · base normal
  Array3 normals;               ///< (N, 3) unit, of the displaced surface
};

/// Evaluates points given by a triangle (N,) and barycentric coordinates (N, 3) in it, for vertex positions (n, 3) and
/// the wrinkles of that frame.
///
/// A point is projected to each wrinkle that reaches its triangle along the interpolated mean directions of its pieces
/// (equations 7.1 to 7.3); of one wrinkle the nearest projection counts whose width holds the point, of several
/// wrinkles the largest offset, and their normals are averaged with the offsets as weights (section 7.5). Points of an
/// edge come out the same from both its triangles if the wrinkles were packed as Packer does.
///
/// Normals of vertices without area, and interpolated normals that vanish, are (0, 1, 0). Throws InvalidArgument for
/// positions that are not (n, 3) and finite, for wrinkles that `require_packed` refuses, and for a triangle out of
/// range or coordinates that do not lie in it to 1e-5.
SurfacePoints evaluate_surface(const Mesh& mesh, Profile profile, const ConstArray3& positions,
                               const PackedView& packed, std::span<const std::int32_t> triangles,
                               const ConstArray3& barycentrics);

/// Number of pieces (e,) that each edge is tessellated into: as many as make them no longer than `target_edge`, but
/// `limit` at most; 1 where none of the edge's triangles is reached by a wrinkle. An edge depends on itself alone, so
/// the triangles on both its sides agree. Throws InvalidArgument as evaluate_surface does, for a target that is not
/// finite and positive and a limit below 1.
std::vector<std::int32_t> edge_levels(const Mesh& mesh, const ConstArray3& positions, const PackedView& packed,
                                      double target_edge, int limit = 64);

}  // namespace pucker
