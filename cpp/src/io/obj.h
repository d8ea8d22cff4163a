/// A reader for the geometry of one OBJ file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pucker/io/source.h"

namespace pucker::io {

struct Obj {
  Character character;                    ///< triangles, texture coordinates and part names
  std::vector<std::int32_t> vertex_rows;  ///< the `v` line of each stored vertex
  Array3 points;                          ///< the positions of the `v` lines
  std::vector<std::string> libraries;     ///< that describe its materials, as it names them
};

/// Reads `v`, `vt`, `f`, `o`, `g`, `usemtl` and `mtllib`; polygons become fans. Without texture coordinates the stored
/// vertices are the `v` lines, else the distinct pairs of position and texture coordinate. Throws Error naming `file`
/// and the line.
Obj read_obj(std::string_view text, const std::string& file);

}  // namespace pucker::io
