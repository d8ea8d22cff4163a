/// A reader for the material libraries of OBJ files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"
#include "pucker/io/clip.h"

namespace pucker::io {

/// The bytes of a file that an OBJ names, empty if there is none.
using ReadNamed = std::function<Bytes(const std::string& name)>;

/// Fills in the materials that libraries describe, by name, from their `Kd`, `d`, `Tr`, `map_Kd` and `map_d`. A model
/// is worth loading without a library; so are lines that hold no numbers in [0, 1] left out, and what is read after the
/// limit of memory. An opacity between 0 and 1 is blended, and so is a picture that is both `map_Kd` and `map_d`; 0
/// counts as opaque, as exporters disagree on which of `d` and `Tr` is which.
void read_libraries(const std::vector<std::string>& libraries, const ReadNamed& read, const Limits& limits,
                    std::vector<Material>& materials);

}  // namespace pucker::io
