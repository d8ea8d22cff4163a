/// Triangle meshes of known connectivity, made in code.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

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

struct Surface {
  Index3 faces;
  Array3 positions;
};

/// The unit sphere, facing outwards: an octahedron whose edges are halved `subdivisions` times.
inline Surface sphere(int subdivisions) {
  Index3 triangles = octahedron();
  std::vector<Vector3> points{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (int round = 0; round < subdivisions; ++round) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [entry, added] = middles.try_emplace(std::minmax(a, b), std::int32_t(points.size()));
      if (added) points.push_back((points[std::size_t(a)] + points[std::size_t(b)]).normalized());
      return entry->second;
    };
    Index3 finer(4 * triangles.rows(), 3);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
      const std::int32_t a = triangles(t, 0);
      const std::int32_t b = triangles(t, 1);
      const std::int32_t c = triangles(t, 2);
      const std::int32_t ab = middle(a, b);
      const std::int32_t bc = middle(b, c);
      const std::int32_t ca = middle(c, a);
      finer.middleRows(4 * t, 4) << a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca;
    }
    triangles = finer;
  }
  Surface out{triangles, Array3(Eigen::Index(points.size()), 3)};
  for (std::size_t v = 0; v < points.size(); ++v) out.positions.row(Eigen::Index(v)) = points[v].transpose();
  return out;
}

}  // namespace pucker::shapes
