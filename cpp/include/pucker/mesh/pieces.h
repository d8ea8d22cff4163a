/// The connected pieces of a mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "pucker/mesh/topology.h"

namespace pucker {

/// Which piece each vertex is of: those that share a triangle are of one, and what is in none is one by itself.
struct Pieces {
  std::vector<std::int32_t> of;  ///< (n,) below `count`, in the order of their first vertices
  std::int32_t count = 0;
};

Pieces pieces_of(const Mesh& mesh);

}  // namespace pucker
