/// The compression field of one frame, piecewise constant: what paths are traced and moved through.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/dynamic/stretch.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/topology.h"

namespace pucker {

/// Of the angle within which directions of cloth are one: 45 degrees.
inline constexpr double kLeastAlikeCosine = 0.70710678118654752;

/// Compression λ̃ = 1/λ_min of each triangle, (m,). A triangle that is `inert` (empty: none is), or has collapsed to
/// less than kDegenerate of its reference, has compression 1: nothing wrinkles there.
void compression(const Stretch& stretch, std::span<const std::uint8_t> inert, std::vector<double>& out);

/// λ_min below which a triangle counts as degenerate: its directions are rounding.
inline constexpr double kDegenerate = 1e-6;

/// A view of the results of the earlier stages; the owner keeps them alive.
struct CompressionField {
  const Mesh& mesh;
  const Array3& positions;                 ///< (n, 3)
  const LocalFrames& frames;               ///< of `positions`
  const Stretch& stretch;                  ///< reference → current
  const std::vector<double>& compression;  ///< λ̃, (m,)
  /// Of a flat wrinkle in each triangle, in flat widths of the parameters, (m,), in [0, 1], 0 where there are none;
  /// empty: 1 everywhere.
  std::span<const double> widths = {};

  /// Direction of least compression, along which wrinkles run, in the plane of the triangle; unit, of either sign.
  Vector2 a_max(std::int32_t t) const { return stretch.left[std::size_t(t)].first(); }
  /// Direction of strongest compression in space; unit, of either sign.
  Vector3 a_min_in_space(std::int32_t t) const {
    return frames.frames[std::size_t(t)].to_space(stretch.left[std::size_t(t)].second());
  }
  /// Whether a triangle wrinkles: it has an area, and wrinkles have a width there.
  bool compressed(std::int32_t t, double threshold) const {
    return compression[std::size_t(t)] >= threshold && frames.area(std::size_t(t)) > 0 && width_at(t) > 0;
  }
  /// Whether a triangle has no area, or next to none of its reference's.
  bool collapsed(std::int32_t t) const {
    return !(frames.area(std::size_t(t)) > 0 && stretch.minimum[std::size_t(t)] >= kDegenerate);
  }
  bool has_direction(std::int32_t t, double isotropy) const {
    return stretch.maximum[std::size_t(t)] - stretch.minimum[std::size_t(t)] >= isotropy;
  }
  double width_at(std::int32_t t) const { return widths.empty() ? 1.0 : widths[std::size_t(t)]; }
  /// Mean over the triangles of a path that have some; 1 if none has.
  double mean_width(const std::vector<std::int32_t>& triangles) const {
    if (widths.empty()) return 1.0;
    double sum = 0;
    double count = 0;
    for (const std::int32_t t : triangles) {
      sum += widths[std::size_t(t)];
      count += widths[std::size_t(t)] > 0 ? 1 : 0;
    }
    return count > 0 ? sum / count : 1.0;
  }
  Vector3 at(std::int32_t t, const Vector3& barycentrics) const {
    const auto corner = [&](int k) { return positions.row(mesh.faces()(t, k)).transpose(); };
    return barycentrics[0] * corner(0) + barycentrics[1] * corner(1) + barycentrics[2] * corner(2);
  }
};

}  // namespace pucker
