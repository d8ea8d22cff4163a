/// Flat irregular sheets and their affine maps, whose waves are known in closed form.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "pucker/mesh/topology.h"
#include "shapes.h"

namespace pucker::waves {

struct Sheet {
  std::shared_ptr<const Mesh> mesh;
  Array3 rest;  ///< in the plane z = 0
};

/// A unit square of `cells`² quads whose inner vertices are displaced at random by up to a third of a cell.
inline Sheet irregular_sheet(std::mt19937_64& random, std::int32_t cells = 8) {
  std::uniform_real_distribution<double> shift(-1.0 / 3, 1.0 / 3);
  Sheet out;
  out.rest.setZero((cells + 1) * (cells + 1), 3);
  for (std::int32_t y = 0; y <= cells; ++y)
    for (std::int32_t x = 0; x <= cells; ++x) {
      const bool inner = x > 0 && y > 0 && x < cells && y < cells;
      const double dx = inner ? shift(random) : 0;
      const double dy = inner ? shift(random) : 0;
      out.rest.row(y * (cells + 1) + x) << (x + dx) / cells, (y + dy) / cells, 0;
    }
  out.mesh = std::make_shared<Mesh>(shapes::grid(cells, cells), out.rest.rows());
  return out;
}

inline Eigen::Matrix3d random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

/// The map that squeezes the plane z = 0 to `r` along the direction at `angle`.
inline Eigen::Matrix3d squeeze(double r, double angle) {
  const Vector3 along(std::cos(angle), std::sin(angle), 0);
  return Eigen::Matrix3d::Identity() - (1 - r) * along * along.transpose();
}

}  // namespace pucker::waves
