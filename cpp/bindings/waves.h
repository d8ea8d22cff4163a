/// What the bindings of the wave field share.
#pragma once

#include <algorithm>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "enums.h"
#include "method.h"
#include "params.h"
#include "pucker/waves/computed.h"
#include "pucker/waves/wave_field.h"

namespace pucker::bindings {

using namespace pybind11::literals;
using namespace pucker::waves;

/// An array of the object, as a view that keeps it alive.
template <class Owner>
auto numbers_of(std::vector<double> Owner::*list) {
  return [list](const py::object& self) { return view(py::cast<const Owner&>(self).*list, self); };
}
template <class Owner>
auto rows_of(Array3 Owner::*rows) {
  return [rows](const py::object& self) { return view_matrix(py::cast<const Owner&>(self).*rows, self); };
}

/// "<NAME, n vertices, highest wave …>".
inline std::string told(const char* name, const PlaneWaves& waves) {
  const auto& heights = waves.amplitudes;
  const double highest = heights.empty() ? 0 : *std::max_element(heights.begin(), heights.end());
  return message("<", name, ", ", heights.size(), " vertices, waves up to ", highest, " high>");
}

/// What errors call an object that is in use.
template <class Owner>
constexpr const char* kKind = "run";
template <>
constexpr const char* kKind<Crush> = "Crush";
template <>
constexpr const char* kKind<Relax> = "Relax";

template <class Owner, class Read>
auto reading(Read read) {
  return bindings::reading<Owner>(kKind<Owner>, read);
}

/// One wavelength for all vertices, or one for each.
template <class Owner>
void set_wavelengths(Owner& self, const ArrayLike& object) {
  const std::size_t count = std::size_t(self.mesh()->vertex_count());
  const auto array = input<double>(object, "wavelengths");
  if (array.ndim() != 0) require_shape(array, {py::ssize_t(count)}, "wavelengths");
  const Changing call(self, kKind<Owner>);
  if (array.ndim() == 0)
    self.set_wavelengths(std::vector<double>(count, *array.data()));
  else
    self.set_wavelengths(span_of(array));
}

template <class Owner>
void set_paint(Owner& self, const ArrayLike& object) {
  const Array3 paint = input_positions(*self.mesh(), object, "paint");
  const Changing call(self, kKind<Owner>);
  self.set_paint(paint);
}

/// A profile by name or member, as values, or as a function of phases.
inline PleatTable table_from(const py::object& profile) {
  if (py::isinstance<PleatTable>(profile)) return py::cast<PleatTable>(profile);
  if (py::isinstance<Pleat>(profile) || py::isinstance<py::str>(profile))
    return PleatTable(member_from<Pleat>(profile, "profile"));
  py::object values = profile;
  if (PyCallable_Check(profile.ptr()) != 0) {
    py::array_t<double> phases(PleatTable::kSize);
    for (std::size_t i = 0; i < PleatTable::kSize; ++i)
      phases.mutable_at(py::ssize_t(i)) = 2 * std::numbers::pi * double(i) / PleatTable::kSize;
    values = profile(phases);
  }
  const auto array = input<double>(values, "a profile's values");
  require_shape(array, {py::ssize_t(PleatTable::kSize)}, "a profile's values");
  return PleatTable(span_of(array));
}

}  // namespace pucker::bindings
