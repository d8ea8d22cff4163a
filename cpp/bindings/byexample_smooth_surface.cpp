#include "byexample.h"

namespace pucker::bindings {
namespace {

constexpr const char* kSmoothKind = "SmoothSurface";

py::array_t<double> frames_of(const SmoothSurface& surface) {
  const std::vector<RowMatrix3>& frames = surface.frames().frames();
  return py::array_t<double>({py::ssize_t(frames.size()), py::ssize_t(3), py::ssize_t(3)},
                             frames.empty() ? nullptr : frames.front().data());
}

}  // namespace

void register_smooth_surface(py::module_& m) {
  py::class_<SmoothSurface, std::shared_ptr<SmoothSurface>>(
      m, "SmoothSurface", R"(The smooth surface of a feature mesh, and what lies over it in frames that move with it.

The frame of a vertex has the columns edge, normal x edge, normal: the edge to one chosen neighbour, made orthogonal to the
normal (Zurdo 2013, section 3); zero where there is none.

Args:
    mesh: The feature mesh.
    levels: How often it is subdivided.
    positions: (n, 3) of the feature mesh.)")
      .def(py::init([](const Mesh& mesh, int levels, const ArrayLike& positions) {
             const Array3 points = input_positions(mesh, positions);
             const Unlocked unlocked;
             return std::make_shared<SmoothSurface>(mesh.shared_from_this(), levels, points);
           }),
           py::arg("mesh"), py::arg("levels"), py::arg("positions"))
      .def_property_readonly(
          "subdivision", [](const SmoothSurface& self) -> const LoopSubdivision& { return self.subdivision(); },
          py::return_value_policy::reference_internal, "The `LoopSubdivision`.")
      .def("__repr__",
           [](const SmoothSurface& self) {
             return message("<SmoothSurface, ", self.subdivision().fine()->vertex_count(), " vertices>");
           })
      .def_property_readonly(
          "mesh", [](const SmoothSurface& self) { return std::const_pointer_cast<Mesh>(self.subdivision().fine()); },
          "The fine mesh.")
      .def_property_readonly(
          "positions",
          reading<SmoothSurface>(kSmoothKind, [](const SmoothSurface& self) { return copy_matrix(self.positions()); }),
          "(N, 3)")
      .def_property_readonly(
          "normals",
          reading<SmoothSurface>(kSmoothKind,
                                 [](const SmoothSurface& self) { return copy_matrix(self.frames().normals()); }),
          "(N, 3), unit; zero for a vertex without area.")
      .def_property_readonly("frames", reading<SmoothSurface>(kSmoothKind, &frames_of), "(N, 3, 3)")
      .def_property_readonly(
          "missing",
          reading<SmoothSurface>(kSmoothKind, [](const SmoothSurface& self) { return self.frames().missing(); }),
          "Vertices without a frame.")
      .def(
          "step",
          [](SmoothSurface& self, const ArrayLike& positions) {
            const Array3 points = input_positions(*self.subdivision().coarse(), positions);
            const Changing call(self, kSmoothKind);
            {
              const Unlocked unlocked;
              self.step(points);
            }
            return copy_matrix(self.positions());
          },
          py::arg("positions"), "Moves the surface to feature positions (n, 3), and returns its own, (N, 3).")
      .def(
          "detail_of",
          [](const SmoothSurface& self, const ArrayLike& fine) {
            const Array3 points = input_positions(*self.subdivision().fine(), fine, "fine");
            Array3 out;
            const Reading call(self, kSmoothKind);
            self.detail_of(points, out);
            return copy_matrix(out);
          },
          py::arg("fine"), "(N, 3): what fine positions (N, 3) are beyond the surface, in its frames.")
      .def(
          "add",
          [](const SmoothSurface& self, const ArrayLike& detail) {
            const Array3 away = input_positions(*self.subdivision().fine(), detail, "detail");
            Array3 out;
            const Reading call(self, kSmoothKind);
            self.add(away, out);
            return copy_matrix(out);
          },
          py::arg("detail"), "(N, 3): the surface with a detail (N, 3) in its frames; the inverse of `detail_of`.");
}

}  // namespace pucker::bindings
