#include "patches.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pucker::viewer {

std::uint32_t Patch::code() const {
  std::uint32_t result = triangle;
  for (std::uint32_t k = 0; k < 3; ++k) result |= std::uint32_t(divided[k]) << (29 + k);
  return result;
}

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

std::int64_t vertex_count(const Patch& patch, const std::array<Eigen::Vector3f, 3>& corners, float target_edge,
                          float max_level) {
  float level = 1.0F;
  for (std::size_t k = 0; k < 3; ++k)
    if (patch.divided[k]) level = std::max(level, std::ceil((corners[(k + 1) % 3] - corners[k]).norm() / target_edge));
  const auto pieces = std::int64_t(std::min(level, max_level));
  const std::int64_t half = (pieces + 1) / 2;
  return pieces % 2 == 0 ? 3 * half * (half + 1) + 1 : 3 * half * half;
}

std::vector<std::pair<int, int>> split_draws(const std::vector<std::int64_t>& counts, std::int64_t limit) {
  std::vector<std::pair<int, int>> draws;
  int first = 0;
  std::int64_t total = 0;
  for (int index = 0; index < int(counts.size()); ++index) {
    const std::int64_t count = counts[std::size_t(index)];
    if (total + count > limit && index > first) {
      draws.emplace_back(first, index - first);
      first = index;
      total = 0;
    }
    total += count;
  }
  if (int(counts.size()) > first) draws.emplace_back(first, int(counts.size()) - first);
  return draws;
}

}  // namespace pucker::viewer
