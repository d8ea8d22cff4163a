/// What the soak runs on: meshes of every kind, made in code, and the clips of the data folder.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pucker/io/clip.h"
#include "pucker/mesh/topology.h"

namespace pucker::soak {

/// A mesh with a rest shape, or a clip.
struct Cloth {
  std::shared_ptr<const Mesh> mesh;
  Array3 rest;                           ///< (n, 3)
  std::shared_ptr<const io::Clip> clip;  ///< null for a mesh made in code
  std::vector<std::int32_t> shared;      ///< vertices that are also vertices of what is not cloth
};

/// A cloth that is made when it is asked for: all clips together take half a gigabyte.
struct Source {
  std::string name;
  std::function<Cloth()> make;
};

/// A hundred meshes of unit size: sheets, tubes, bands with a half twist, balls, pages on one spine, sheets on one
/// corner, slivers, single triangles, triangles among random vertices, and meshes of nothing.
std::vector<Source> made_cloths();
/// Every clip of every file in a folder. Files that hold no clip are left out.
std::vector<Source> clip_cloths(const std::filesystem::path& folder);

}  // namespace pucker::soak
