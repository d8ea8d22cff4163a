#include "pucker/dynamic/wrinkler.h"

#include "dynamic.h"
#include "state.h"

namespace pucker::bindings {

void register_wrinkler(py::module_& m) {
  py::class_<State, std::shared_ptr<State>>(
      m, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.")
      .def_property_readonly("frame", [](const State& self) { return self.frame; })
      .def_property_readonly(
          "time", [](const State& self) { return self.time; }, "Seconds.")
      .def_property_readonly(
          "labels", [](const py::object& self) { return view(py::cast<const State&>(self).labels, self); },
          "(m,) int8: 0 compressing, 1 resting, 2 stretching.")
      .def_property_readonly(
          "costs", [](const py::object& self) { return view_matrix(py::cast<const State&>(self).costs, self); },
          "(m, 3): label costs, columns C, R, S.")
      .def_property_readonly(
          "motion", [](const State& self) -> const Stretch& { return self.motion; },
          py::return_value_policy::reference_internal, "Stretch against the previous frame, per reference interval.")
      .def_property_readonly(
          "stretch", [](const State& self) -> const Stretch& { return self.stretch; },
          py::return_value_policy::reference_internal, "Stretch against the reference triangles.")
      .def_property_readonly(
          "frames", [](const State& self) -> const LocalFrames& { return self.frames; },
          py::return_value_policy::reference_internal, "Local frames of the triangles.")
      .def_property_readonly(
          "reference", [](const py::object& self) { return view(py::cast<const State&>(self).reference, self); },
          "(m, 2, 2): reference triangles.")
      .def_property_readonly(
          "compression", [](const py::object& self) { return view(py::cast<const State&>(self).compression, self); },
          "(m,): 1 / minimum stretch against the reference.")
      .def_property_readonly(
          "wrinkles", [](const State& self) { return placed(self.wrinkles, self.positions); },
          "List of Wrinkle, alive and dying.")
      .def_property_readonly(
          "packed", [](const State& self) -> const PackedWrinkles& { return self.packed; },
          py::return_value_policy::reference_internal)
      .def_property_readonly(
          "seconds",
          [](const State& self) {
            py::dict out;
            for (std::size_t s = 0; s < kStageCount; ++s)
              out[py::str(std::string(stage_name(Stage(s))))] = self.seconds[s];
            return out;
          },
          "Wall clock of each stage, by name, in order.");

  py::class_<Wrinkler>(m, "Wrinkler", "The whole dynamic method: one frame after the other through all stages.")
      .def(py::init([](std::shared_ptr<Mesh> mesh, const Params& params) { return Wrinkler(std::move(mesh), params); }),
           py::arg("mesh"), py::arg("params") = Params{})
      .def_property_readonly("params", &Wrinkler::params)
      .def_property_readonly("mesh", [](const Wrinkler& self) { return std::const_pointer_cast<Mesh>(self.mesh()); })
      .def(
          "advance",
          [](Wrinkler& self, const py::object& positions, double time) {
            const auto array = input<double>(positions, "positions");
            require_shape(array, {py::ssize_t(self.mesh()->vertex_count()), 3}, "positions");
            const Eigen::Map<const Array3> points(array.data(), array.shape(0), 3);
            const py::gil_scoped_release release;
            self.advance(points, time);
            return shared_state(self);
          },
          py::arg("positions"), py::arg("time"),
          "One frame: `positions` (n, 3) at `time` seconds, later than the frame before; the first frame is the "
          "reference. Returns a State that stays valid; memory of one that nobody holds any more is used again. Raises "
          "ValueError for a wrong shape, a position that is not "
          "finite or a time that is not later; nothing has changed then.")
      .def_property_readonly(
          "wrinkles", [](const Wrinkler& self) { return placed(self.state().wrinkles, self.positions()); },
          "Wrinkles of the last frame.")
      .def(
          "save", [](const Wrinkler& self) { return py::bytes(self.save()); },
          "The whole run as bytes; restore goes on with the same bits.")
      .def_static(
          "restore", [](const py::bytes& bytes) { return Wrinkler::restore(std::string_view(bytes)); },
          py::arg("bytes"),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.")
      .def(py::pickle([](const Wrinkler& self) { return py::bytes(self.save()); },
                      [](const py::bytes& bytes) { return Wrinkler::restore(std::string_view(bytes)); }));
}

}  // namespace pucker::bindings
