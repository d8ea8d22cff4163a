/// Colours in and out of the core.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "arrays.h"
#include "pucker/draw/style.h"

namespace pucker::bindings {

/// Rows of 8-bit numbers; any integers that fit are taken.
inline std::vector<draw::Rgba8> input_colours(const py::object& object, py::ssize_t rows, const char* name) {
  const auto array = input_indices(object, name);
  require_shape(array, {rows, 4}, name);
  std::vector<draw::Rgba8> out(std::size_t(array.shape(0)));
  for (py::ssize_t i = 0; i < array.size(); ++i) {
    require(array.data()[i] >= 0 && array.data()[i] <= 255, name, " must lie in [0, 255], but row ", i / 4, " has ",
            array.data()[i]);
    out[std::size_t(i / 4)][std::size_t(i % 4)] = std::uint8_t(array.data()[i]);
  }
  return out;
}

/// A new array (k, 4).
inline py::array_t<std::uint8_t> copy_colours(std::span<const draw::Rgba8> colours) {
  py::array_t<std::uint8_t> out({py::ssize_t(colours.size()), py::ssize_t(4)});
  if (!colours.empty()) std::memcpy(out.mutable_data(), colours.data(), 4 * colours.size());
  return out;
}

}  // namespace pucker::bindings
