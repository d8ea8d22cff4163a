/// What a file may take, however much it claims.
#pragma once

#include <cstdint>

namespace pucker::io {

/// Checked before memory is taken.
struct Limits {
  /// Bytes, about: of a file that is read at once, of what is unpacked from an archive with what is made of it, and of
  /// all positions of a clip with the copies made of them on the way; and of the pictures of all materials of a glTF,
  /// FBX or Collada file.
  std::int64_t memory = std::int64_t(2) << 30;
  std::int64_t frames = 100'000;  ///< of a clip as it is sampled, and as it is stored
};

}  // namespace pucker::io
