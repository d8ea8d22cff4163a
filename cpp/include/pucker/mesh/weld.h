/// Welding: stored vertices that are one point of the cloth become one vertex.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pucker {

/// The map between stored and welded vertices, both ways.
struct Weld {
  std::vector<std::int32_t> welded;           ///< (N,): the welded vertex of each stored one
  std::vector<std::int32_t> representatives;  ///< (n,): the first stored vertex of each welded one, ascending
};

/// Welds vertices that have the same position in every frame. Files split a vertex where its texture coordinate, normal
/// or material changes; strains and neighbourhoods need it whole.
///
/// `positions`: frames × vertices × 3, any unit. `tolerance`: the largest distance of "the same position", as a share
/// of the diagonal of the frame's bounding box; 0 welds only equal positions. Vertices within it of a common vertex are
/// one too, so the result depends neither on the order of the vertices nor on the platform. Welded vertices are
/// numbered in the order of their first stored vertex.
///
/// Throws InvalidArgument if there is no frame, the size is not frames × vertices × 3, a position is not finite, or the
/// tolerance is not in [0, 1).
Weld weld(std::span<const double> positions, std::int64_t vertices, double tolerance = 1e-6);

/// Finds, frame by frame, the pairs of vertices that have the same position in all of them: what `weld` joins, of
/// frames that are not all kept.
class TogetherSearch {
 public:
  /// `first` (vertices × 3): the first frame. Only pairs of a vertex before `split` and one from there on are looked
  /// for, of any two if it is 0. None if these are more than `most`, as where all vertices are one point. Throws as
  /// `weld` does.
  static std::optional<TogetherSearch> of(std::span<const double> first, std::int64_t vertices, std::int64_t split,
                                          std::size_t most, double tolerance = 1e-6);
  /// Drops the pairs that another frame parts. Throws as `weld` does.
  void offer(std::span<const double> positions);
  /// The pairs that are left, (vertex, earlier vertex).
  const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs() const { return pairs_; }
  /// What `weld` makes of all frames offered, where any two may be one.
  Weld weld() const;

 private:
  TogetherSearch(std::int64_t vertices, double tolerance) : vertices_(vertices), tolerance_(tolerance) {}

  std::int64_t vertices_;
  double tolerance_;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
};

}  // namespace pucker
