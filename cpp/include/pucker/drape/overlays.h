/// What shows how draped cloth came about: numbers of the coarse triangles, and the colours they are drawn in.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "pucker/drape/drape.h"
#include "pucker/draw/picture.h"
#include "pucker/draw/style.h"

namespace pucker::drape {

/// A quantity of a triangle: the mean over the fine mesh in it.
enum class TriangleQuantity {
  strain_before,  ///< by how much edges of the guide are longer than in the cut pose, as a share; below 0 shorter
  strain_after,   ///< the same of the cloth
  fold_sizes,     ///< ℓ, as a share of the garment's largest extent
  wavelengths,    ///< λ, likewise
  hold,           ///< how far the cloth is from the guide, as a share of ℓ
  hold_force,  ///< what the hold pulls with, per area, over K / extent: the distance from the guide times extent / ℓ²
  contact,     ///< share of the cloth that lies on the body
  residual     ///< how far vertices are from balance where the solver stopped, as a strain
};

/// (m,) of the coarse triangles; 0 for one without fine ones.
std::vector<double> triangle_values(const DrapeState& state, TriangleQuantity what);

/// Colours (m,) of triangle_values: strains red where shorter, grey as cut and blue where longer, the rest from grey to
/// green. They are full at a strain of 0.2, a hold of 0.3, a force of K / extent, where all lies on the body, at a
/// residual of 0.01, and at the garment's largest ℓ or λ; what is beyond has them too.
std::vector<draw::Rgba8> tints_of(const DrapeState& state, TriangleQuantity what);
/// Words and colours for both ends and the middle.
struct Legend {
  std::string_view words;
  draw::Rgba8 colour;
};
std::span<const Legend> legend_of(TriangleQuantity what);

}  // namespace pucker::drape
