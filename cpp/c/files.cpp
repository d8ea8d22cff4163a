#include "files.h"

#include "pucker/io/npz.h"

namespace pucker::c {

NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> names) {
  return io::read_npz(path, names);
}

NamedArray read_array(const std::string& path) { return io::read_npy(path); }

}  // namespace pucker::c
