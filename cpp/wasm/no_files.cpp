#include "../c/files.h"
#include "pucker/errors.h"

namespace pucker::c {

NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> /*names*/) {
  throw Error(message(path, ": a browser has no files; its arrays must be given"));
}

NamedArray read_array(const std::string& path) {
  throw Error(message(path, ": a browser has no files; its arrays must be given"));
}

}  // namespace pucker::c
