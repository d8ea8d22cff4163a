/// A linear blend skin: how the vertices of a garment follow the joints of a character.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pucker/mesh/bones.h"
#include "pucker/types.h"

namespace pucker::io {

/// All influences a file has, of welded vertices: vertex v of frame f is Σ wᵢ · Mᶠ(jᵢ) · B(jᵢ) · (restᵥ, 1), with the
/// matrices as 3 × 4, row by row. What moves with a node and has no skin follows that node as its one joint.
struct Skin {
  std::vector<std::string> joints;    ///< (J,) names; one may occur twice, where two meshes are bound to it
  std::vector<double> inverse_binds;  ///< B, J × 3 × 4: from the rest pose (Clip::rest) to each joint
  std::vector<double> matrices;       ///< M, frames × J × 3 × 4: from each joint to the world
  std::vector<std::int32_t> first;    ///< (n + 1,): where the influences of each vertex begin
  std::vector<std::int32_t> joint;    ///< (k,) j
  std::vector<double> weight;         ///< (k,) w, of a vertex sum 1
  std::vector<std::int32_t> nodes;    ///< (J,) the node of the character's skeleton that each joint is
};

/// The nodes that move a character, garment and body, and all above them: parents come before their children.
struct Skeleton {
  std::vector<std::string> nodes;     ///< (K,) names
  std::vector<std::int32_t> parents;  ///< (K,) kNone for a topmost one
  std::vector<double> matrices;       ///< frames × K × 3 × 4: from each node to the world, row by row
};

/// The largest influences of each vertex, for a GPU that takes so many.
struct CutSkin {
  int most = 0;
  std::vector<std::int32_t> joint;  ///< n × most; 0 where a vertex has fewer
  std::vector<double> weight;       ///< n × most, of a vertex sum 1; 0 where it has fewer
  std::vector<double> lost;         ///< (n,): the weight each vertex had on what was cut
  std::int64_t vertices_cut = 0;    ///< how many lost any
};

/// Throws InvalidArgument unless the arrays fit each other, indices are in range and numbers finite.
void check_skin(const Skin& skin, const Skeleton& skeleton, std::int64_t vertices, std::int64_t frames);
/// Throws InvalidArgument unless the arrays fit each other, parents come first and numbers are finite.
void check_skeleton(const Skeleton& skeleton, std::int64_t frames);

/// Keeps the `most` largest influences of each vertex, of equals those that come first, scaled to sum 1. Throws
/// InvalidArgument unless most ≥ 1.
CutSkin cut(const Skin& skin, int most);
/// The skin cut to as many influences as a GPU takes, with both matrices of a joint multiplied.
Bones bones_of(const Skin& skin);

}  // namespace pucker::io
