/// Arrays from .npz files, which are .npy files in a .zip (NumPy Enhancement Proposal 1).
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "pucker/io/limits.h"
#include "pucker/named_arrays.h"

namespace pucker::io {

/// Those of the names that the file holds; its other arrays are left alone. Numbers of any size and order of bytes and
/// axes are taken, and one text.
///
/// Throws Error, naming the file, if it is missing, truncated, damaged or no .npz, and for an array of what is neither
/// (objects, records, complex numbers), that claims another size than it has, or of whole numbers that a double does
/// not hold. What it unpacks to is held against the limit before memory is taken.
NamedArrays read_npz(const std::filesystem::path& path, std::span<const std::string_view> names,
                     const Limits& limits = {});

}  // namespace pucker::io
