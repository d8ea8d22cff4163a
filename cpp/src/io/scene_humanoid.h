/// The motion of a human's bones, put on a character of other proportions and another rest pose.
#pragma once

#include <cstdint>
#include <vector>

#include "scene_clip.h"

namespace pucker::io {

/// Throws Error unless both scenes name the bones of a human: the character all that VRM requires, the motion its hips,
/// and the hips of both are above the ground.
void check_humanoids(const SceneFile& model, const SceneFile& motion);

/// A clip of a VRM Animation on a VRM. In the world, each bone that both have is turned from its rest pose, a T-pose,
/// as the clip turns it from its own: the rule of "About pose data compatibility" of VRMC_vrm_animation 1.0, by which
/// rotations of bones that the character lacks go on to the bones below. A bone that only the character has stays as
/// stored on the one above. The way of the hips is scaled by the ratio of their heights. Nothing else of the clip is
/// used: no expressions, eyes, and bones that no human has. Lives no longer than model and clip.
class HumanoidMotion {
 public:
  /// Throws Error as check_humanoids does.
  HumanoidMotion(const SceneFile& model, const SceneClip& clip);

  /// The model's nodes at a time in seconds, each relative to its parent.
  std::vector<Affine> locals_at(double time) const;

 private:
  // Rotations of a scene's nodes at rest, the world's or relative to the parent.
  struct Rest {
    explicit Rest(const SceneFile& scene);
    std::vector<Affine> globals;
    std::vector<Eigen::Quaterniond> own;
    std::vector<Eigen::Quaterniond> world;
  };

  std::vector<Eigen::Quaterniond> turns_at(const std::vector<Affine>& source_locals) const;

  const SceneFile& model_;
  const SceneClip& clip_;
  Rest rest_;
  Rest source_rest_;
  std::vector<std::int32_t> sources_;  // by the model's node, the clip's node of the same bone; kNone for no bone
  std::vector<bool> is_bone_;          // by the clip's node
  std::int32_t hips_ = 0;
};

}  // namespace pucker::io
