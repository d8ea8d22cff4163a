#include "byexample.h"

namespace pucker::bindings {

void register_synthesis(py::module_& m) {
  bind_enum<WeightPlaces>(m, "WeightPlaces",
                          "Where weights are computed: at the vertices of the feature mesh, from which they spread "
                          "linearly, or at all vertices of the smooth mesh.");

  py::class_<Synthesised, std::shared_ptr<Synthesised>>(m, "Synthesised",
                                                        "What one deformation gave; the arrays are views.")
      .def("__repr__",
           [](const Synthesised& self) {
             return message("<Synthesised, ", self.positions.rows(), " vertices, weights of ", self.pose_weights.cols(),
                            " poses>");
           })
      .def_property_readonly(
          "features", [](const py::object& self) { return view(py::cast<const Synthesised&>(self).features, self); },
          "(e,) the feature vector.")
      .def_property_readonly(
          "pose_weights",
          [](const py::object& self) { return view_matrix(py::cast<const Synthesised&>(self).pose_weights, self); },
          "(k, P) where weights are computed.")
      .def_property_readonly(
          "detail", [](const py::object& self) { return view_matrix(py::cast<const Synthesised&>(self).detail, self); },
          "(N, 3) in the frames of the smooth surface.")
      .def_property_readonly(
          "positions",
          [](const py::object& self) { return view_matrix(py::cast<const Synthesised&>(self).positions, self); },
          "(N, 3) of the detailed surface.");

  py::class_<BoundSynthesis>(m, "Synthesis", R"(Detail from example poses on the smooth surface of any deformation.

At a pose whose weights are its own alone the result is that pose's fine surface; turning or shifting the feature mesh turns
and shifts the result alike (Zurdo 2013, sections 4 and 5.2).

Args:
    mesh: The feature mesh.
    levels: How often it is subdivided.
    rest: (n, 3) of the feature mesh.
    poses: (P, n, 3) of the feature mesh.
    details: (P, N, 3) in the frames of the smooth surface, as `SmoothSurface.detail_of` gives them.
    places: `WeightPlaces` or its name.
    falloff, edges: As `Features.metric`.
    kernel, equal: As `PoseSpace`.
    regression: Where weights come from instead of a pose space, of the same mesh; `poses` are then those of its centres,
        and there are as many details as it has weights for.
    trail: Seconds by which the examples' cloth trails its guide, which the details leave out.

Raises ValueError for shapes that do not fit, numbers that are not finite, and what `Features` and `PoseSpace` refuse.)")
      .def(
          py::init([](const Mesh& mesh, int levels, const ArrayLike& rest, const ArrayLike& poses,
                      const ArrayLike& details, const py::object& places, double falloff, std::int32_t edges,
                      const py::object& kernel, const py::object& equal, const py::object& regression, double trail) {
            const SynthesisOptions options{.places = member_from<WeightPlaces>(places, "places"),
                                           .metric = {.falloff = falloff, .edges = edges},
                                           .pose_space = {.kernel = member_from<Kernel>(kernel, "kernel"),
                                                          .equal = member_from<EqualPoses>(equal, "equal")},
                                           .trail = trail};
            const Array3 points = input_positions(mesh, rest, "rest");
            const std::vector<Array3> shapes = input_stack(poses, py::ssize_t(mesh.vertex_count()), "poses");
            std::vector<Array3> fine = input_stack(details, -1, "details");
            const auto* learned = regression.is_none() ? nullptr : &py::cast<const Regression&>(regression);
            const Unlocked unlocked;
            if (learned != nullptr)
              return BoundSynthesis{Synthesis(mesh.shared_from_this(), levels, points, shapes, std::move(fine),
                                              learned->tables(), options)};
            return BoundSynthesis{Synthesis(mesh.shared_from_this(), levels, points, shapes, std::move(fine), options)};
          }),
          py::arg("mesh"), py::arg("levels"), py::arg("rest"), py::arg("poses"), py::arg("details"), py::kw_only(),
          py::arg("places") = "sparse", py::arg("falloff") = MetricOptions{}.falloff,
          py::arg("edges") = MetricOptions{}.edges, py::arg("kernel") = "distance", py::arg("equal") = "refuse",
          py::arg("regression") = py::none(), py::arg("trail") = 0.0)
      .def_property_readonly(
          "features", [](const BoundSynthesis& self) -> const Features& { return self.core.features(); },
          py::return_value_policy::reference_internal, "Of the feature mesh.")
      .def_property_readonly(
          "pose_space", [](const BoundSynthesis& self) -> const PoseSpace& { return self.core.pose_space(); },
          py::return_value_policy::reference_internal,
          "Of the poses. Raises ValueError where weights come from a regression.")
      .def_property_readonly(
          "regression", [](const BoundSynthesis& self) { return self.core.regression(); },
          py::return_value_policy::reference_internal, "Where weights come from; None for a pose space.")
      .def("__repr__",
           [](const BoundSynthesis& self) {
             return message("<Synthesis, ", self.core.details().size(), " poses, ",
                            self.core.subdivision().fine()->vertex_count(), " vertices>");
           })
      .def(
          "copy",
          [](const BoundSynthesis& self) {
            const Reading call(self, "Synthesis");
            const Unlocked unlocked;
            return BoundSynthesis{self.core};
          },
          "Another one of the same numbers, for use beside this one.")
      .def_property_readonly(
          "subdivision",
          [](const BoundSynthesis& self) {
            return std::const_pointer_cast<LoopSubdivision>(self.core.share_subdivision());
          },
          "The `LoopSubdivision` of the feature mesh.")
      .def(
          "step",
          [](BoundSynthesis& self, const ArrayLike& positions, const MaybeArray& before, const py::object& seconds,
             const MaybeArray& guide) {
            const Mesh& mesh = *self.core.features().mesh();
            const Array3 points = input_positions(mesh, positions);
            const PositionsBefore moved(mesh, before, seconds);
            const std::optional<Array3> from = input_guide(mesh, guide);
            const Array3* const displaced = from ? &*from : nullptr;
            const Changing call(self, "Synthesis");
            // Python has what weighs too.
            if (const Regression* regression = self.core.regression()) {
              const Changing weights(*regression, "Regression");
              const Unlocked unlocked;
              return self.step(points, moved.get(), displaced);
            }
            const Changing weights(self.core.pose_space(), "PoseSpace");
            const Unlocked unlocked;
            return self.step(points, moved.get(), displaced);
          },
          py::arg("positions"), py::arg("before") = py::none(), py::arg("seconds") = py::none(),
          py::arg("guide") = py::none(),
          "The detailed surface over feature positions (n, 3): `Synthesised`; it stays as it is. A regression takes "
          "the velocity from the positions `before`, so many seconds ago; without them nothing moves. One whose "
          "displacements count takes these from the `guide` (n, 3), and raises ValueError without it.")
      .def(
          "spread",
          [](const BoundSynthesis& self, const ArrayLike& pose_weights) {
            const Table weights = input_table(pose_weights, py::ssize_t(self.core.details().size()), "pose_weights");
            Table out;
            const Reading call(self, "Synthesis");
            self.core.spread(weights, out);
            return copy_matrix(out);
          },
          py::arg("pose_weights"), "(N, P): weights (k, P) as they reach the vertices of the smooth mesh.");
}

}  // namespace pucker::bindings
