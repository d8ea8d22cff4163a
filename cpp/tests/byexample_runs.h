/// Runs by example of the tube, whose details are random.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "byexample_shapes.h"
#include "pucker/byexample/by_example.h"

namespace pucker::byexample {

inline constexpr int kLevels = 2;

inline Synthesis synthesis_of(std::shared_ptr<const Mesh> mesh, const Array3& rest, const std::vector<Array3>& poses) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.02);
  const LoopSubdivision loop(mesh, kLevels);
  std::vector<Array3> details;
  for (std::size_t k = 0; k < poses.size(); ++k)
    details.emplace_back(Array3::NullaryExpr(loop.fine()->vertex_count(), 3, [&] { return normal(random); }));
  return {std::move(mesh), kLevels, rest, poses, std::move(details), SynthesisOptions{}};
}

inline Synthesis tube_synthesis() { return synthesis_of(tube(), bent(0), {bent(0), bent(0.8), bent(-0.6, 0.2)}); }

inline Array3 frame_at(double time) { return bent(0.7 * std::sin(3 * time), 0.2 * std::cos(2 * time)); }

}  // namespace pucker::byexample
