/// Garments in layers: open tubes within each other.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"
#include "shapes.h"

namespace pucker::shapes {

inline constexpr std::int32_t kAcross = 48;
inline constexpr std::int32_t kAlong = 32;
inline constexpr double kLong = 8;
/// Vertices of a tube.
inline constexpr std::int32_t kTube = kAcross * (kAlong + 1);

struct Garment {
  std::shared_ptr<const Mesh> mesh;
  Array3 positions;
};

/// Open tubes about the first axis, seen from outside, or of those with a negative radius from inside.
inline Garment tubes(const std::vector<double>& radii) {
  const Index3 one = cylinder(kAcross, kAlong);
  Index3 faces(one.rows() * Eigen::Index(radii.size()), 3);
  Array3 positions(kTube * Eigen::Index(radii.size()), 3);
  for (std::size_t k = 0; k < radii.size(); ++k) {
    const auto first = std::int32_t(k) * kTube;
    for (std::int32_t v = 0; v < kTube; ++v) {
      const double turn = 2 * std::numbers::pi * (v % kAcross) / kAcross;
      const std::int32_t ring = v / kAcross;
      const double along = kLong * ring / kAlong;
      positions.row(first + v) << along, std::abs(radii[k]) * std::cos(turn), std::abs(radii[k]) * std::sin(turn);
    }
    Index3 own = one.array() + first;
    const Vector3 a = positions.row(own(0, 0));
    const Vector3 b = positions.row(own(0, 1));
    const Vector3 c = positions.row(own(0, 2));
    const bool outside = (b - a).cross(c - a).dot(Vector3(0, a[1], a[2])) > 0;
    if (outside != (radii[k] > 0)) own.col(1).swap(own.col(2));
    faces.middleRows(Eigen::Index(k) * one.rows(), one.rows()) = own;
  }
  return {std::make_shared<const Mesh>(faces, positions.rows()), positions};
}

}  // namespace pucker::shapes
