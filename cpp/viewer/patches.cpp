#include "patches.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pucker::viewer {

Index3 edge_numbers(const Index3& faces) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
  Index3 result(faces.rows(), 3);
  for (Eigen::Index face = 0; face < faces.rows(); ++face)
    for (Eigen::Index k = 0; k < 3; ++k) {
      const auto ends = std::minmax({faces(face, k), faces(face, (k + 1) % 3)});
      result(face, k) = numbers.emplace(ends, std::int32_t(numbers.size())).first->second;
    }
  return result;
}

std::vector<std::uint32_t> edge_twins(const Index3& edges) {
  const auto slots = std::uint32_t(edges.size());
  std::vector<std::uint32_t> first(slots, slots);
  std::vector<std::uint32_t> last(slots);
  std::vector<std::uint32_t> twins(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const auto edge = std::size_t(edges.data()[slot]);
    if (first[edge] == slots) first[edge] = last[edge] = slot;
    twins[last[edge]] = slot;
    twins[slot] = first[edge];
    last[edge] = slot;
  }
  return twins;
}

std::vector<Patch> find_patches(const std::vector<std::uint32_t>& packed_triangles, const Index3& edges) {
  std::vector<bool> divided(std::size_t(edges.size() == 0 ? 0 : edges.maxCoeff() + 1));
  for (Eigen::Index face = 0; face < edges.rows(); ++face)
    if (packed_triangles[2 * std::size_t(face)] > 0)
      for (const std::int32_t edge : edges.row(face)) divided[std::size_t(edge)] = true;
  std::vector<Patch> patches;
  for (Eigen::Index face = 0; face < edges.rows(); ++face) {
    const auto is_divided = [&](Eigen::Index k) { return bool(divided[std::size_t(edges(face, k))]); };
    const Patch patch{std::uint32_t(face), {is_divided(0), is_divided(1), is_divided(2)}};
    if (patch.divided != std::array<bool, 3>{}) patches.push_back(patch);
  }
  return patches;
}

std::array<float, 3> edge_levels(const Patch& patch, const std::array<Eigen::Vector3f, 3>& corners, float target_edge) {
  std::array<float, 3> levels{1.0F, 1.0F, 1.0F};
  for (std::size_t k = 0; k < 3; ++k)
    if (patch.divided[k])
      levels[k] = std::max(1.0F, std::ceil((corners[(k + 1) % 3] - corners[k]).norm() / target_edge));
  return levels;
}

std::int64_t vertex_count(std::int64_t pieces) {
  const std::int64_t half = (pieces + 1) / 2;
  return pieces % 2 == 0 ? 3 * half * (half + 1) + 1 : 3 * half * half;
}

std::vector<std::pair<int, int>> split_draws(std::span<const std::int64_t> counts, std::int64_t limit) {
  std::vector<std::pair<int, int>> draws;
  int first = 0;
  std::int64_t total = 0;
  const auto end_draw = [&](int end) {
    if (total > 0) draws.emplace_back(first, end - first);
    first = end;
    total = 0;
  };
  for (int index = 0; index < int(counts.size()); ++index) {
    const std::int64_t count = counts[std::size_t(index)];
    if (total + count > limit) end_draw(index);
    total += count;
  }
  end_draw(int(counts.size()));
  return draws;
}

}  // namespace pucker::viewer
