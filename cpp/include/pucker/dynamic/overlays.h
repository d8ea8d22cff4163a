/// What shows how the wrinkles of a frame came about, as it is drawn over the cloth.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pucker/draw/picture.h"
#include "pucker/draw/style.h"
#include "pucker/dynamic/stretch.h"
#include "pucker/mesh/frames.h"
#include "pucker/types.h"

namespace pucker {

/// Contraction, rest and stretching, in the order of the label numbers; alpha is the share.
inline constexpr std::array<draw::Rgba8, 3> kLabelTints{{{206, 58, 48, 190}, {150, 150, 150, 150}, {44, 92, 200, 190}}};

/// Tints (m,) of labels (m,). Throws InvalidArgument for a number that is none of the three.
std::vector<draw::Rgba8> label_tints(std::span<const std::int8_t> labels);

/// The ellipses of stretch_ellipses, which throws.
draw::Lines ellipse_lines(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                          const Stretch& stretch, double width = draw::kLineWidth);
/// The outlines of reference_triangles, which throws.
draw::Lines reference_lines(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                            const Stretch& stretch, const Matrix2List& reference, double width = draw::kLineWidth);
/// Points (k, 3) at which paths may start, as dots.
draw::Lines seed_dots(const ConstArray3& points);

}  // namespace pucker
