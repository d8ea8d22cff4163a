/// What the bindings of the lists of draws share.
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "pucker/draw/camera.h"
#include "pucker/draw/style.h"
#include "pucker/draw/surface.h"
#include "pucker/types.h"

namespace pucker::bindings {

/// What errors call a surface that is in use.
inline constexpr const char* kSurface = "Surface";

inline Vector3 vector_of(const draw::Colour& values) { return {values[0], values[1], values[2]}; }
inline py::tuple tuple_of(const Vector3& v) { return py::make_tuple(v.x(), v.y(), v.z()); }

/// The direction of a view: its name, or two angles.
draw::Angles input_angles(const py::object& view);

/// Width, height and RGBA of decoded textures.
using TextureList = std::vector<std::tuple<int, int, py::bytes>>;
/// They, which must outlive it. Throws InvalidArgument for another number of bytes.
std::vector<draw::Texels> texels_of(const TextureList& textures);

/// Positions (…, 3) as rows.
inline Array3 input_points(const py::handle& object, const char* name) {
  const auto array = input<double>(object, name);
  require(array.ndim() > 0 && array.shape(array.ndim() - 1) == 3, name, " must have shape (…, 3), got ",
          shape_of(array));
  return Eigen::Map<const Array3>(array.data(), array.size() / 3, 3);
}

}  // namespace pucker::bindings
