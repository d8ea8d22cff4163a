/// How much shines through the materials of files that do not say it as glTF does.
#pragma once

#include <string_view>

#include "pucker/io/clip.h"

namespace pucker::io {

/// An opacity between 0 and 1 is blended, and so is a picture that is that of the colour, too. 0 counts as opaque:
/// exporters disagree on whether 0 or 1 is transparent, and nobody models what is not to be seen at all.
inline void take_opacity(Material& material, double opacity, std::string_view picture) {
  if (opacity > 0.0 && opacity < 1.0) {
    material.color.back() = opacity;
    material.alpha.mode = AlphaMode::blend;
  }
  if (!picture.empty() && picture == material.texture_name) material.alpha.mode = AlphaMode::blend;
}

}  // namespace pucker::io
