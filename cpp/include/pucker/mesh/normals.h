/// Normals of vertices of which some are one for the surface.
#pragma once

#include <cstdint>
#include <span>

#include "pucker/types.h"

namespace pucker {

/// Area-weighted mean of the normals of the triangles (m, 3) round each vertex (n, 3), unit length; zero for a vertex
/// without area. Vertices of one number in `weld` (n,) share their triangles; without it each has its own.
void welded_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                    Array3& out);

}  // namespace pucker
