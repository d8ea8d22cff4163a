#include "pucker/dynamic/stretch.h"

#include "dynamic.h"

namespace pucker::bindings {

namespace {

py::array_t<double> matrices_of(const std::vector<Rotation>& rotations) {
  Matrix2List out;
  out.reserve(rotations.size());
  for (const Rotation& rotation : rotations) out.push_back(rotation.matrix());
  return copy(out);
}

}  // namespace

void register_stretch(py::module_& m) {
  py::class_<Stretch, std::shared_ptr<Stretch>>(
      m, "Stretch", "F = left . diag(maximum, minimum) . right^T for each triangle (Gillette 2015, equation 4.1).")
      .def_property_readonly(
          "minimum", [](const py::object& self) { return view(py::cast<const Stretch&>(self).minimum, self); },
          "(m,): smaller principal stretch, 1 = no deformation; a view.")
      .def_property_readonly(
          "maximum", [](const py::object& self) { return view(py::cast<const Stretch&>(self).maximum, self); },
          "(m,): larger principal stretch; a view.")
      .def_property_readonly(
          "left", [](const Stretch& self) { return matrices_of(self.left); },
          "(m, 2, 2): rotations; columns a_max, a_min in the current triangle's frame.")
      .def_property_readonly(
          "right", [](const Stretch& self) { return matrices_of(self.right); },
          "(m, 2, 2): rotations; the same directions in the reference triangle's frame.");
  m.def(
      "stretch",
      [](const ArrayLike& reference, const ArrayLike& current) {
        const Matrix2List a = input_matrices(reference, -1, "reference");
        const Matrix2List b = input_matrices(current, py::ssize_t(a.size()), "current");
        const Unlocked unlocked;
        return std::make_shared<Stretch>(stretch(a, b));
      },
      py::arg("reference"), py::arg("current"),
      "Principal stretches from reference to current triangles, both (m, 2, 2) with determinant >= 0. A triangle whose "
      "reference has no area has both stretches 1. Raises ValueError for other shapes, a triangle that is mirrored or "
      "not finite.");
  m.def(
      "rescale_rate",
      [](const Stretch& stretch, double exponent) {
        require(std::isfinite(exponent) && exponent > 0, "exponent must be finite and above 0, got ", exponent);
        Stretch out = stretch;
        rescale_rate(out, exponent);
        return out;
      },
      py::arg("stretch"), py::arg("exponent"),
      "The stretches to the power `exponent` = interval / dt: what a reference interval would have shown. Raises "
      "ValueError for an exponent that is not finite or not above 0.");
  m.def(
      "compression",
      [](const Stretch& stretch) {
        std::vector<double> out;
        compression(stretch, {}, out);
        return copy(out);
      },
      py::arg("stretch"),
      "(m,): compression 1 / minimum stretch of each triangle, 1 = none; exactly 1 for a triangle that has collapsed "
      "to less than 1e-6 of its reference.");
}

}  // namespace pucker::bindings
