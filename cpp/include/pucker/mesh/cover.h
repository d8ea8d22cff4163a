/// Which vertices of a garment lie under another layer of it: of a shirt under its jacket, of a lining within its coat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// How far above a vertex another layer covers it at most, as a share of the garment's largest extent …
inline constexpr double kCovering = 0.03;
/// … and how thick cloth is at most whose two sides are modelled.
inline constexpr double kThickest = 0.01;
/// Share of what a vertex sees in front of it, by the cosine, that the garment may leave open for it to be hidden.
inline constexpr double kHidden = 0.1;

/// A vertex under another layer of the garment.
struct Cover {
  std::int32_t vertex = 0;
  std::int32_t triangle = 0;         ///< that covers it, none of whose corners is covered
  Vector3 shares = Vector3::Zero();  ///< of the place in that triangle straight over it, barycentric
  double distance = 0;               ///< of that place
  bool other_side = false;           ///< of the same cloth
};

/// The vertices of a garment (n, 3) that lie under another layer of it, in ascending order. Those whose entry in
/// `left_out` (n,) is not 0 are not among them, but may cover others; empty: none is left out.
///
/// A vertex is covered by a triangle that its normal meets from behind within kCovering, at no more than 60° from the
/// triangle's own, or is the other side of what lies so behind it within kThickest, back to back, if it is hidden: of
/// what is in front of it, the garment leaves no more than kHidden open. In front of the triangle that covers it, more
/// must be open; of the other side, more than kHidden. Of several the most open one counts. What covers is not covered
/// itself. Throws InvalidArgument for shapes that do not fit.
std::vector<Cover> covers(const Mesh& mesh, const ConstArray3& positions, std::span<const std::uint8_t> left_out = {});

}  // namespace pucker
