/// A tube of 48 vertices and its poses, for the tests of wrinkles by example.
#pragma once

#include <cmath>
#include <memory>

#include "pucker/mesh/topology.h"
#include "shapes.h"

namespace pucker::byexample {

inline std::shared_ptr<const Mesh> tube() {
  static const auto mesh = std::make_shared<const Mesh>(shapes::cylinder(8, 5), 48);
  return mesh;
}

/// Where a vertex of the tube lies: how far along its axis, at which angle round it and how far from it.
struct TubePlace {
  double along;
  double round;
  double radius;

  TubePlace(Eigen::Index vertex, double swell)
      : along(std::floor(double(vertex) / 8) / 5),
        round(2 * M_PI * double(vertex % 8) / 8),
        radius(0.3 * (1 + swell * std::sin(3 * along))) {}
};

/// The tube bent to one side and swollen.
inline Array3 bent(double angle, double swell = 0) {
  Array3 out(48, 3);
  for (Eigen::Index v = 0; v < 48; ++v) {
    const auto [along, round, radius] = TubePlace(v, swell);
    out.row(v) << radius * std::cos(round) + angle * along * along, along, radius * std::sin(round);
  }
  return out;
}

}  // namespace pucker::byexample
