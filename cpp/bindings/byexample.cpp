#include "byexample.h"

namespace pucker::bindings {

void register_loop(py::module_& m);
void register_features(py::module_& m);
void register_pose_space(py::module_& m);
void register_regression(py::module_& m);
void register_smooth_surface(py::module_& m);
void register_synthesis(py::module_& m);
void register_trained(py::module_& m);

namespace {

void register_run_by_example(py::module_& m) {
  bind_enum<Compute>(m, "Compute", "Where surfaces are made.");
  bind_tree<byexample::Params>(m, "Params",
                               "Every number a run by example depends on besides its clip: one frozen tree.");

  py::class_<ExampleDetail, Detail, std::shared_ptr<ExampleDetail>>(
      m, "ExampleDetail", "The fine mesh that one frame puts over the coarse one; arrays are views.")
      .def_property_readonly(
          "subdivision",
          [](const ExampleDetail& self) { return std::const_pointer_cast<LoopSubdivision>(self.subdivision()); },
          "The `LoopSubdivision`, whose `fine` has the triangles.")
      .def_property_readonly(
          "fine_positions",
          [](const py::object& self) {
            return view_matrix(py::cast<const ExampleDetail&>(self).fine_positions(), self);
          },
          "(N, 3) of the fine mesh.")
      .def_property_readonly(
          "fine_normals",
          [](const py::object& self) { return view_matrix(py::cast<const ExampleDetail&>(self).fine_normals(), self); },
          "(N, 3), unit; zero for a vertex without area.");

  py::class_<Sway>(m, "Sway",
                   "Masses on springs to the coarse vertices; arrays are views. Both empty without `params.sway`.")
      .def_property_readonly(
          "offsets", [](const py::object& self) { return view_matrix(py::cast<const Sway&>(self).offsets, self); },
          "(n, 3): how far each is from its vertex.")
      .def_property_readonly(
          "speeds", [](const py::object& self) { return view_matrix(py::cast<const Sway&>(self).speeds, self); },
          "(n, 3): velocities over 2π / `params.sway`, lengths.");

  py::class_<Trail>(m, "Trail", "By how much the garment trails its guide; a view. Empty for a set that does not.")
      .def_property_readonly(
          "offsets", [](const py::object& self) { return view_matrix(py::cast<const Trail&>(self).offsets, self); },
          "(n, 3): how far each coarse vertex is behind its place.");

  py::class_<ExampleState, State, std::shared_ptr<ExampleState>>(
      m, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.")
      .def_property_readonly(
          "surface", [](const ExampleState& self) -> const Synthesised& { return self.surface(); },
          py::return_value_policy::reference_internal,
          "`Synthesised`, with the weights after the lag. With `compute` gpu it is made when it is first asked for.")
      .def_property_readonly(
          "pose_weights",
          [](const py::object& self) { return view_matrix(py::cast<const ExampleState&>(self).pose_weights(), self); },
          "(k, P) where weights are computed, after the lag.")
      .def_property_readonly(
          "sway", [](const ExampleState& self) -> const Sway& { return self.sway(); },
          py::return_value_policy::reference_internal, "`Sway`: how far the garment lags and swings as a whole.")
      .def_property_readonly(
          "trail", [](const ExampleState& self) -> const Trail& { return self.trail(); },
          py::return_value_policy::reference_internal, "`Trail`: how far the garment is behind its guide.")
      .def_property_readonly(
          "detail", [](const ExampleState& self) -> const ExampleDetail& { return self.detail(); },
          py::return_value_policy::reference_internal, "The surface, an ExampleDetail.")
      .def("__repr__", [](const ExampleState& self) {
        return message("<State, frame ", self.frame, " at ", self.time, " s, ",
                       self.detail().subdivision()->fine()->vertex_count(), " vertices>");
      });

  py::class_<ByExample, Method>(m, "ByExample", R"(The whole method: the detail of recorded poses, frame after frame.

The weights of the poses follow those of the deformation with a time constant of `params.lag`; with `params.sway` the garment
follows its guide on damped springs of that period. `params.trained`, the name of a file, is not read.

Args:
    synthesis: A Synthesis, which is copied.
    params: A Params of this module.
    shared: Vertices that the rest of the character has as well; with `params.sewn` they stay where they are.

Raises:
    ValueError: For parameters out of range and vertices that there are not.)")
      .def(py::init([](const BoundSynthesis& synthesis, const byexample::Params& params, const ArrayLike& shared) {
             return ByExample(synthesis.core, params, input_list<std::int32_t>(shared, -1, "shared"));
           }),
           py::arg("synthesis"), py::arg("params") = byexample::Params{}, py::arg("shared") = py::tuple())
      .def_property_readonly("params", &ByExample::params, "What the run was made with.")
      .def("advance", &advance<ByExample>, py::arg("positions"), py::arg("time"), kAdvanceDoc)
      .def_property_readonly("state",
                             reading<ByExample>("run", [](const ByExample& self) { return shared_state(self); }),
                             "Of the last frame.")
      .def_static(
          "restore", [](const py::bytes& bytes) { return ByExample::restore(std::string_view(bytes)); },
          py::arg("bytes"),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.")
      .def("__repr__",
           [](const ByExample& self) {
             return message("<ByExample, ", self.synthesis().details().size(), " poses, ",
                            self.synthesis().subdivision().fine()->vertex_count(), " vertices>");
           })
      .def(py::pickle([](const ByExample& self) { return saved(self); },
                      [](const py::bytes& bytes) { return ByExample::restore(std::string_view(bytes)); }));
}

}  // namespace

void register_byexample(py::module_& m) {
  py::module_ byexample = m.def_submodule(
      "_byexample", "Wrinkles by example (Zurdo, Brito and Otaduy 2013): detail of recorded poses on any deformation.");
  register_loop(byexample);
  register_features(byexample);
  register_pose_space(byexample);
  register_regression(byexample);
  register_smooth_surface(byexample);
  register_synthesis(byexample);
  register_run_by_example(byexample);
  register_trained(byexample);
}

}  // namespace pucker::bindings
