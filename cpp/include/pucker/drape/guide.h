/// The smooth surface that draped cloth is held to, and the levels of subdivision that lead to it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/mesh/loop.h"
#include "pucker/mesh/sewing.h"
#include "pucker/mesh/topology.h"
#include "pucker/mesh/vertex_frames.h"
#include "pucker/types.h"

namespace pucker::drape {

/// The levels of a Loop subdivision one by one, which solvers are set up from: the matrices of all, one after the
/// other, are that of the whole.
class Steps {
 public:
  explicit Steps(const LoopSubdivision& whole);

  int count() const { return int(steps_.size()); }
  /// From level `level` to the next finer one; level 0 is the coarse mesh.
  const SparseRows& up(int level) const { return steps_[std::size_t(level)]; }
  const std::shared_ptr<const Mesh>& mesh(int level) const { return meshes_[std::size_t(level)]; }

 private:
  std::vector<std::shared_ptr<const Mesh>> meshes_;
  std::vector<SparseRows> steps_;
};

/// The subdivision of a garment that was cut so (n, 3): the corners that it has there stay. Throws InvalidArgument as
/// LoopSubdivision and sharp_corners do.
std::shared_ptr<const LoopSubdivision> subdivided(std::shared_ptr<const Mesh> mesh, int levels, const ConstArray3& cut);

/// A mesh subdivided and sewn, as draped cloth has it.
class Levels {
 public:
  /// `shared`: coarse vertices at which the fine mesh is sewn, if it is, to one that is not subdivided. Throws
  /// InvalidArgument as Sewing does.
  explicit Levels(std::shared_ptr<const LoopSubdivision> whole, std::span<const std::int32_t> shared = {},
                  bool sewn = true);

  const LoopSubdivision& whole() const { return *whole_; }
  const std::shared_ptr<const LoopSubdivision>& share() const { return whole_; }
  const Sewing& sewing() const { return sewing_; }
  /// Fills `fine` (N, 3) with the guide's places: the smooth surface of coarse positions (n, 3), sewn.
  void place(const ConstArray3& positions, Array3& fine) const;
  int count() const { return whole_->levels(); }
  const std::shared_ptr<const Mesh>& coarse() const { return whole_->coarse(); }
  /// Vertices of level `level`, the coarse mesh being level 0: they are the first of the finer ones.
  std::int64_t vertex_count(int level) const;

 private:
  std::shared_ptr<const LoopSubdivision> whole_;
  Sewing sewing_;
};

/// The guide of one frame after the other: places of the fine vertices, their normals, and frames as VertexFrames has
/// them.
class Guide {
 public:
  explicit Guide(std::shared_ptr<const Levels> levels);

  const Levels& levels() const { return *levels_; }
  const std::shared_ptr<const Levels>& share_levels() const { return levels_; }
  /// Takes the guide to coarse positions (n, 3). Throws InvalidArgument for another shape and what is not finite. Does
  /// not allocate after the first time.
  void step(const ConstArray3& positions);
  /// (N, 3)
  const Array3& positions() const { return positions_; }
  /// (N, 3), unit; zero for a vertex without area.
  const Array3& normals() const { return normals_; }
  /// Of the fine mesh, at any positions.
  const RingNormals& ring_normals() const { return normals_of_; }
  /// Of a vertex, whose places (N, 3) are those of the last step.
  RowMatrix3 frame(std::size_t v, const Array3& places) const;
  /// Exchanges the positions for an array that the next step fills, so that who keeps them needs no copy.
  void swap_positions(Array3& other) { positions_.swap(other); }

 private:
  std::shared_ptr<const Levels> levels_;
  Array3 positions_;
  RingNormals normals_of_;
  std::vector<std::int32_t> neighbours_;  ///< (N,) that frames take their edges to
  Array3 normals_;
};

}  // namespace pucker::drape
