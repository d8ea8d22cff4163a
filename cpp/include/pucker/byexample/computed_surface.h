/// The detailed surface as compute programs make it where it is drawn: what they are sent once, and each frame (Zurdo
/// et al. 2013, section 5.2).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/byexample/synthesis.h"
#include "pucker/draw/content.h"
#include "pucker/mesh/normals.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// What the programs of `shaders/byexample` know of a garment, in 32 bits.
///
/// Lengths are in mean edges of the rest pose, and a fine vertex is told from the feature vertex that it is nearest to:
/// so neighbours are told apart as finely as their distance asks for, whatever the unit of length, the place in the
/// world and the size of the garment.
class ComputedSurface final : public draw::Continued, public std::enable_shared_from_this<ComputedSurface> {
 public:
  /// `normals`: of the fine mesh; `holds` (N,): how much each fine vertex is held to the feature mesh, in [0, 1];
  /// `gain`: of the detail.
  ComputedSurface(const Synthesis& synthesis, const RingNormals& normals, std::span<const double> holds, double gain);

  /// What makes the surface of positions (n, 3) by weights (k, P), see Detail::draw_content, carried along by `sway`
  /// (n, 3), empty for none. After `done` of the same garment it is these numbers alone: 12 n + 4 k P bytes, and 12 n
  /// with sway.
  draw::Content content(const ConstArray3& positions, const Array3& sway, const Table& weights, const Vector3& origin,
                        const draw::Continued* done) const;

 private:
  /// A vertex as fine.glsl has it.
  struct FineVertex {
    std::uint32_t anchor;
    std::uint32_t row;
    std::uint32_t row_end;
    std::uint32_t neighbour;
    std::uint32_t corners[3];
    std::uint32_t ring;
    float shares[3];
    float hold;
    std::uint32_t ring_end;
    std::uint32_t unused[3];
  };
  static_assert(sizeof(FineVertex) == 64);

  double unit_;  ///< of length
  double gain_;
  bool dense_;           ///< weights are those of fine vertices
  std::int64_t coarse_;  ///< n
  std::vector<FineVertex> fine_;
  std::vector<std::uint32_t> links_;
  std::vector<float> details_;  ///< (P, N, 3)
};

}  // namespace pucker::byexample
