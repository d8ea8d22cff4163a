#include "pucker/mesh/turn.h"

#include <cmath>

#include "pucker/target_clones.h"

namespace pucker {

namespace {

template <class Scalar>
inline void turn_all(const Vectors<Scalar>& edge, const Vectors<Scalar>& normal, Scalar least, Vectors<Scalar>& local) {
  for (std::size_t k = 0; k < kTurned; ++k) {
    Scalar n[3] = {normal[0][k], normal[1][k], normal[2][k]};
    Scalar e[3] = {edge[0][k], edge[1][k], edge[2][k]};
    const Scalar per_area = 1 / std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (Scalar& x : n) x *= per_area;
    const Scalar share = e[0] * n[0] + e[1] * n[1] + e[2] * n[2];
    const Scalar whole = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    for (int axis = 0; axis < 3; ++axis) e[axis] -= share * n[axis];
    const Scalar squared = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    // A comparison with what is not a number is false: there is no frame either.
    const bool there = squared > least * whole;
    const Scalar per_length = 1 / std::sqrt(squared);
    for (Scalar& x : e) x *= per_length;
    const Scalar aside[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
    const Scalar from[3] = {local[0][k], local[1][k], local[2][k]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Scalar turned = from[0] * e[axis] + from[1] * aside[axis] + from[2] * n[axis];
      local[axis][k] = there ? turned : Scalar(0);
    }
  }
}

}  // namespace

PUCKER_TARGET_CLONES void turn(const Vectors<double>& edge, const Vectors<double>& normal, double least,
                               Vectors<double>& local) {
  turn_all(edge, normal, least, local);
}

PUCKER_TARGET_CLONES void turn(const Vectors<float>& edge, const Vectors<float>& normal, float least,
                               Vectors<float>& local) {
  turn_all(edge, normal, least, local);
}

}  // namespace pucker
