#include "pucker/draw/grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pucker/draw/style.h"

namespace pucker::draw {

namespace {

// Wanted length of a cell's side in pixels, and the shortest there is a grid for.
constexpr double kCellPixels = 4.0;
constexpr double kLeastCellPixels = 1.5;
// Cells of a piece of an edge: the fewest are those of an eighth of the smallest feature, with less a steep wrinkle
// that runs across them is hatched; beyond the most every pixel is evaluated.
constexpr int kLeastCells = 3;
constexpr int kMostCells = 6;
constexpr std::int64_t kPointsOfGroup = 64;  // of a work group of the program that evaluates them
constexpr std::size_t kWordsOfPoint = 4;
constexpr std::uint32_t kLevelBits = 8;

/// Cells of a triangle's side, and levels of its edges.
struct TriangleGrid {
  std::int64_t side = 0;
  std::array<std::int64_t, 3> levels{1, 1, 1};
  bool listed = false;

  std::int64_t points() const {
    if (side == 0) return listed ? 1 : 0;
    return (side + 1) * (side + 2) / 2 + levels[0] + levels[1] + levels[2] - 3;
  }
};

TriangleGrid grid_of(const Mesh& mesh, const ConstArray3& positions, std::int32_t t, std::uint8_t reached,
                     const Tessellation& cut, double cell) {
  TriangleGrid out;
  std::int64_t most = 0;
  double longest = 0.0;
  for (Eigen::Index k = 0; k < 3 && !mesh.degenerate(t); ++k) {
    const std::int64_t pieces = cut.pieces[std::size_t(mesh.triangle_edges()(t, k))];
    most = std::max(most, pieces);
    const auto ends = mesh.edges().row(mesh.triangle_edges()(t, k));
    longest = std::max(longest, (positions.row(ends[1]) - positions.row(ends[0])).norm());
    out.levels[std::size_t(k)] = std::max<std::int64_t>(pieces, 1);
  }
  out.listed = reached != 0 || most > 0;
  if (reached != 0) out.side = std::int64_t(std::ceil(longest / cell));
  return out;
}

}  // namespace

std::optional<int> cells_of_piece(double pixels) {
  const int cells = std::max(kLeastCells, int(std::ceil(std::min(pixels / kCellPixels, kMostCells + 1.0))));
  if (cells > kMostCells || pixels < kLeastCellPixels * cells) return std::nullopt;
  return cells;
}

bool lay_grid(const Mesh& mesh, const ConstArray3& positions, std::span<const std::uint8_t> reached,
              const Tessellation& cut, double cell, std::int64_t most, Grid& out) {
  if (cut.limited_edges > 0) return false;
  const auto of = [&](std::int32_t t) { return grid_of(mesh, positions, t, reached[std::size_t(t)], cut, cell); };
  std::int64_t points = 0;
  std::size_t entries = 0;
  for (std::int32_t t = 0; t < mesh.triangle_count() && points <= most; ++t) {
    const TriangleGrid grid = of(t);
    points += grid.points();
    entries += std::size_t(grid.listed);
  }
  if (points == 0 || points > most) return false;
  const std::size_t groups = 1 + 4 * entries + 2;  // where they begin
  out.entries = std::int64_t(entries);
  out.points = points;
  out.triangles = mesh.triangle_count();
  out.words.clear();
  out.words.resize(groups + std::size_t((points + kPointsOfGroup - 1) / kPointsOfGroup));
  out.words[0] = std::uint32_t(out.words.size() + kWordsOfPoint * std::size_t(points));
  const auto word_of = [&](std::int64_t point) {
    return std::uint32_t(out.words.size() + kWordsOfPoint * std::size_t(point));
  };
  std::uint32_t number = 0;
  std::int64_t first = 0;
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    const TriangleGrid grid = of(t);
    if (!grid.listed) continue;
    std::uint32_t* entry = &out.words[1 + 4 * std::size_t(number)];
    entry[0] = std::uint32_t(t);
    entry[1] = word_of(first);
    entry[2] = std::uint32_t(grid.side);
    for (std::uint32_t k = 0; k < 3; ++k) entry[3] |= std::uint32_t(grid.levels[k]) << kLevelBits * k;
    const std::int64_t next = first + grid.points();
    for (std::int64_t group = (first + kPointsOfGroup - 1) / kPointsOfGroup; group * kPointsOfGroup < next; ++group)
      out.words[groups + std::size_t(group)] = number;
    first = next;
    ++number;
  }
  out.words[groups - 1] = word_of(points);
  return true;
}

}  // namespace pucker::draw
