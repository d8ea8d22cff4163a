#include "pucker/dynamic/reference.h"

#include "dynamic.h"

namespace pucker::bindings {

void register_reference(py::module_& m) {
  py::class_<ReferenceShape>(m, "ReferenceShape",
                             "A reference shape per triangle that remembers where the cloth is compressed "
                             "(Gillette 2015, section 4.2). Starts as the triangles of the first frame.")
      .def(py::init([](const Mesh& mesh, const ArrayLike& current, const Params& params) {
             return ReferenceShape(input_matrices(current, mesh.triangle_count(), "current"), params);
           }),
           py::arg("mesh"), py::arg("current"), py::arg("params"), "current: (m, 2, 2) of local_frames.")
      .def_property_readonly(
          "matrices",
          [](const ReferenceShape& self) {
            const Reading call(self, "ReferenceShape");
            return copy(self.matrices());
          },
          "(m, 2, 2): a copy, valid after the next step.")
      .def(
          "step",
          [](ReferenceShape& self, const ArrayLike& labels, const ArrayLike& current, double dt) {
            const Changing call(self, "ReferenceShape");
            const py::ssize_t count = py::ssize_t(self.matrices().size());
            const std::vector<std::int8_t> list = input_list<std::int8_t>(labels, count, "labels");
            const Matrix2List matrices = input_matrices(current, count, "current");
            const Unlocked unlocked;
            self.step(list, matrices, dt);
          },
          py::arg("labels"), py::arg("current"), py::arg("dt"),
          "One frame of `dt` seconds. C (0): stretches move toward 1 by keep^(dt/interval), directions stay; S (2) "
          "with both stretches above 1: the current triangle; else unchanged. Raises ValueError for wrong shapes, a "
          "triangle that is mirrored or not finite, labels outside 0..2 or dt <= 0; the reference is then unchanged.");
}

}  // namespace pucker::bindings
