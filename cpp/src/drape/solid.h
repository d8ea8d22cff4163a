/// Which triangles of a body have an inside.
#pragma once

#include <cstdint>
#include <vector>

#include "pucker/types.h"

namespace pucker::drape {

/// Share of the triangles of a connected piece that have a back from which on all of it is solid.
inline constexpr double kSolidPiece = 0.75;

/// Of triangles (m, 3) in a pose (nb, 3), those that are solid, in ascending order: they have a back, which a ray
/// inwards from their middle leaves the body by, or most of their connected piece has one, as a head round its open
/// neck.
std::vector<std::int32_t> solid_triangles(const Index3& faces, const Array3& pose);

}  // namespace pucker::drape
