/// Smooth curves through wrinkle paths (Gillette 2015, section 6.2).
#pragma once

#include <span>
#include <vector>

#include "pucker/dynamic/wrinkle.h"
#include "pucker/mesh/frames.h"

namespace pucker {

/// A path in space: what drawing and distance tests need to know of it for one frame.
struct PathCurve {
  std::vector<Vector3> points;    ///< (k,)
  std::vector<Vector3> tangents;  ///< (k,) unit: mean of the two segments' tangents, averaged as if both lay flat; zero
                                  ///< where the path has collapsed to a point
  std::vector<Vector3> normals;   ///< (k−1,) unit: of the segment's triangle
  std::vector<double> arc_lengths;  ///< (k,) from the first point

  std::size_t size() const { return points.size(); }
  double length() const { return arc_lengths.empty() ? 0 : arc_lengths.back(); }
};

/// Fills `out` for the vertex positions and frames given; allocates only while `out` grows.
void path_curve(const Wrinkle& wrinkle, const Array3& positions, const LocalFrames& frames, PathCurve& out);

/// A cubic Bézier curve by its control points.
struct BezierCurve {
  Vector3 p0, p1, p2, p3;
  Vector3 at(double u) const {
    const double v = 1 - u;
    return v * v * v * p0 + 3 * v * v * u * p1 + 3 * v * u * u * p2 + u * u * u * p3;
  }
};

/// The curve of segment `i`: a cubic Bézier curve in the plane of the segment's triangle, whose tangents at
/// the ends are the mean tangents there, projected into that plane; so the curve has no corner where the two
/// triangles are unfolded.
BezierCurve segment_curve(const PathCurve& curve, std::size_t i);
/// Its point at u ∈ [0, 1].
Vector3 curve_point(const PathCurve& curve, std::size_t i, double u);

/// Number of straight pieces a segment's curve is drawn with.
inline constexpr int kCurveSamples = 8;

/// A smoothed wrinkle as a polyline: (k−1)·kCurveSamples + 1 samples.
struct CurveSamples {
  std::vector<Vector3> points;
  std::vector<Vector3> tangents;  ///< unit: mean of the tangents of the two pieces; at path points the path's
  std::vector<double> widths;     ///< full widths
  std::vector<double> heights;
};

/// Samples the curve with widths and heights interpolated over arc length from their values at the knots, (2k−1,) each:
/// the points and the middles of the segments. Monotone cubics (Fritsch and Butland 1984, "PCHIP"), level at both ends.
/// Arc lengths must increase strictly. Allocates only while `out` grows. This is what the compute shader does on the
/// GPU.
void sample_curve(const PathCurve& curve, std::span<const double> knot_widths, std::span<const double> knot_heights,
                  CurveSamples& out);
void sample_curve(const PathCurve& curve, const Wrinkle& wrinkle, CurveSamples& out);

}  // namespace pucker
