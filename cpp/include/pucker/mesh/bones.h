/// A linear blend skin as a GPU takes it: a few joints a vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pucker {

/// Vertex v of frame f is Σ wᵢ · Mᶠ(jᵢ) · (restᵥ, 1).
struct Bones {
  static constexpr int kMost = 4;         ///< joints a vertex
  static constexpr int kMatrixSize = 12;  ///< 3 × 4, row by row

  std::vector<std::int32_t> joints;  ///< (n, 4) j
  std::vector<double> weights;       ///< (n, 4) w, of a vertex sum 1
  std::vector<double> matrices;      ///< (frames, J, 3, 4) M, from the rest pose to the frame
  std::int64_t joint_count = 0;      ///< J
  std::int64_t vertices_cut = 0;     ///< that had more joints, of which the largest were kept and scaled to sum 1
  double most_lost = 0;              ///< largest weight that a vertex had on others
};

}  // namespace pucker
