#include "pucker/dynamic/wrinkler.h"

#include "dynamic.h"
#include "method.h"
#include "pucker/io/clip.h"

namespace pucker::bindings {

namespace {

/// Made when they are first asked for: a copy of all paths at each access would cost more than a frame.
py::list wrinkles_of(const py::object& self) {
  const py::dict kept = self.attr("__dict__");
  if (!kept.contains("_wrinkles")) {
    const auto& state = py::cast<const WrinklerState&>(self);
    kept["_wrinkles"] = py::tuple(py::cast(placed(state.wrinkles, state.positions)));
  }
  return py::list(kept["_wrinkles"]);
}

}  // namespace

void register_wrinkler(py::module_& m) {
  py::class_<WrinklerState, State, std::shared_ptr<WrinklerState>>(
      m, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.",
      py::dynamic_attr())
      .def_property_readonly(
          "labels", [](const py::object& self) { return view(py::cast<const WrinklerState&>(self).labels, self); },
          "(m,) int8: a Label of each triangle.")
      .def_property_readonly(
          "costs", [](const py::object& self) { return view_matrix(py::cast<const WrinklerState&>(self).costs, self); },
          "(m, 3): label costs, columns C, R, S.")
      .def_property_readonly(
          "motion", [](const WrinklerState& self) -> const Stretch& { return self.motion; },
          py::return_value_policy::reference_internal, "Stretch against the previous frame, per reference interval.")
      .def_property_readonly(
          "stretch", [](const WrinklerState& self) -> const Stretch& { return self.stretch; },
          py::return_value_policy::reference_internal, "Stretch against the reference triangles.")
      .def_property_readonly(
          "frames", [](const WrinklerState& self) -> const LocalFrames& { return self.frames; },
          py::return_value_policy::reference_internal, "Local frames of the triangles.")
      .def_property_readonly(
          "reference",
          [](const py::object& self) { return view(py::cast<const WrinklerState&>(self).reference, self); },
          "(m, 2, 2): reference triangles.")
      .def_property_readonly(
          "compression",
          [](const py::object& self) { return view(py::cast<const WrinklerState&>(self).compression, self); },
          "(m,): 1 / minimum stretch against the reference.")
      .def_property_readonly("wrinkles", &wrinkles_of, "List of Wrinkle, alive and dying; the same objects each time.")
      .def_property_readonly(
          "packed", [](const WrinklerState& self) -> const PackedWrinkles& { return self.packed; },
          py::return_value_policy::reference_internal, "The wrinkles packed for the GPU.");

  py::class_<Wrinkler, Method>(m, "Wrinkler", "The whole dynamic method: one frame after the other through all stages.")
      .def(py::init([](const io::Clip& clip, const Params& params) {
             return Wrinkler(clip.mesh(), params.for_height(clip.height()), {clip.rest(), clip.shared_vertices()});
           }),
           py::arg("clip"), py::arg("params") = Params{},
           "A run over the clip's cloth, which knows its rest pose and where it is sewn to the rest of the character;\n"
           "without params.min_width its smallest wrinkle width is params.relative_width of the "
           "clip's height. Raises ValueError if it has none.")
      .def(py::init([](const Mesh& mesh, const Params& params, const MaybeArray& rest, const ArrayLike& shared) {
             Cloth cloth;
             if (!rest.is_none()) cloth.rest = input_array3(rest, mesh.vertex_count(), "rest");
             cloth.shared = input_list<std::int32_t>(shared, -1, "shared");
             return Wrinkler(mesh.shared_from_this(), params, std::move(cloth));
           }),
           py::arg("mesh"), py::arg("params"), py::kw_only(), py::arg("rest") = py::none(),
           py::arg("shared").none(false) = py::tuple(),
           "A run over any frames of the mesh. rest: (n, 3), the pose that the cloth was made in. shared: vertices "
           "that\n"
           "are also vertices of what is not cloth, towards which wrinkles fade out. Raises ValueError unless\n"
           "params.min_width is given.")
      .def_property_readonly("params", &Wrinkler::params, "What the run was made with.")
      .def_property_readonly(
          "widths",
          [](const Wrinkler& self) -> std::optional<py::array_t<double>> {
            return self.widths().empty() ? std::nullopt : std::optional(copy(self.widths()));
          },
          "(m,): of flat wrinkles, as wrinkle_widths has them; None: 1 everywhere, as without a rest pose.")
      .def("advance", &advance<Wrinkler>, py::arg("positions"), py::arg("time"), kAdvanceDoc)
      .def_property_readonly(
          "wrinkles",
          [](const Wrinkler& self) {
            const Reading call(self, "run");
            return placed(self.state().wrinkles, self.positions());
          },
          "Wrinkles of the last frame.")
      .def_static(
          "restore", [](const py::bytes& bytes) { return Wrinkler::restore(std::string_view(bytes)); },
          py::arg("bytes"),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.")
      .def(py::pickle([](const Wrinkler& self) { return saved(self); },
                      [](const py::bytes& bytes) { return Wrinkler::restore(std::string_view(bytes)); }));
}

}  // namespace pucker::bindings
