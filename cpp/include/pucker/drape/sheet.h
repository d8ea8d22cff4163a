/// How stiff a garment is, on every level of its subdivision: what solvers of the balance are made of and no frame
/// changes.
#pragma once

#include <vector>

#include "pucker/drape/guide.h"
#include "pucker/drape/lengths.h"
#include "pucker/drape/multilevel.h"
#include "pucker/types.h"

namespace pucker::drape {

/// Most that hold and pulls together, and bending, may be, of a spring's stiffness. What is held so hard moves less
/// than single precision shows; products of three such numbers must not leave its range.
inline constexpr double kStiffest = 1e12;
inline constexpr double kStiffestBend = 1e9;

/// One level, in the order of its mesh.
struct Sheet {
  LevelStiffness stiffness;
  std::vector<float> cotangents;  ///< (E,)
  std::vector<float> bend;        ///< (N,) B / A
  std::vector<float> diagonal;    ///< (N,) of bending
};

struct Sheets {
  /// Of a garment cut for the coarse positions `cut` (n, 3). Throws InvalidArgument for shapes that do not fit, and
  /// lengths and tightness that are not finite and positive.
  Sheets(const Levels& of, const ConstArray3& cut, const Lengths& lengths);

  Steps steps;
  Array3 cut;                 ///< (N, 3) of the finest mesh, sewn
  std::vector<Sheet> levels;  ///< from the coarse mesh on
};

}  // namespace pucker::drape
