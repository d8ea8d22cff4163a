/// A whole clip as named arrays, so that one program can hand it to another in a .npz without a loss.
#pragma once

#include <filesystem>

#include "pucker/io/clip.h"
#include "pucker/io/limits.h"
#include "pucker/named_arrays.h"

namespace pucker::io {

/// Everything a clip is made of. Throws InvalidArgument for a name that is no UTF-8.
NamedArrays arrays_of(const Clip& clip);

/// The clip of a .npz that holds arrays_of(clip), with the same bits. Throws Error naming the file if it cannot be
/// read, holds no clip, or holds arrays that do not fit each other.
Clip read_clip(const std::filesystem::path& path, const Limits& limits = {});

}  // namespace pucker::io
