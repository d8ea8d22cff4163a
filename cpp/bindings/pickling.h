/// What a clip and a FileInfo are pickled as.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "pucker/errors.h"
#include "pucker/io/clip.h"
#include "pucker/io/load.h"

namespace pucker::bindings {

/// An array's bytes, so that the same bits come back.
template <class Number>
py::bytes pack(const Number* data, std::size_t count) {
  return {reinterpret_cast<const char*>(data), count * sizeof(Number)};
}

template <class Number>
std::vector<Number> unpack(const py::handle& state) {
  const std::string_view bytes = state.cast<std::string_view>();
  require(bytes.size() % sizeof(Number) == 0, "a pickled clip holds ", bytes.size(), " bytes for numbers of ",
          sizeof(Number));
  std::vector<Number> result(bytes.size() / sizeof(Number));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(result.data()));
  return result;
}

py::tuple pack_clip(const io::Clip& clip);
/// Throws Error for a tuple of another layout.
io::Clip unpack_clip(const py::tuple& state);

py::tuple pack_info(const io::FileInfo& info);
/// Throws Error for a tuple of another layout.
io::FileInfo unpack_info(const py::tuple& state);

}  // namespace pucker::bindings
