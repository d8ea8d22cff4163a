/// Triangle meshes of known connectivity, made in code.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "pucker/types.h"

namespace pucker::shapes {

inline Index3 faces(std::initializer_list<std::array<std::int32_t, 3>> triangles) {
  Index3 out(Eigen::Index(triangles.size()), 3);
  Eigen::Index next = 0;
  for (const auto& [a, b, c] : triangles) out.row(next++) << a, b, c;
  return out;
}

/// `across` × `along` quads, two triangles each, `vertex(x, y)` numbering the corners.
template <class Vertex>
Index3 quads(std::int32_t across, std::int32_t along, Vertex&& vertex) {
  Index3 out(2 * across * along, 3);
  Eigen::Index next = 0;
  for (std::int32_t y = 0; y < along; ++y)
    for (std::int32_t x = 0; x < across; ++x) {
      out.row(next++) << vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1);
      out.row(next++) << vertex(x, y), vertex(x + 1, y + 1), vertex(x, y + 1);
    }
  return out;
}

/// A sheet; (across + 1)·(along + 1) vertices.
inline Index3 grid(std::int32_t across, std::int32_t along) {
  return quads(across, along, [=](std::int32_t x, std::int32_t y) { return y * (across + 1) + x; });
}

/// An open cylinder; across·(along + 1) vertices.
inline Index3 cylinder(std::int32_t across, std::int32_t along) {
  return quads(across, along, [=](std::int32_t x, std::int32_t y) { return y * across + x % across; });
}

/// A band of `across` quads glued to itself with a half twist; 2·across vertices.
inline Index3 moebius(std::int32_t across) {
  return quads(across, 1,
               [=](std::int32_t x, std::int32_t y) { return x == across ? (1 - y) * across : y * across + x; });
}

inline Index3 octahedron() {
  return faces({{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
}

}  // namespace pucker::shapes
