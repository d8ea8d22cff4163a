/// What the core was built with.
#pragma once

#include <string>
#include <vector>

namespace pucker::io {

struct Library {
  std::string name;
  std::string version;  ///< of what is loaded where that can be asked, of what was compiled with otherwise
};

/// The libraries inside, in alphabetical order.
std::vector<Library> libraries();

}  // namespace pucker::io
