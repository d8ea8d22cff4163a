/// How the C interface reads files that parameters name.
#pragma once

#include "pucker/named_arrays.h"

namespace pucker::c {

/// As StartInput::read and StartInput::read_array.
NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> names);
NamedArray read_array(const std::string& path);

}  // namespace pucker::c
