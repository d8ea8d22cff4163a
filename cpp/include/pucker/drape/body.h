/// The body that wears draped cloth.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "pucker/types.h"

namespace pucker::drape {

/// What of a character is not the garment, in all frames of a clip. Its triangles go round counterclockwise seen from
/// outside.
class Body {
 public:
  /// Triangles (m, 3) of nb vertices, `frames` × nb × 3 positions, one after the other, and those in the pose that the
  /// garment was cut for. Vertices in one place should be one, as only what is closed has an inside. Throws
  /// InvalidArgument for triangles out of range, numbers that are not whole frames, and positions that are not finite.
  Body(Index3 faces, std::vector<double> positions, Array3 cut);

  const Index3& faces() const { return faces_; }
  const Array3& cut() const { return cut_; }
  const std::vector<double>& all_positions() const { return positions_; }
  std::int64_t frame_count() const { return frames_; }
  /// (nb, 3). Throws InvalidArgument for a frame that there is not.
  Eigen::Map<const Array3> positions(std::int64_t frame) const;
  /// Throws InvalidArgument for what cannot be positions of its vertices.
  void require_positions(const ConstArray3& positions) const;
  /// Of everything it holds; worked out when it is first asked for, as only saved runs have it.
  std::uint64_t checksum() const;

 private:
  Index3 faces_;
  std::vector<double> positions_;
  Array3 cut_;
  std::int64_t frames_ = 0;
  mutable std::once_flag summed_;
  mutable std::uint64_t checksum_ = 0;
};

}  // namespace pucker::drape
