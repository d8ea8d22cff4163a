/// The mesh all benchmarks run on, so that their figures can be compared.
#pragma once

#include <cstdint>

#include "pucker/types.h"

namespace pucker::bench {

/// Triangles of a square sheet of `cells` × `cells` quads, (2·cells², 3), over (cells + 1)² vertices in rows.
inline Index3 sheet_faces(std::int32_t cells) {
  Index3 faces(2 * cells * cells, 3);
  const std::int32_t row = cells + 1;
  Eigen::Index next = 0;
  for (std::int32_t y = 0; y < cells; ++y)
    for (std::int32_t x = 0; x < cells; ++x) {
      const std::int32_t corner = y * row + x;
      faces.row(next++) << corner, corner + 1, corner + row + 1;
      faces.row(next++) << corner, corner + row + 1, corner + row;
    }
  return faces;
}

}  // namespace pucker::bench
