/// Normals of vertices: of which some are one for the surface, and such as are given in one pose and wanted in another.
#pragma once

#include <cstdint>
#include <span>

#include "pucker/types.h"

namespace pucker {

/// Area-weighted mean of the normals of the triangles (m, 3) round each vertex (n, 3), unit length; zero for a vertex
/// without area. Vertices of one number in `weld` (n,) share their triangles; without it each has its own.
void welded_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                    Array3& out);

/// Normals (n, 3) of vertices in the pose `from` (n, 3) carried to the pose `to`, unit length; zero for a vertex of
/// which none is given, or whose triangles have no area in either pose.
///
/// Each triangle (m, 3) carries those of its corners by the inverse transpose of the map from one pose to the other
/// that takes its plane to its plane and stretches its normal by the root of the ratio of its areas, so that a turn and
/// a uniform scale are exact. A vertex takes the mean over its triangles, weighted by their areas in `to`.
void carry_normals(const ConstIndex3& faces, const ConstArray3& from, const ConstArray3& normals, const ConstArray3& to,
                   Array3& out);

}  // namespace pucker
