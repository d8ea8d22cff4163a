/// A clip whose coarse triangles are no longer seen: the smooth surface that they stand for.
#pragma once

#include "pucker/io/clip.h"

namespace pucker::io {

/// One triangle has then 256.
inline constexpr int kMostSmoothing = 4;

/// Throws InvalidArgument for levels outside [0, kMostSmoothing].
void require_smoothing(int levels);

/// The clip with garment and body subdivided `levels` times by Loop's rules (LoopSubdivision), both as one mesh, so
/// that no crack opens where they are sewn to each other, nor where shells touch: vertices of borders that are in one
/// place in the rest pose, or else the first frame, and come no farther apart in any than a tenth of the shorter edge
/// of border there, are one, at the mean of their places. Each triangle becomes 4^levels.
///
/// Sharp stay edges at which the file has two normals and which bend by more than 60° in their pose: those of a box,
/// not the facets of something round, even if all are lit flat.
///
/// Stored vertices keep their numbers, those on edges and inside follow; they stay split where the file splits them,
/// and texture coordinates are interpolated linearly. Welded ones likewise. So positions, and `rest`, are fixed sparse
/// combinations of the coarse clip's. Left out are triangles that name a vertex twice; the file's normals, which are
/// those of the coarse shape; and the skin, which the smooth surface does not follow. Zero levels change nothing.
///
/// Throws as require_smoothing does.
Clip smoothed(const Clip& clip, int levels);

/// The clip with its body alone subdivided as by `smoothed`, for methods that make a smooth surface of the garment's
/// own triangles. Where both are sewn to each other the body stays on the coarse edges, as the garment does (Sewing).
/// The body's normals and skin are left out. Zero levels change nothing. Throws as require_smoothing does.
Clip with_smooth_body(const Clip& clip, int levels);

/// How a clip is made smooth: as a whole, or its body alone.
struct Smoothing {
  int levels = 0;
  bool garment = true;

  Clip of(const Clip& clip) const { return garment ? smoothed(clip, levels) : with_smooth_body(clip, levels); }
  bool operator==(const Smoothing&) const = default;
};

}  // namespace pucker::io
