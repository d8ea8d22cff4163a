#include "pucker/io/libraries.h"

#include <assimp/version.h>
#include <zip.h>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "pucker/errors.h"

namespace pucker::io {

std::vector<Library> libraries() {
  return {
      {"assimp", message(aiGetVersionMajor(), '.', aiGetVersionMinor(), '.', aiGetVersionPatch())},
      {"Eigen", message(EIGEN_WORLD_VERSION, '.', EIGEN_MAJOR_VERSION, '.', EIGEN_MINOR_VERSION)},
      {"JSON for Modern C++",
       message(NLOHMANN_JSON_VERSION_MAJOR, '.', NLOHMANN_JSON_VERSION_MINOR, '.', NLOHMANN_JSON_VERSION_PATCH)},
      {"libzip", zip_libzip_version()},
      {"maxflow", PUCKER_MAXFLOW_VERSION},
  };
}

}  // namespace pucker::io
