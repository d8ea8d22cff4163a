/// What keeps one layer of a garment under another: a shirt under its jacket, a lining within its coat.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/drape/guide.h"
#include "pucker/drape/lengths.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::drape {

/// A place on a fine triangle.
struct Place {
  std::int32_t triangle = kNone;
  Vector3 shares = Vector3::Zero();  ///< barycentric
};

/// A fine vertex under another layer of the garment.
struct Covered {
  std::int32_t vertex = 0;
  Place over;               ///< what covers it in the cut pose, a triangle that nothing covers
  double share = 0;         ///< how much of this holds: 1 where it is covered, less beside that
  bool other_side = false;  ///< of the same cloth, so that the distance between the two stays
};

/// Which fine vertices lie under another layer in the cut pose, and what keeps them there.
///
/// Covered is what `covers` finds of the fine garment.
///
/// In a frame, the place p over a covered vertex v is the one straight over it on the guide g: from the triangle that
/// covers it in the cut pose on, across edges, up to where nothing more covers. With its unit normal n there, the guide
/// keeps the distance d = (g_p − g_v)·n. The cloth has changed this way by m = (x_p − x_v) − (g_p − g_v); the vertex
/// is seen as |m − (m·n)n| times kSteepest nearer than it is, as folds so steep may lie beside the place. Where it is
/// nearer than `clearance`, or than d if that is less, it is taken as far as needed towards where it goes along with
/// the layer, by a share of m; the other side of the same cloth goes along all the way with what it lies on in the cut
/// pose. Beside what another layer covers this fades out over half a fold; a lining ends where its cloth does. So
/// layers pass through each other where those of the guide do.
class Layers {
 public:
  /// Slope of the steepest folds that a layer is kept under.
  static constexpr double kSteepest = 4;

  /// `cut`: coarse positions (n, 3); `pinned` (N,): fine vertices that stay on the guide; `clearance`: a length. Throws
  /// InvalidArgument for shapes that do not fit and a clearance that is not finite and at least 0.
  Layers(const Levels& levels, const ConstArray3& cut, const Lengths& lengths, std::span<const std::uint8_t> pinned,
         double clearance);

  /// The fine mesh.
  const Mesh& mesh() const { return *mesh_; }
  const std::vector<Covered>& covered() const { return covered_; }
  double clearance() const { return clearance_; }
  /// (N,): what has to be kept free under the corners of triangles that cover something: the clearance, or the distance
  /// of what they cover if that is less; of the other side of the same cloth always its distance.
  const std::vector<double>& beneath() const { return beneath_; }
  /// (M, 3): the triangle across edge (k, k+1) of a fine triangle that may cover as well, kNone if there is none.
  const Index3& across() const { return across_; }
  /// What lies over a vertex on the guide (N, 3); beyond the border of what covers, the nearest place of the triangle
  /// there; of the other side, what it lies on in the cut pose. Does not allocate.
  Place over(const Covered& covered, const Array3& guide) const;
  /// Takes covered vertices of x (N, 3) under what covers them; of the guide places and unit normals (N, 3). Fills
  /// `stayed` (N,), unless it is empty, with 0 for vertices that it has moved, else 1. Does not allocate.
  void keep(const Array3& guide, const Array3& normals, Array3& x, std::span<std::uint8_t> stayed = {}) const;

 private:
  void find_across();

  std::shared_ptr<const Mesh> mesh_;
  std::vector<Covered> covered_;
  std::vector<double> beneath_;
  Index3 across_;
  double clearance_;
};

}  // namespace pucker::drape
