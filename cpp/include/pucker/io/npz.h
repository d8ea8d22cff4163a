/// Arrays from .npy files, and from .npz files, which are .npy files in a .zip (NumPy Enhancement Proposal 1).
#pragma once

#include <filesystem>
#include <span>
#include <string>
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

/// The array of an .npy file, as read_npz takes it.
///
/// Throws Error, naming the file, if it is missing, truncated, damaged or no .npy, and for what read_npz refuses.
NamedArray read_npy(const std::filesystem::path& path, const Limits& limits = {});

/// The bytes of a .npz that holds the arrays, as numpy.savez writes it: not compressed, in the order of their names.
/// The same arrays give the same bytes. Throws InvalidArgument for a text that is no UTF-8, an array of another number
/// of values than its shape says, and one that is_whole with a value that is not, or does not fit into 32 bits.
std::string pack_npz(const NamedArrays& arrays);

}  // namespace pucker::io
