/// What keeps one layer of a garment under another: a shirt under its jacket, a lining within its coat.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pucker/drape/guide.h"
#include "pucker/drape/lengths.h"
#include "pucker/types.h"

namespace pucker::drape {

/// A fine vertex under another layer of the garment.
struct Covered {
  std::int32_t vertex = 0;
  std::array<std::int32_t, 3> corners{};  ///< of the fine triangle that covers it, which nothing covers
  std::array<double, 3> shares{};         ///< of the place in that triangle, barycentric
  double share = 0;                       ///< how much of this holds: 1 where it is covered, less beside that
  bool other_side = false;                ///< of the same cloth, so that the distance between the two stays
};

/// Which fine vertices lie under another layer in the cut pose, and what keeps them there.
///
/// Covered is what `covers` finds of the fine garment.
///
/// In a frame, with the guide g, its unit normal n of the covering triangle and the place p there, the vertex v keeps
/// a distance (x_p − x_v)·n of `clearance`, or that of the guide if it is less. Where it would come nearer, it is taken
/// as far as needed towards where it goes along with the layer, g_v + x_p − g_p; the other side of the same cloth goes
/// along all the way. Beside what another layer covers this fades out over half a fold; a lining ends where its cloth
/// does. So layers pass through each other where those of the guide do, and where a fold over the place is steep and
/// they have slid along each other.
class Layers {
 public:
  /// `cut`: coarse positions (n, 3); `pinned` (N,): fine vertices that stay on the guide; `clearance`: a length. Throws
  /// InvalidArgument for shapes that do not fit and a clearance that is not finite and at least 0.
  Layers(const Levels& levels, const ConstArray3& cut, const Lengths& lengths, std::span<const std::uint8_t> pinned,
         double clearance);

  const std::vector<Covered>& covered() const { return covered_; }
  double clearance() const { return clearance_; }
  /// (N,): what has to be kept free under the corners of triangles that cover something: the clearance, or the distance
  /// of what they cover if that is less; of the other side of the same cloth always its distance.
  const std::vector<double>& beneath() const { return beneath_; }
  /// Takes covered vertices of x (N, 3) under what covers them; `guide` (N, 3). Fills `stayed` (N,), unless it is
  /// empty, with 0 for vertices that it has moved, else 1. Does not allocate.
  void keep(const Array3& guide, Array3& x, std::span<std::uint8_t> stayed = {}) const;

 private:
  std::vector<Covered> covered_;
  std::vector<double> beneath_;
  double clearance_;
};

}  // namespace pucker::drape
