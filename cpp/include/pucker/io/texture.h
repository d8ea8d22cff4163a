/// Other texture coordinates for a clip.
#pragma once

#include <span>

#include "pucker/io/clip.h"

namespace pucker::io {

/// The clip with texture coordinates `corners` (m × 3 × 2) of the corners of the garment's triangles in place of its
/// own. Its stored vertices are those of before, each as often as it has different coordinates, in the order in which
/// the triangles name them; all else stays. Throws InvalidArgument for another number of corners, and for coordinates
/// that are not finite.
Clip with_texture(const Clip& clip, std::span<const double> corners);

}  // namespace pucker::io
