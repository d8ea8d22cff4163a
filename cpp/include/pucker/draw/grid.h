/// Points at which a detail is evaluated once a picture; what draws it interpolates between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pucker/draw/tessellation.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::draw {

/// Points of a grid are at most so many of a picture's pixels.
inline constexpr double kGridShare = 0.4;

/// Cells of each piece of an edge of so many pixels; none where every pixel is better evaluated by itself: seen from
/// far as points would be as close as pixels, from near as they would be too far from each other.
std::optional<int> cells_of_piece(double pixels);

/// The block Grid, as shaders/common/grid.glsl reads it.
struct Grid {
  std::vector<std::uint32_t> words;  ///< before the first point: all that is sent
  std::int64_t entries = 0;          ///< triangles that have points
  std::int64_t points = 0;
  std::int64_t triangles = 0;  ///< m

  /// Bytes of all of it.
  std::size_t size() const { return 4 * words.size() + 16 * std::size_t(points) + 12 * std::size_t(triangles); }
};

/// Points of triangles with positions (n, 3) that are tessellated so: each triangle that detail reaches, `reached` (m,)
/// of which are not 0, has as many cells a side as make those of its longest edge no longer than `cell`, and the points
/// that divide its edges; other tessellated ones have one point, which stands for nothing. Refills `out`. False, with
/// `out` as it was, for more than `most` points, for edges that want more than kMaxLevel pieces, and where no triangle
/// is tessellated.
bool lay_grid(const Mesh& mesh, const ConstArray3& positions, std::span<const std::uint8_t> reached,
              const Tessellation& cut, double cell, std::int64_t most, Grid& out);

}  // namespace pucker::draw
