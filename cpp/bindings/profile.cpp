#include "pucker/dynamic/profile.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace py = pybind11;
using namespace pybind11::literals;

namespace pucker::bindings {

namespace {

using Numbers = py::array_t<double, py::array::forcecast>;

/// Wraps f(profile, numbers...) as a method that broadcasts over arrays.
auto broadcast(double (*function)(Profile, double, double)) {
  return [function](Profile profile, const Numbers& width, const Numbers& other) {
    return py::vectorize([=](double w, double o) { return function(profile, w, o); })(width, other);
  };
}

auto broadcast(double (*function)(Profile, double, double, double)) {
  return [function](Profile profile, const Numbers& x, const Numbers& width, const Numbers& height) {
    return py::vectorize([=](double p, double w, double h) { return function(profile, p, w, h); })(x, width, height);
  };
}

/// An argument that is no null: NumPy makes None a number that is none.
py::arg given(const char* name) { return py::arg(name).none(false); }

}  // namespace

void register_profile(py::module_& m) {
  py::module_ profiles =
      m.def_submodule("profiles", R"(Cross-sections of a wrinkle and the heights that keep the cloth's length across it.

Gillette 2015, section 6.1. All lengths have one unit; every function broadcasts over arrays.)");

  py::class_<Profile> cls(py::type::of(py::cast(Profile::bspline)));
  profiles.attr("Profile") = cls;
  py::delattr(cls, "value");  // pybind11's number of the member, which int() gives too
  cls.def("value", broadcast(&profile::value), given("x"), given("width"), given("height"),
          R"(Height of the cross-section at `x` from its middle; 0 from width/2 on.

With w = width/2: quartic, height·(1 - x²/w²)²; sinusoidal, height/2·(1 + cos πx/w); arcs, four quarter pieces of a
circle that meet at (±w/2, height/2); bspline, a quadratic B-spline of three pieces; wave, height/2·(cos πx/w +
cos 2πx/w), a ridge between valleys 9/16 as deep, of mean 0.

Raises:
    ValueError: For a width that is not finite and positive, a height that is not finite and >= 0, a NaN for `x`, and a
        height above width/2 for arcs.)");
  cls.def("derivative", broadcast(&profile::derivative), given("x"), given("width"), given("height"),
          R"(Slope of the cross-section at `x`: 0 at 0 and from width/2 on.

Infinite for arcs of height width/2 at x = ±width/4. Raises ValueError as `value` does.)");
  cls.def(
      "arc_length", broadcast(&profile::arc_length), given("width"), given("height"),
      R"(Length of the cross-section over its width, to a relative error of 1e-12. Raises ValueError as `value` does.)");
  cls.def("height_for", broadcast(&profile::height_for), given("width"), given("arc"),
          R"(The height that gives the cross-section the length `arc`, to a residual of 1e-13·arc; 0 for arc = width.

Raises:
    ValueError: For arc < width, for arc > π/2·width with arcs, and for lengths that are not finite and positive.)");

  cls.def("measured_height", broadcast(&profile::measured_height), given("width"), given("arc"),
          R"(The height that folds of simulated cloth have over a mesh compressed to width/arc.

From crest to valley floor 0.56·ε^0.8 of the distance between two valleys, ε = arc/width - 1; without valleys the floor is
at both ends. Measured by `metrics.ridges_of` on the truths, to a fifth for ε from 0.03 to 0.6: folds take up an eighth to
a half of the compression.

Raises:
    ValueError: For arc < width, and for lengths that are not finite and positive.)");

  profiles.def("circle_height", py::vectorize(&circle_height), given("width"), given("arc"),
               R"(Height over its chord of a circular arc with chord `width` and length `arc`.

sin φ = φ·width/arc, height = arc·(1 - cos φ)/2φ (Gillette 2015, equation 6.1), to a residual of 1e-13.

Raises:
    ValueError: Unless width/arc lies in [1/π, 1], up to rounding.)");

  py::class_<HeightTable>(profiles, "HeightTable",
                          R"(Heights by width and arc length from a table of 64 samples, to 1e-4·arc.

Args:
    rule: HeightRule.circle for circle_height, of wave as profile; HeightRule.profile for the profile's own height_for;
        HeightRule.measured for its measured_height.
    profile: A Profile.)")
      .def(py::init<HeightRule, Profile>(), "rule"_a, "profile"_a)
      .def(
          "height",
          [](const HeightTable& self, const Numbers& width, const Numbers& arc) {
            return py::vectorize([&self](double w, double a) { return self.height(w, a); })(width, arc);
          },
          given("width"), given("arc"),
          R"(The height for `width` and `arc`, broadcasting; exactly 0 for width = arc.

Raises:
    ValueError: Unless width/arc lies in [lowest_ratio, 1], up to rounding.)")
      .def_property_readonly("lowest_ratio", &HeightTable::lowest_ratio,
                             "Smallest width/arc: 1/π, and 2/π for arcs, which are then as high as their half width.");
}

}  // namespace pucker::bindings
