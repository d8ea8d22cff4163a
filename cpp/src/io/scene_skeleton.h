/// The motion of one scene's skeleton, put on that of another.
#pragma once

#include <vector>

#include "scene_clip.h"
#include "scene_prefixes.h"

namespace pucker::io {

/// A clip on the nodes of a model whose skeleton has the same names, axes and hierarchy as the clip's. Units and
/// lengths may differ: the clip's motion is scaled by how much longer the model's bones are, and where proportions
/// differ bones keep the lengths they have in the model. Nodes between two that both have may be missing in one. Lives
/// no longer than model, clip and names.
class SharedSkeleton {
 public:
  /// Throws Error if the skeletons are not the same.
  SharedSkeleton(const SceneFile& model, const SceneClip& clip, const SharedNames& names);

  /// The model's nodes at a time in seconds, each relative to its parent.
  std::vector<Affine> locals_at(double time) const;

 private:
  // A node that both have, relative to the nearest one above that both have, or to the world.
  struct Shared {
    std::int32_t node = 0;          // of the model
    std::int32_t source = 0;        // of the clip
    std::int32_t source_above = 0;  // of the clip, kNone for the world
    Affine to_parent;               // from there to the model's parent of the node
    double above_scale = 1.0;       // of the space there, in the model's world …
    double source_scale = 1.0;      // … and in the clip's
    double own_scale = 1.0;         // of the node as stored, the model's by the clip's
    Vector3 offset;                 // of the node as stored, in the model's world
    bool is_bone = false;           // whether it keeps the model's offset
  };

  void find_shared();
  std::int32_t source_of(std::int32_t node) const;
  void check_share() const;
  void measure_scale();
  Vector3 source_offset(const Shared& shared, std::span<const Affine> source_globals) const;

  const SceneFile& model_;
  const SceneClip& clip_;
  const SharedNames& names_;
  std::vector<Shared> shared_;
  double scale_ = 1.0;  // lengths of the model by those of the clip
};

}  // namespace pucker::io
