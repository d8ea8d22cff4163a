/// Which triangles a list of part names means.
#pragma once

#include <string>
#include <vector>

#include "pucker/io/load.h"
#include "pucker/io/source.h"

namespace pucker::io {

/// One flag a triangle. Throws InvalidArgument, listing what there is, for a name that chooses no triangle.
std::vector<bool> choose_parts(const Character& character, const std::vector<std::string>& parts);

/// Fills in the parts and counts of `info`.
void describe_parts(const Character& character, FileInfo& info);

}  // namespace pucker::io
