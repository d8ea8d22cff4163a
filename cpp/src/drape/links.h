/// What compute programs find in Links: whole numbers, and others by their bits.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "pucker/types.h"

namespace pucker::drape {

inline std::uint32_t link_of(double value) { return std::bit_cast<std::uint32_t>(float(value)); }

/// Adds six of each triangle: its corners (m, 3), then the triangles across the edges behind them (m, 3).
inline void add_triangles(const Index3& corners, const Index3& across, std::vector<std::uint32_t>& links) {
  for (Eigen::Index t = 0; t < corners.rows(); ++t)
    for (const Index3& of : {std::cref(corners), std::cref(across)})
      for (const std::int32_t each : of.row(t)) links.push_back(std::uint32_t(each));
}

}  // namespace pucker::drape
