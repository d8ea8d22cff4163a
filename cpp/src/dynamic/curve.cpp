#include "pucker/dynamic/curve.h"

#include <algorithm>
#include <cmath>

#include "monotone.h"

namespace pucker {

namespace {

Vector3 unit_or(const Vector3& v, const Vector3& fallback) {
  const double length = v.norm();
  return length > 0 ? Vector3(v / length) : fallback;
}

Vector3 in_plane(const Vector3& direction, const Vector3& normal, const Vector3& fallback) {
  return unit_or(direction - direction.dot(normal) * normal, fallback);
}

/// Mean of the tangents `before` and `after` of a path where it crosses `edge` between two triangles with the normals
/// given. Averaged as if both lay flat: a vector in space whose parts in both planes are that mean. The mean in space
/// has parts at different angles to the edge, unless the path is straight or the triangles lie flat.
Vector3 mean_direction(const Vector3& before, const Vector3& after, const Vector3& edge, const Vector3& normal_before,
                       const Vector3& normal_after) {
  const Vector3 along = unit_or(edge, Vector3::Zero());
  const auto across = [&](const Vector3& normal, const Vector3& direction) {
    const Vector3 out = normal.cross(along);
    return out.dot(direction) < 0 ? Vector3(-out) : out;
  };
  const Vector3 first = across(normal_before, before);
  const Vector3 second = across(normal_after, after);
  const Vector3 middle = first + second;
  const Vector3 fallback = unit_or(before + after, before);
  return unit_or(
      0.5 * middle.squaredNorm() * along.dot(before + after) * along + (first.dot(before) + second.dot(after)) * middle,
      fallback);
}

/// Value at `x` of the cubic polynomial with these values and slopes at `x0` and `x1`.
double hermite(double x0, double x1, double y0, double y1, double slope0, double slope1, double x) {
  const double h = x1 - x0;
  const double u = (x - x0) / h;
  const double v = 1 - u;
  return y0 * v * v * (1 + 2 * u) + y1 * u * u * (3 - 2 * u) + h * u * v * (slope0 * v - slope1 * u);
}

}  // namespace

void path_curve(const Wrinkle& wrinkle, const Array3& positions, const LocalFrames& frames, PathCurve& out) {
  const std::size_t k = wrinkle.size();
  out.points.resize(k);
  out.tangents.resize(k);
  out.normals.resize(k - 1);
  out.arc_lengths.resize(k);
  for (std::size_t i = 0; i < k; ++i) out.points[i] = position(wrinkle.points[i], positions);
  Vector3 before = Vector3::Zero();
  double length = 0;
  for (std::size_t i = 0; i < k; ++i) {
    out.arc_lengths[i] = length;
    Vector3 after = Vector3::Zero();
    if (i + 1 < k) {
      out.normals[i] = frames.frames[std::size_t(wrinkle.triangles[i])].normal;
      const Vector3 step = out.points[i + 1] - out.points[i];
      after = unit_or(step, before);
      length += step.norm();
    }
    if (i == 0 || i + 1 == k) {
      out.tangents[i] = unit_or(before + after, before);
    } else {
      const PathPoint& p = wrinkle.points[i];
      const Vector3 edge = positions.row(p.v1) - positions.row(p.v0);
      out.tangents[i] = mean_direction(before, after, edge, out.normals[i - 1], out.normals[i]);
    }
    before = after;
  }
}

BezierCurve segment_curve(const PathCurve& curve, std::size_t i) {
  const Vector3& p0 = curve.points[i];
  const Vector3& p3 = curve.points[i + 1];
  const Vector3 chord = p3 - p0;
  const double third = chord.norm() / 3;
  const Vector3 along = unit_or(chord, Vector3::Zero());
  const Vector3 p1 = p0 + third * in_plane(curve.tangents[i], curve.normals[i], along);
  const Vector3 p2 = p3 - third * in_plane(curve.tangents[i + 1], curve.normals[i], along);
  return {p0, p1, p2, p3};
}

Vector3 curve_point(const PathCurve& curve, std::size_t i, double u) { return segment_curve(curve, i).at(u); }

void sample_curve(const PathCurve& curve, std::span<const double> knot_widths, std::span<const double> knot_heights,
                  CurveSamples& out) {
  const std::size_t segments = curve.size() - 1;
  const std::size_t count = segments * kCurveSamples + 1;
  out.points.resize(count);
  out.tangents.resize(count);
  out.widths.resize(count);
  out.heights.resize(count);
  for (std::size_t i = 0; i < segments; ++i) {
    const BezierCurve segment = segment_curve(curve, i);
    for (int j = 0; j < kCurveSamples; ++j)
      out.points[i * kCurveSamples + std::size_t(j)] = segment.at(double(j) / kCurveSamples);
  }
  out.points[count - 1] = curve.points.back();
  for (std::size_t s = 0; s < count; ++s) {
    if (s % kCurveSamples == 0) {
      out.tangents[s] = curve.tangents[s / kCurveSamples];
      continue;
    }
    const Vector3 before = unit_or(out.points[s] - out.points[s - 1], Vector3::Zero());
    const Vector3 after = unit_or(out.points[s + 1] - out.points[s], before);
    out.tangents[s] = unit_or(before + after, after);
  }

  const auto knot = [&](std::size_t k) {
    const std::size_t i = k / 2;
    return k % 2 == 0 ? curve.arc_lengths[i] : 0.5 * (curve.arc_lengths[i] + curve.arc_lengths[i + 1]);
  };
  const auto interpolate = [&](std::span<const double> values, std::vector<double>& result) {
    const auto slope = [&](std::size_t k) {
      if (k == 0 || k == 2 * segments) return 0.0;  // without a crease across the path, where the cloth beyond is flat
      const double before = knot(k) - knot(k - 1);
      const double after = knot(k + 1) - knot(k);
      return monotone_slope(before, after, (values[k] - values[k - 1]) / before, (values[k + 1] - values[k]) / after);
    };
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t i = std::min(s / kCurveSamples, segments - 1);
      const double u = double(s - i * kCurveSamples) / kCurveSamples;
      const double x = (1 - u) * curve.arc_lengths[i] + u * curve.arc_lengths[i + 1];
      const std::size_t k = 2 * i + (u >= 0.5 ? 1 : 0);
      result[s] = hermite(knot(k), knot(k + 1), values[k], values[k + 1], slope(k), slope(k + 1), x);
    }
  };
  interpolate(knot_widths, out.widths);
  interpolate(knot_heights, out.heights);
}

void sample_curve(const PathCurve& curve, const Wrinkle& wrinkle, CurveSamples& out) {
  sample_curve(curve, wrinkle.knot_widths, wrinkle.knot_heights, out);
}

}  // namespace pucker
