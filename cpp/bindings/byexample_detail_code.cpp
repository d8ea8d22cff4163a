#include "pucker/byexample/detail_code.h"

#include "byexample.h"

namespace pucker::bindings {

void register_detail_code(py::module_& m) {
  py::class_<DetailCode, std::shared_ptr<DetailCode>>(
      m, "DetailCode", R"(Details as whole multiples of a step, of what they are beyond the next coarser level.

The detail of a vertex that subdivision puts on an edge is predicted by the mean of those of the edge's ends, turned from their
frames on the smooth surface at rest into its own; a vertex of the feature mesh by 0. Ends have their decoded details, so that
each number of a detail is off by half a step at most.

Args:
    mesh: The feature mesh.
    levels: How often it is subdivided.
    rest: (n, 3) of the feature mesh.

Raises ValueError as `SmoothSurface`.)")
      .def(py::init([](const Mesh& mesh, int levels, const ArrayLike& rest) {
             const Array3 points = input_positions(mesh, rest, "rest");
             const Unlocked unlocked;
             return std::make_shared<DetailCode>(mesh.shared_from_this(), levels, points);
           }),
           py::arg("mesh"), py::arg("levels"), py::arg("rest"))
      .def(
          "encode",
          [](const DetailCode& self, const ArrayLike& details, double step) {
            Array3 out = input_array3(details, py::ssize_t(self.vertex_count()), "details");
            {
              const Unlocked unlocked;
              out = self.encode(out, step);
            }
            return copy_matrix(out);
          },
          py::arg("details"), py::arg("step"),
          "(N, 3) whole numbers that stand for a detail (N, 3). Raises ValueError for another shape, what is not "
          "finite, and a step that is not positive.")
      .def(
          "decode",
          [](const DetailCode& self, const ArrayLike& multiples, double step) {
            Array3 out = input_array3(multiples, py::ssize_t(self.vertex_count()), "multiples");
            {
              const Unlocked unlocked;
              out = self.decode(out, step);
            }
            return copy_matrix(out);
          },
          py::arg("multiples"), py::arg("step"),
          "(N, 3) the detail that multiples (N, 3) stand for; encoded it gives them again. Raises as `encode`.")
      .def("__repr__",
           [](const DetailCode& self) { return message("<DetailCode, ", self.vertex_count(), " vertices>"); });
}

}  // namespace pucker::bindings
