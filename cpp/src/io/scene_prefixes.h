/// Which node of a file that moves a model is which of the model's, by their names.
#pragma once

#include <optional>
#include <vector>

#include "scene_file.h"

namespace pucker::io {

/// Nodes of one name are the same. Where too few are, names are compared without what most of them begin with, up to a
/// separator: 'mixamorig:Hips' is 'Hips', and 'Character1_Hips' is 'Bip01 Hips'.
class SharedNames {
 public:
  /// Throws Error if taking off one beginning fits as well as taking off another one.
  SharedNames(const SceneFile& model, const SceneFile& motion);

  /// What is taken off; none where names are compared as they are.
  const std::optional<NamePrefixes>& prefixes() const { return prefixes_; }
  /// The motion's node that a node of the model is, kNone if there is none or no telling which.
  std::int32_t source_of(std::int32_t node) const { return sources_[std::size_t(node)]; }

 private:
  std::optional<NamePrefixes> prefixes_;
  std::vector<std::int32_t> sources_;  // by the model's node
};

}  // namespace pucker::io
