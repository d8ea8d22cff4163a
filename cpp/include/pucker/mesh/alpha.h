/// How opaque triangles are.
#pragma once

namespace pucker {

/// What the alpha of a colour and its texture says, as in glTF 2.0 (section 3.9.4).
enum class AlphaMode {
  opaque,  ///< nothing: it is ignored
  mask,    ///< there is no surface where it is less than the cutoff
  blend,   ///< its share of what is seen; the rest is what lies behind
};

struct Alpha {
  AlphaMode mode = AlphaMode::opaque;
  double cutoff = 0.5;  ///< of a mask; the others ignore it

  bool operator==(const Alpha&) const = default;
};

}  // namespace pucker
