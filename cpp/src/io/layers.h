/// Garment and body of a clip while its poses come one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pucker/io/clip.h"
#include "pucker/io/source.h"
#include "pucker/mesh/weld.h"

namespace pucker::io {

/// The vertices that the chosen triangles use, renumbered in the file's order.
struct Layer {
  StoredSurface surface;
  std::vector<std::int32_t> vertices;  ///< file's number of each vertex
};

Layer cut(const Character& character, const std::vector<bool>& chosen, bool side);

/// The layer's positions in each pose, one pose after the other; the first `still` of them are not frames.
class Poses {
 public:
  /// With `passing`, poses may be added that are not kept.
  Poses(const Layer& layer, std::size_t still, std::size_t frames, bool passing);

  /// False, of the first pose of passing ones only, if so many vertices may be one that they would take the memory.
  bool add(const Array3& positions, bool kept);
  /// Over all poses.
  Weld weld() const;
  /// The frames that are kept, at the given vertices of the layer.
  std::vector<double> frames(const std::vector<std::int32_t>& vertices) const;
  std::vector<double> frames() const { return {values_.begin() + std::ptrdiff_t(frames_), values_.end()}; }

 private:
  const Layer& layer_;
  std::size_t frames_;  ///< where they begin among the values
  bool passing_;
  std::vector<double> values_;
  std::optional<TogetherSearch> together_;
};

/// Which vertices of garment and body stay in one place, in frames that are not all kept.
class SewnSearch {
 public:
  SewnSearch(const Layer& garment, const Layer& body) : garment_(garment), body_(body) {}

  /// A frame. False as of Poses::add.
  bool add(const Array3& positions);
  /// What Clip::beginning keeps of the whole clip, of which `clip` has the first frames; `representatives` are the
  /// garment's stored vertices that its welded ones are.
  Whole whole(const Clip& clip, const std::vector<std::int32_t>& representatives) const;

 private:
  const Layer& garment_;
  const Layer& body_;
  std::optional<TogetherSearch> together_;
};

}  // namespace pucker::io
