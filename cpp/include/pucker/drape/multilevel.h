/// What makes long folds as quick to find as short ones: a preconditioner of all levels of subdivision.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/drape/four.h"
#include "pucker/drape/guide.h"

namespace pucker::drape {

/// Rows of few weights each.
struct Stencils {
  struct Share {
    std::int32_t column;
    float weight;
  };
  std::vector<std::int32_t> begins;  ///< (rows + 1,) of `shares`
  std::vector<Share> shares;

  /// `rows` with other numbers: row r is `order[r]` of them, column c is `places[c]`. Columns ascend.
  static Stencils renumbered(const SparseRows& rows, std::span<const std::int32_t> order,
                             std::span<const std::int32_t> places);
  /// Without entries.
  static Stencils none(std::size_t rows) { return {std::vector<std::int32_t>(rows + 1, 0), {}}; }
};

/// The vertices of a mesh in the order in which its triangles name them, so that neighbours lie close in memory; those
/// without triangles last. (n,): which vertex comes when.
std::vector<std::int32_t> order_of(const Mesh& mesh);
/// The inverse of an order.
std::vector<std::int32_t> places_of(std::span<const std::int32_t> order);

/// The stiffness of each vertex of a level, on the diagonal.
struct LevelStiffness {
  std::vector<float> own;   ///< (n,) of springs and bending
  std::vector<float> hold;  ///< (n,) of a pull of weight 1
};

/// Σ_l P…P D_l⁻¹ Pᵀ…Pᵀ over all levels below the finest, P Loop's weights from level to level, D_l the diagonal of
/// level l.
class Multilevel {
 public:
  /// `order` (N,) of the finest vertices; `stiffness` of all levels but the finest, in the meshes' own order.
  Multilevel(const Steps& levels, std::span<const std::int32_t> order, std::vector<LevelStiffness> stiffness);

  /// Sets the weights (N,) of the pulls, which holds are multiplied by, in the finest mesh's order; a level's vertices
  /// are the first of it.
  void aim(std::span<const double> weights);
  /// Takes a gradient (N,) down to the coarsest level and back up to the one below the finest: what `finest()` makes of
  /// `coarse()` is the sum.
  void apply(const Fours& gradient);
  const Stencils& finest() const { return finest_; }
  const Four* coarse() const { return levels_.empty() ? nullptr : levels_.back().values.data(); }

 private:
  struct Level {
    std::vector<std::int32_t> order;  ///< of the level's vertices, in which all that follows stands
    LevelStiffness stiffness;
    std::vector<float> inverse;
    Stencils down;  ///< to this level from the next finer one
    Stencils up;    ///< to this level from the next coarser one
    Fours values;
  };
  std::vector<Level> levels_;  ///< from the coarsest on
  Stencils finest_;
};

}  // namespace pucker::drape
