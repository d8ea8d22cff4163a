#include "pucker/buckling.h"

#include "dynamic.h"

namespace pucker::bindings {

void register_buckling(py::module_& m) {
  m.def("bending_stiffness", &bending_stiffness, py::arg("young"), py::arg("thickness"), py::arg("poisson"),
        "Bending stiffness of a sheet in N m, young * thickness^3 / 12(1 - poisson^2): Young's modulus in N/m^2, "
        "thickness in m, Poisson's ratio in [0, 1). Raises ValueError for other values.");
  m.def("buckling_wavelength", &buckling_wavelength, py::arg("bending"), py::arg("tension"), py::arg("length"),
        "Wavelength in m of wrinkles of that length in m in cloth of that bending stiffness, N m, under that tension "
        "along them, N/m: 2 sqrt(pi) (bending/tension)^(1/4) sqrt(length) (Cerda and Mahadevan 2003). Raises "
        "ValueError unless all are positive and finite.");
}

}  // namespace pucker::bindings
