/// Linear blend skinning: nodes of a skeleton that are turned by hand, and the vertices that follow them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/types.h"

namespace pucker {

/// Numbers of a matrix.
inline constexpr std::size_t kMatrixSize = 12;

/// How vertices follow joints, as arrays of the caller's; matrices are 3 × 4, row by row.
struct SkinArrays {
  std::span<const std::int32_t> first;    ///< (n + 1,): where the influences of each vertex begin
  std::span<const std::int32_t> joint;    ///< (k,) j
  std::span<const double> weight;         ///< (k,) w, of a vertex sum 1
  std::span<const std::int32_t> nodes;    ///< (J,) the node of the skeleton that each joint is
  std::span<const double> inverse_binds;  ///< B, J × 3 × 4: from the pose it was bound in to each joint
};

/// Throws InvalidArgument unless the parents (K,) of nodes come before them, or are kNone.
void require_parents(std::span<const std::int32_t> parents);
/// Throws InvalidArgument unless the arrays fit each other and `vertices`, and indices are in range.
void require_skin(const SkinArrays& skin, std::int64_t vertices, std::size_t node_count);

/// Nodes in the world, K × 3 × 4, after each was turned about its own axes by its row of `angles` (K, 3) [degrees]:
/// about x, then about y as it lies then, then about z likewise; what hangs on a node turns with it. `matrices`: where
/// they were, K × 3 × 4; `parents` (K,): an earlier node, or kNone. A node keeps its bits if neither it nor one above
/// it is turned. Throws InvalidArgument for arrays that do not fit each other, parents that do not come first, angles
/// that are not finite, and a turn of a node without volume, below which nothing is known of what hangs on it.
std::vector<double> turned(std::span<const std::int32_t> parents, std::span<const double> matrices,
                           const ConstArray3& angles);

/// Vertices (n, 3) that follow nodes which are at M (K × 3 × 4) from where they are `rest` (n, 3) in the pose the skin
/// was bound in: Σ wᵢ · M(nodes(jᵢ)) · B(jᵢ) · (rest, 1). Throws InvalidArgument as require_skin does.
Array3 skinned(const SkinArrays& skin, const ConstArray3& rest, std::span<const double> matrices);

}  // namespace pucker
