#include "waves.h"

#include <cmath>

namespace pucker::bindings {
namespace {

auto sampled(double (PleatTable::*function)(double) const) {
  return [function](const PleatTable& self, const ArrayLike& phase) {
    return py::vectorize([&self, function](double p) {
      require(std::isfinite(p), "phase must be finite, got ", p);
      return (self.*function)(p);
    })(input<double>(phase, "phase"));
  };
}

py::array_t<double> table_view(const PleatTable::Values& values, const py::object& self) {
  return view(values.data(), {py::ssize_t(values.size())}, self);
}

}  // namespace

void register_pleat(py::module_& m) {
  py::class_<PleatTable>(
      m, "PleatTable",
      R"(Cross-section of a wave: an even function f of period 2π with values in [-1, 1], and its slope.

32 values of each at 2πi/32, linearly interpolated between them (Loviscach 2006, section 6.3). Even, because the sign of
a wave's direction is free.

Args:
    profile: A Pleat or its name; (32,) values of f, whose slopes are their symmetric differences; or a function that
        takes the phases (32,) in radians and returns such values.

Raises:
    ValueError: For another shape, and for values that are not finite, above 1 or not even, to 1e-9.)")
      .def(py::init(&table_from), "profile"_a)
      .def_property_readonly(
          "values", [](const py::object& self) { return table_view(py::cast<const PleatTable&>(self).values(), self); },
          "(32,): f at 2πi/32; a view.")
      .def_property_readonly(
          "slopes", [](const py::object& self) { return table_view(py::cast<const PleatTable&>(self).slopes(), self); },
          "(32,): f' at 2πi/32; a view.")
      .def("value", sampled(&PleatTable::value), "phase"_a, "f at phases in radians, of any shape.")
      .def("slope", sampled(&PleatTable::slope), "phase"_a, "f' at phases in radians, of any shape.")
      .def("__repr__", [](const PleatTable& self) {
        return message("<PleatTable, ", PleatTable::kSize, " values from ", self.value(0), " to ",
                       self.value(std::numbers::pi), ">");
      });
}

}  // namespace pucker::bindings
