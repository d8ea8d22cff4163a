/// Outlines that show the tensors of a frame where the cloth is: ellipses of stretch, and the reference triangles.
#pragma once

#include "pucker/dynamic/stretch.h"
#include "pucker/mesh/frames.h"
#include "pucker/types.h"

namespace pucker {

/// Corners of one ellipse.
inline constexpr Eigen::Index kEllipseCorners = 32;

/// Stretch as an ellipse a triangle, round the incentre and in the plane of the triangle (m, 3) at `positions` (n, 3):
/// its axes are the principal stretches along their directions, so scaled that an unstretched triangle shows a circle
/// of half its inscribed circle's radius. `frames`: of `positions`; `stretch`: from the reference, with directions.
/// Returns the corners (k·kEllipseCorners, 3) of k closed polygons; triangles without area have none.
/// Throws InvalidArgument unless there is one frame and one stretch with directions a triangle.
Array3 stretch_ellipses(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                        const Stretch& stretch);

/// The reference triangles (m, 2, 2), laid centroid on centroid into the planes of the present ones and turned by A Bᵀ
/// of their deformation F = A Σ Bᵀ (Gillette 2015, equation 4.1), so that only the stretch is seen.
/// Returns the corners (3k, 3) of k triangles; triangles without area have none. Throws as stretch_ellipses does.
Array3 reference_triangles(const ConstIndex3& faces, const ConstArray3& positions, const LocalFrames& frames,
                           const Stretch& stretch, const Matrix2List& reference);

}  // namespace pucker
