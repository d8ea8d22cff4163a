/// Welding: stored vertices that are one point of the cloth become one vertex.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pucker {

/// The map between stored and welded vertices, both ways.
struct Weld {
  std::vector<std::int32_t> welded;           ///< (N,): the welded vertex of each stored one
  std::vector<std::int32_t> representatives;  ///< (n,): the first stored vertex of each welded one, ascending
};

/// Welds vertices that have the same position in every frame. Files split a vertex where its texture coordinate, normal
/// or material changes; strains and neighbourhoods need it whole.
///
/// `positions`: frames × vertices × 3, any unit. `tolerance`: the largest distance of "the same position", as a share
/// of the diagonal of the frame's bounding box; 0 welds only equal positions. Vertices within it of a common vertex are
/// one too, so the result depends neither on the order of the vertices nor on the platform. Welded vertices are
/// numbered in the order of their first stored vertex.
///
/// Throws InvalidArgument if there is no frame, the size is not frames × vertices × 3, a position is not finite, or the
/// tolerance is not in [0, 1).
Weld weld(std::span<const double> positions, std::int64_t vertices, double tolerance = 1e-6);

}  // namespace pucker
