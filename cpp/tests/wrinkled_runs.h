/// Runs of dynamic wrinkles for the tests of what is made of them.
#pragma once

#include <vector>

#include "motion.h"

namespace pucker::testing {

/// Shapes of several finenesses, squeezed and bent until they wrinkle.
inline std::vector<Wrinkler> wrinkled_runs() {
  std::vector<Wrinkler> out;
  for (const int cells : {4, 8, 16, 32}) {
    out.emplace_back(irregular_sheet(cells, 0.35, 1).mesh, params_for(0.02));
    const RestShape sheet = irregular_sheet(cells, 0.35, 1);
    for (int frame = 0; frame < 15; ++frame) {
      Array3 positions = sheet.positions;
      positions.col(0) *= 1 - 0.03 * frame;
      positions.col(2) = 0.1 * (5 * sheet.positions.col(0).array()).sin() * (4 * sheet.positions.col(1).array()).cos();
      out.back().advance(positions, frame / 30.0);
    }
  }
  const RestShape sleeve = tube(12, 8);
  out.emplace_back(sleeve.mesh, params_for(0.03));
  for (int frame = 0; frame < 15; ++frame) {
    Array3 positions = sleeve.positions;
    positions.col(2) *= 1 - 0.03 * frame;
    out.back().advance(positions, frame / 30.0);
  }
  return out;
}

}  // namespace pucker::testing
