/// Vectors of several vertices turned from their frames into space at once, the same to the bit on every processor.
#pragma once

#include <array>
#include <cstddef>

namespace pucker {

/// Vertices that are turned at once, so that roots and quotients of one need not be waited for.
inline constexpr std::size_t kTurned = 16;
/// Vectors of so many vertices, axis by axis.
template <class Scalar>
using Vectors = std::array<std::array<Scalar, kTurned>, 3>;

/// Turns `local` from frames into space: their columns are `edge` made orthogonal to `normal`, normal × that, and
/// `normal`, each made unit. Zero where the square of what is left of an edge is no more than `least` of the whole, and
/// where a normal is zero.
void turn(const Vectors<double>& edge, const Vectors<double>& normal, double least, Vectors<double>& local);
void turn(const Vectors<float>& edge, const Vectors<float>& normal, float least, Vectors<float>& local);

}  // namespace pucker
