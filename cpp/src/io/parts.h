/// Which triangles a list of part names means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pucker/io/load.h"
#include "pucker/io/source.h"

namespace pucker::io {

/// One flag a triangle. Throws InvalidArgument, listing what there is, for a name that names no triangle, and if none
/// is left.
std::vector<bool> choose_parts(const Source& source, const std::vector<std::string>& parts);

/// Which part of a kind ("materials", "nodes", "meshes" or "joints") each triangle is of: its number among those that
/// describe_parts lists, kNone for one without a name or joint, (m,). Throws InvalidArgument for another kind.
std::vector<std::int32_t> part_numbers(const Character& character, std::string_view kind);

/// Fills in the parts and counts of `info`.
void describe_parts(const Character& character, FileInfo& info);

}  // namespace pucker::io
