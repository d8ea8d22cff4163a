/// Rows of Eigen's arrays as four floats, and back.
#pragma once

#include "pucker/drape/four.h"
#include "pucker/types.h"

namespace pucker::drape {

inline Four four_of(const Eigen::RowVector3d& row) { return Four{float(row[0]), float(row[1]), float(row[2]), 0}; }
inline Eigen::RowVector3d row_of(const Four& four) { return {double(four[0]), double(four[1]), double(four[2])}; }

}  // namespace pucker::drape
