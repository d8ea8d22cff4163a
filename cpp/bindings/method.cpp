#include "method.h"

#include <pybind11/stl.h>

#include "pucker/draw/content.h"
#include "pucker/mesh/subdivision.h"

namespace pucker::bindings {

namespace {

template <class T>
auto rows_of(T SurfacePoints::*member) {
  return [member](const py::object& self) { return view_matrix(py::cast<const SurfacePoints&>(self).*member, self); };
}

SurfacePoints make_points(const ArrayLike& base, const ArrayLike& base_normals, const ArrayLike& displacements,
                          const ArrayLike& normals) {
  SurfacePoints out;
  out.base = input_array3(base, -1, "base");
  const py::ssize_t count = out.base.rows();
  out.base_normals = input_array3(base_normals, count, "base_normals");
  out.displacements = input_array3(displacements, count, "displacements");
  out.normals = input_array3(normals, count, "normals");
  out.positions = out.base + out.displacements;
  return out;
}

SurfacePoints mesh_points(const Mesh& mesh, const ArrayLike& positions, const ArrayLike& triangles,
                          const ArrayLike& barycentrics) {
  const Array3 points = input_positions(mesh, positions);
  const auto numbers = input_list<std::int32_t>(triangles, -1, "triangles");
  const Array3 coordinates = input_array3(barycentrics, py::ssize_t(numbers.size()), "barycentrics");
  const Unlocked unlocked;
  return points_of_mesh(mesh, points, numbers, coordinates);
}

SurfacePoints evaluate(const Detail& self, const ArrayLike& triangles, const ArrayLike& barycentrics) {
  const auto numbers = input_list<std::int32_t>(triangles, -1, "triangles");
  const Array3 coordinates = input_array3(barycentrics, py::ssize_t(numbers.size()), "barycentrics");
  const Unlocked unlocked;
  return self.evaluate(numbers, coordinates);
}

py::dict seconds_of(const py::object& self) {
  const State& state = py::cast<const State&>(self);
  py::dict out;
  for (std::size_t s = 0; s < state.seconds.size(); ++s)
    out[py::str(std::string(state.stages()[s]))] = state.seconds[s];
  return out;
}

py::dict buffers_of(const Detail& self) {
  py::dict out;
  for (const draw::Buffer& buffer : self.draw_content(Vector3::Zero(), nullptr).buffers)
    out[py::str(std::string(buffer.block))] = py::array_t<std::uint8_t>(
        py::ssize_t(buffer.bytes.size()), reinterpret_cast<const std::uint8_t*>(buffer.bytes.data()));
  return out;
}

}  // namespace

void register_method(py::module_& m) {
  py::module_ method = m.def_submodule("method", "What the methods have in common.");

  py::class_<SurfacePoints, std::shared_ptr<SurfacePoints>>(
      method, "SurfacePoints", "Points of a detailed surface, one row each; the arrays are views.")
      .def(py::init(&make_points), py::arg("base"), py::arg("base_normals"), py::arg("displacements"),
           py::arg("normals"), "Copies of the arrays. Raises ValueError unless all are (N, 3).")
      .def_property_readonly("base", rows_of(&SurfacePoints::base), "(N, 3): on the mesh.")
      .def_property_readonly("base_normals", rows_of(&SurfacePoints::base_normals),
                             "(N, 3), unit: interpolated from the area-weighted normals of the vertices.")
      .def_property_readonly("displacements", rows_of(&SurfacePoints::displacements), "(N, 3): vectors from the base.")
      .def_property_readonly(
          "offsets", [](const SurfacePoints& self) { return copy(normal_offsets(self)); },
          "(N,): how far along the base normal, negative inwards.")
      .def_property_readonly("positions", rows_of(&SurfacePoints::positions), "(N, 3): base + displacement.")
      .def_property_readonly("normals", rows_of(&SurfacePoints::normals), "(N, 3), unit: of the displaced surface.");

  py::class_<Detail, std::shared_ptr<Detail>>(
      method, "Detail",
      "The fine surface that one frame of a method puts over the coarse one. It keeps the frame alive.")
      .def_property_readonly(
          "positions",
          [](const py::object& self) { return view_matrix(py::cast<const Detail&>(self).positions(), self); },
          "(n, 3): the vertices of the frame; a view.")
      .def_property_readonly(
          "faces",
          [](const py::object& self) { return view_matrix(py::cast<const Detail&>(self).mesh().faces(), self); },
          "(m, 3) int32: the triangles of the coarse mesh; a view.")
      .def("evaluate", &evaluate, py::arg("triangles"), py::arg("barycentrics"),
           R"(The surface at N points of the mesh.

Args:
    triangles: (N,) the triangle each point lies in.
    barycentrics: (N, 3) its coordinates there.

Returns:
    SurfacePoints. Points of an edge are the same from both its triangles, to rounding.

Raises:
    ValueError: For a wrong shape, a triangle out of range, or coordinates outside of it.)")
      .def_property_readonly(
          "reached", [](const Detail& self) { return py::array_t<bool>(copy(self.reached()).attr("astype")("bool")); },
          "(m,) bool: whether a point of each triangle may be displaced; the others are drawn as they are.")
      .def_property_readonly("feature_size", &Detail::feature_size,
                             "Length of the smallest feature, in the unit of the positions.")
      .def_property_readonly(
          "feature_sizes", [](const Detail& self) { return copy(self.feature_sizes()); },
          "(m,): length of the smallest feature in each triangle, at least feature_size; infinite where nothing is "
          "displaced.")
      .def_property_readonly(
          "offset_range",
          [](const Detail& self) {
            const auto [low, high] = self.offset_range();
            return std::pair(low, high);
          },
          "(low, high): between which every displacement along the base normal lies, negative inwards.")
      .def(
          "edge_levels",
          [](const Detail& self, double target_edge, int limit) {
            return copy([&] {
              const Unlocked unlocked;
              return self.edge_levels(target_edge, limit);
            }());
          },
          py::arg("target_edge"), py::kw_only(), py::arg("limit") = 64,
          R"(Number of pieces (e,) int32 that drawing divides each edge of the mesh into.

As many as make the pieces no longer than `target_edge`, but `limit` at most; 1 where none of the edge's triangles is
reached. Raises ValueError for a target or a limit that is not positive.)")
      .def_property_readonly(
          "shaders", [](const Detail& self) { return std::string(self.shaders()); },
          "Folder of the shaders that tessellate it; empty for a detail that is divided on the processor.")
      .def_property_readonly("draw_buffers", &buffers_of,
                             "What they begin with: the bytes of storage blocks by their names, in their order.")
      .def_property_readonly(
          "own_mesh",
          [](const py::object& self) {
            const Subdivision* own = py::cast<const Detail&>(self).own_mesh();
            if (own == nullptr) return py::object(py::none());
            return py::cast(own, py::return_value_policy::reference_internal, self);
          },
          "The mesh that the detail is, a Subdivision, if it is the same one in all frames; else None.");

  py::class_<State, std::shared_ptr<State>>(
      method, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.")
      .def_readonly("frame", &State::frame, "Number of the frame in the run, from 0.")
      .def_readonly("time", &State::time, "Seconds.")
      .def_property_readonly(
          "positions", [](const py::object& self) { return view_matrix(py::cast<const State&>(self).positions, self); },
          "(n, 3): the vertices of the frame.")
      .def_property_readonly(
          "detail", [](const State& self) -> const Detail& { return self.detail(); },
          py::return_value_policy::reference_internal, "The fine surface over the coarse one.")
      .def_property_readonly("seconds", &seconds_of, "Wall clock of each stage, by name, in order.");

  py::class_<Method>(method, "Method", "A run of one method: one frame after the other.")
      .def_property_readonly(
          "name", [](const Method& self) { return std::string(self.name()); }, "As `--method` takes it.")
      .def_property_readonly(
          "stages",
          [](const Method& self) { return std::vector<std::string>(self.stages().begin(), self.stages().end()); },
          "Names of the stages in the order in which a frame runs through them.")
      .def_property_readonly(
          "mesh", [](const Method& self) { return std::const_pointer_cast<Mesh>(self.mesh()); }, "The coarse mesh.")
      .def("advance", &advance<Method>, py::arg("positions"), py::arg("time"), kAdvanceDoc)
      .def("save", &saved, "The whole run as bytes; `restore` of its class goes on with the same bits.")
      .def(
          "restored", [](const Method& self, const py::bytes& bytes) { return self.restored(std::string_view(bytes)); },
          py::arg("bytes"),
          "A run of this method that goes on as the saved one. Raises pucker.Error for bytes that save() of this "
          "method "
          "has not made.");

  method.def("points_of_mesh", &mesh_points, py::arg("mesh"), py::arg("positions"), py::arg("triangles"),
             py::arg("barycentrics"),
             R"(Points of the mesh itself, displaced by nothing: what a detail starts from.

Args:
    mesh: The mesh.
    positions: (n, 3) its vertices.
    triangles: (N,) the triangle each point lies in.
    barycentrics: (N, 3) its coordinates there.

Raises:
    ValueError: For a wrong shape, a position that is not finite, a triangle out of range, or coordinates outside of it.)");
}

}  // namespace pucker::bindings
