/// What of a clip follows from all its frames, for one that has only some of them.
#pragma once

#include <cstdint>
#include <vector>

#include "pucker/io/clip.h"
#include "pucker/mesh/topology.h"

namespace pucker::io {

/// See Clip::shared_vertices. `at` (n,): the vertices of the body that are where each vertex of the garment is in every
/// frame, ascending. `with` becomes the vertex of the garment that each of the `body` vertices is sewn to, or kNone.
std::vector<std::int32_t> sewn_vertices(const Mesh& mesh, const std::vector<std::vector<std::int32_t>>& at,
                                        std::size_t body, std::vector<std::int32_t>& with);

/// Whether the character lies flat in the first frame, so that its height follows from all of them: see Clip::height.
bool lies_flat(const Clip& clip);

}  // namespace pucker::io
