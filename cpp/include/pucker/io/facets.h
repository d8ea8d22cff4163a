/// Whether the triangles of a garment are seen as facets, so that it is better shown smooth.
#pragma once

#include "pucker/io/clip.h"

namespace pucker::io {

/// What the triangles of a garment look like.
struct Facets {
  double turn = 0.0;  ///< degrees that neighbouring triangles turn by, mean over the length of their edges, in the
                      ///< frame where that is largest
  double edge = 0.0;  ///< median length of edges at rest, as a share of the clip's height
  int smooth = 0;     ///< levels of `smoothed` that the garment is better shown with: 0 or 1
};

/// Cloth is fine already, `smooth` 0, if neighbouring triangles turn by less than that many degrees,
inline constexpr double kFlatTurn = 8.0;
/// or if half of the edges are shorter than that share of the height: a fold of the default width, π · 0.01, is
/// wider.
inline constexpr double kFineEdge = 0.02;
/// Clips whose positions would take more bytes than that when smooth are left as they are, too.
inline constexpr double kMostSmoothBytes = 1 << 30;

/// What a clip's garment looks like in up to 16 frames, evenly spread, the first among them. The one rule by which
/// every command shows a character smooth or as it is.
Facets facets_of(const Clip& clip);

}  // namespace pucker::io
