/// How much higher over the guide cloth is drawn than it is in balance.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/drape/four.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::drape {

/// Raises cloth from its balance, without turning over what is folded sharply already.
///
/// Of a vertex v at x_v on a guide g with unit normals n, a gain γ adds a_v = (γ − 1) ((x_v − g_v)·n_v) n_v. Where the
/// normals of the guide meet, in a pit or at a doubled hem, that would move neighbours apart or through each other. So,
/// with c the cosine of the angle by which it would turn a triangle, at each vertex only s a_v is added, where s is the
/// least of its triangles' clamp((c − ½) / 0.4, 0, 1); and of that the mean of its triangles' means. A gain below 1
/// brings the cloth nearer to the guide, and is all of a_v.
class Height {
 public:
  /// `pinned` (n,): vertices that stay on the guide. Throws InvalidArgument for another number of them, and a gain that
  /// is not finite and at least 0.
  Height(std::shared_ptr<const Mesh> mesh, double gain, std::span<const std::uint8_t> pinned);

  const Mesh& mesh() const { return *mesh_; }
  double gain() const { return gain_; }
  /// Fills `out` (n, 3) with the cloth that is at `x` (n, 3) in balance. Continuous in all three. Does not allocate
  /// once `out` has its size.
  void raise(const Array3& guide, const Array3& normals, const Array3& x, Array3& out);

 private:
  std::shared_ptr<const Mesh> mesh_;
  double gain_;
  std::vector<std::uint8_t> pinned_;
  std::vector<float> shares_;  ///< (m,): how much of it each triangle allows
  Fours added_;                ///< (n,)
};

}  // namespace pucker::drape
