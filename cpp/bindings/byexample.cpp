#include "byexample.h"

namespace pucker::bindings {

void register_loop(py::module_& m);
void register_features(py::module_& m);
void register_pose_space(py::module_& m);
void register_regression(py::module_& m);
void register_smooth_surface(py::module_& m);
void register_detail_code(py::module_& m);
void register_synthesis(py::module_& m);
void register_trained(py::module_& m);

namespace {

void register_run_by_example(py::module_& m) {
  bind_enum<Compute>(m, "Compute", "Where surfaces are made.");
  bind_tree<byexample::Params>(m, "Params",
                               "Every number a run by example depends on besides its clip: one frozen tree.");

  py::class_<GuideCloth>(m, "GuideCloth", R"(The coarse mesh as cloth, held to the guide as the examples' cloth is.

It is brought into balance before detail is predicted for it: what finer cloth adds to that depends on less.

Args:
    params: A `drape.Params` of at most one level, without contact and maps.
    cut: (n, 3), the pose that the garment was cut for.

Raises:
    ValueError: For a cut of another shape.)")
      .def(py::init([](const drape::Params& params, const ArrayLike& cut) {
             return GuideCloth{.params = params, .cut = input_array3(cut, -1, "cut")};
           }),
           py::arg("params"), py::arg("cut"))
      .def_readonly("params", &GuideCloth::params, "Of the cloth.")
      .def_property_readonly(
          "cut", [](const py::object& self) { return view_matrix(py::cast<const GuideCloth&>(self).cut, self); },
          "(n, 3): the pose that the garment was cut for.")
      .def(
          "on",
          [](const GuideCloth& self, const Mesh& mesh, const ArrayLike& shared) {
            return self.on(mesh.shared_from_this(), input_list<std::int32_t>(shared, -1, "shared"));
          },
          py::arg("mesh"), py::arg("shared") = py::tuple(), R"(A `drape.Drape` of the mesh, before its first frame.

`shared` are vertices that the rest of the character has as well, which stay on the guide.

Raises:
    ValueError: For parameters of more than one level, with contact or maps, and a cut of another mesh.)")
      .def(
          "balances",
          [](const GuideCloth& self, const Mesh& mesh, const ArrayLike& positions, const ArrayLike& times,
             const ArrayLike& shared) {
            const std::vector<Array3> frames = input_stack(positions, py::ssize_t(mesh.vertex_count()), "positions");
            const auto seconds = input_list<double>(times, py::ssize_t(frames.size()), "times");
            const auto kept = input_list<std::int32_t>(shared, -1, "shared");
            std::vector<Array3> out(frames.size());
            {
              const Unlocked unlocked;
              GuideBalance run(self.on(mesh.shared_from_this(), kept), kept);
              for (std::size_t k = 0; k < frames.size(); ++k) {
                run.advance(frames[k], seconds[k]);
                run.take(out[k]);
              }
            }
            return stacked(out, py::ssize_t(mesh.vertex_count()));
          },
          py::arg("mesh"), py::arg("positions"), py::arg("times"), py::arg("shared") = py::tuple(),
          R"(The cloth on one frame after the other, (frames, n, 3) of the mesh.

Of subdivided cloth x they are the least-squares fit by the subdivision matrix, (WᵀW)⁻¹ Wᵀ x, but for shared vertices.

Args:
    mesh: The coarse mesh.
    positions: (frames, n, 3) of the guide.
    times: (frames,) in seconds.
    shared: Vertices that the rest of the character has as well, which stay on the guide.

Raises:
    ValueError: As `on`, for shapes that do not fit and for times that do not grow.)")
      .def("__repr__", [](const GuideCloth& self) { return message("<GuideCloth of ", self.cut.rows(), " vertices>"); })
      .def(py::pickle([](const GuideCloth& self) { return py::make_tuple(self.params, copy_matrix(self.cut)); },
                      [](const py::tuple& of) {
                        return GuideCloth{.params = of[0].cast<drape::Params>(), .cut = input_array3(of[1], -1, "cut")};
                      }));

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
          "balance",
          [](const py::object& self) { return view_matrix(py::cast<const ExampleState&>(self).balance(), self); },
          "(n, 3): the coarse mesh that detail is put on, the guide's cloth; `positions` for a set without.")
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
    cloth: Of the guide, whose balance detail is predicted for; None: for the positions themselves.

Raises:
    ValueError: For parameters out of range, vertices that there are not, and a cut of another mesh.)")
      .def(py::init([](const BoundSynthesis& synthesis, const byexample::Params& params, const ArrayLike& shared,
                       const std::optional<GuideCloth>& cloth) {
             return ByExample(synthesis.core, params, input_list<std::int32_t>(shared, -1, "shared"), cloth);
           }),
           py::arg("synthesis"), py::arg("params") = byexample::Params{}, py::arg("shared") = py::tuple(),
           py::arg("cloth") = py::none())
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
  register_detail_code(byexample);
  register_synthesis(byexample);
}

void register_byexample_run(py::module_& m) {
  py::module_ byexample = py::reinterpret_borrow<py::module_>(m.attr("_byexample"));
  register_run_by_example(byexample);
  register_trained(byexample);
}

}  // namespace pucker::bindings
