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

/// The tube bent to one side and swollen.
inline Array3 bent(double angle, double swell = 0) {
  Array3 out(48, 3);
  for (Eigen::Index v = 0; v < 48; ++v) {
    const Eigen::Index ring = v / 8;
    const double along = double(ring) / 5;
    const double round = 2 * M_PI * double(v % 8) / 8;
    const double radius = 0.3 * (1 + swell * std::sin(3 * along));
    out.row(v) << radius * std::cos(round) + angle * along * along, along, radius * std::sin(round);
  }
  return out;
}

}  // namespace pucker::byexample
