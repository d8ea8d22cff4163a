/// The lengths that say how a garment folds, vertex by vertex.
#pragma once

#include <optional>
#include <vector>

#include "pucker/drape/guide.h"
#include "pucker/drape/params.h"
#include "pucker/types.h"

namespace pucker::drape {

/// Farther than so no place may lie, and no garment be larger; none smaller than one over it. Beyond, squares of
/// lengths and their products with stiffnesses leave the range of numbers, and folds would be missing without a word.
constexpr double kFarthest = 1e100;

/// Times the largest extent of a piece of a garment that a fold size is measured by, where the garment's is not less.
constexpr double kOfPiece = 1.5;

/// What differs over a garment, one number a coarse vertex, (n,); empty: 1 everywhere.
struct Maps {
  std::vector<double> stiffness;  ///< what the bending stiffness is multiplied with, in [10⁻⁹, 10⁹]
  std::vector<double> tightness;  ///< what `Params::tightness` is multiplied with; it stays in [0.1, 10]
};

/// What bends and pulls a fabric.
struct Fabric {
  double bending;  ///< stiffness, N m
  double tension;  ///< N/m
};
/// That of a cloth; none for Cloth::unknown. Stiffnesses are orders of magnitude, as fabrics differ. The tension is
/// that of 1 N/m, or what half a metre of the cloth weighs where that is more.
std::optional<Fabric> fabric_of(Cloth cloth);
/// That of the parameters: of their cloth, but for what they say themselves; none where neither says how it bends.
std::optional<Fabric> fabric_of(const FabricParams& params);

/// Of the fine vertices (N,), in the unit of the positions.
struct Lengths {
  double extent = 0;                ///< longest side of the box round the garment
  std::vector<double> fold_sizes;   ///< ℓ: how far the cloth may be from the guide before it is held
  std::vector<double> wavelengths;  ///< λ: of the folds
  std::vector<double> tightness;    ///< what rest lengths are divided by, without a unit
};

/// How often a garment cut for the coarse positions `cut` (n, 3) is subdivided: `params.levels`, or where that is -1 as
/// often as folds need, which is until half of its vertices have edges of at most a seventh of a fold, but at most
/// three times and to no more than 100 000 triangles. A mesh that has more to begin with is not subdivided. Throws
/// InvalidArgument as lengths_of does.
int levels_of(const Mesh& mesh, const ConstArray3& cut, const Params& params, const Maps& maps = {});

/// Those of a garment cut for the coarse positions `cut` (n, 3): ℓ is the smaller of `fold_size` times the extent of
/// the garment, or kOfPiece times that of the piece if that is less, which is all that edges join, but of at least a
/// hundredth of the garment's, and `thickness` / 2 times the local thickness, smoothed; λ the larger of
/// `edges_per_wave` of the mean fine edges round the vertex and `wavelength` ℓ, or where the fabric is known 2√π
/// (B/T)^¼ √ℓ, with ℓ in metres (Cerda and Mahadevan 2003, equation 3), either times the fourth root of the map of
/// stiffness. Throws InvalidArgument for a garment without extent, for one beyond kFarthest or below 1 / kFarthest, for
/// a fabric on a garment that is not between 1 cm and 20 m large if `fabric.size` does not say how large it is, and for
/// maps of another count or out of range.
Lengths lengths_of(const Levels& levels, const ConstArray3& cut, const Params& params, const Maps& maps = {});

}  // namespace pucker::drape
