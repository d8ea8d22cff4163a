/// The lengths that say how a garment folds, vertex by vertex.
#pragma once

#include <vector>

#include "pucker/drape/guide.h"
#include "pucker/drape/params.h"
#include "pucker/types.h"

namespace pucker::drape {

/// Farther than so no place may lie, and no garment be larger; none smaller than one over it. Beyond, squares of
/// lengths and their products with stiffnesses leave the range of numbers, and folds would be missing without a word.
constexpr double kFarthest = 1e100;

/// Of the fine vertices (N,), in the unit of the positions.
struct Lengths {
  double extent = 0;                ///< longest side of the box round the garment
  std::vector<double> fold_sizes;   ///< ℓ: how far the cloth may be from the guide before it is held
  std::vector<double> wavelengths;  ///< λ: of the folds
};

/// Distance (n,) from each vertex straight inwards, against its normal, to the other side of the mesh; infinite where
/// there is none. Then the median of each vertex and its neighbours. Time goes with vertices times triangles.
std::vector<double> thickness(const Mesh& mesh, const ConstArray3& positions);

/// How often a garment cut for the coarse positions `cut` (n, 3) is subdivided: `params.levels`, or where that is -1 as
/// often as folds need, which is until half of its vertices have edges of at most a seventh of a fold, but at most
/// three times and to no more than 100 000 triangles. A mesh that has more to begin with is not subdivided. Throws
/// InvalidArgument as lengths_of does.
int levels_of(const Mesh& mesh, const ConstArray3& cut, const Params& params);

/// Those of a garment cut for the coarse positions `cut` (n, 3): ℓ is the smaller of `fold_size` times the extent and
/// `thickness` / 2 times the local thickness, smoothed; λ the larger of `wavelength` ℓ and `edges_per_wave` of the mean
/// fine edges round the vertex. Throws InvalidArgument for a garment without extent, and for one beyond kFarthest or
/// below 1 / kFarthest.
Lengths lengths_of(const Levels& levels, const ConstArray3& cut, const Params& params);

}  // namespace pucker::drape
