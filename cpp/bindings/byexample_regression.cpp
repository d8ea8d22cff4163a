#include "byexample.h"

namespace pucker::bindings {

void register_regression(py::module_& m) {
  py::class_<Regions>(m, "Regions", R"(A few points of a feature mesh, spread over it, and what vertices take from them.

Distances d are those along edges at rest. A vertex takes from its four nearest points in the proportion of
exp(-(1.5 d/h)^2), h being the distance of the vertex that is farthest from any.

Args:
    features: Of the mesh.
    points: (R,) vertices, or how many: then each is the vertex farthest from those before it, and the first is vertex 0.

Raises ValueError for no points, vertices that there are not, the same one twice, and a vertex that no point is connected
with.)")
      .def(py::init([](const Features& features, const ArrayLike& points) {
             if (py::isinstance<py::int_>(points)) return Regions::spread(features, py::cast<std::int64_t>(points));
             return Regions(features, input_list<std::int32_t>(points, -1, "points"));
           }),
           py::arg("features"), py::arg("points"))
      .def_property_readonly(
          "points", [](const py::object& self) { return view(py::cast<const Regions&>(self).points(), self); },
          "(R,) int32, a view.")
      .def_property_readonly(
          "shares",
          [](const py::object& self) {
            return BoundRows{&py::cast<const Regions&>(self).shares(), self};
          },
          "(n, R) SparseRows: how much each vertex takes from each point; rows sum to 1.")
      .def("__repr__", [](const Regions& self) {
        return message("<Regions, ", self.points().size(), " points of ", self.shares().rows(), " vertices>");
      });

  py::class_<Regression, std::shared_ptr<Regression>>(
      m, "Regression",
      R"(Weights of P details by kernel ridge regression on C recorded frames, at R points of the garment.

At a point the distance of a deformation f that moves with the velocity v from centre c is dist^2 = sum of
m_e (f_e - f_ce)^2 + motion^2 norm(v - v_c)^2 + displacement^2 sum of m_k norm(u_k - u_ck)^2, with the metric m_e of the point,
the displacement u_k of vertex k from the guide, and m_k half the sum of m_e over its edges. The weight of detail i > 0 is
a_0i + sum of a_ci exp(-dist_c/width). Detail 0, the mean, has the weight 1. Vertices take weights from points as `Regions`
says. Computed in single precision.

Args:
    features: Of the feature mesh.
    poses: (C, n, 3): the deformations of the centres.
    points: (R,) vertices of the feature mesh.
    velocities: (C, R, 3): those of the points in their frames, in mean edge lengths a second.
    coefficients: (R, 1 + C, P - 1): a_0i, then a_ci.
    width: Of the kernel, in stretch.
    motion: What a velocity of 1 counts, in stretch.
    displacements: (C, n, 3): where the vertices are beyond the guide, in the guide's frames and mean edge lengths; given where
        `displacement` is above 0, and only there.
    displacement: What one of 1 counts, in stretch.
    falloff, edges: As `Features.metric`.

Raises ValueError for shapes that do not fit each other, numbers that are not finite, and what `Regions` refuses.)")
      .def(py::init([](const Features& features, const ArrayLike& poses, const ArrayLike& points,
                       const ArrayLike& velocities, const ArrayLike& coefficients, double width, double motion,
                       const MaybeArray& displacements, double displacement, double falloff, std::int32_t edges) {
             RegressionTables tables;
             tables.points = input_list<std::int32_t>(points, -1, "points");
             tables.velocities = input_stack(velocities, py::ssize_t(tables.points.size()), "velocities");
             const auto values = input<double>(coefficients, "coefficients");
             require_shape(values, {py::ssize_t(tables.points.size()), -1, -1}, "coefficients");
             for (py::ssize_t point = 0; point < values.shape(0); ++point)
               tables.coefficients.emplace_back(Eigen::Map<const Table>(
                   values.data() + point * values.shape(1) * values.shape(2), values.shape(1), values.shape(2)));
             tables.width = width;
             tables.motion = motion;
             if (!displacements.is_none())
               tables.displacements =
                   input_stack(displacements, py::ssize_t(features.mesh()->vertex_count()), "displacements");
             tables.displacement = displacement;
             return std::make_shared<Regression>(
                 features, input_stack(poses, py::ssize_t(features.mesh()->vertex_count()), "poses"), std::move(tables),
                 MetricOptions{.falloff = falloff, .edges = edges});
           }),
           py::arg("features"), py::arg("poses"), py::arg("points"), py::arg("velocities"), py::arg("coefficients"),
           py::kw_only(), py::arg("width"), py::arg("motion") = 0.0, py::arg("displacements") = py::none(),
           py::arg("displacement") = 0.0, py::arg("falloff") = MetricOptions{}.falloff,
           py::arg("edges") = MetricOptions{}.edges)
      .def_property_readonly("regions", &Regression::regions, py::return_value_policy::reference_internal,
                             "The points, and how their weights reach the vertices.")
      .def_property_readonly("centre_count", &Regression::centre_count, "C")
      .def_property_readonly("detail_count", &Regression::detail_count, "P")
      .def(
          "weights",
          [](Regression& self, const Features& features, const ArrayLike& positions, const MaybeArray& before,
             const py::object& seconds, const MaybeArray& guide) {
            const Array3 points = input_positions(*features.mesh(), positions);
            const PositionsBefore moved(*features.mesh(), before, seconds);
            const std::optional<Array3> from = input_guide(*features.mesh(), guide);
            std::vector<double> stretches;
            features.stretch(points, stretches);
            Table out;
            const Changing call(self, "Regression");
            self.weights(stretches, points, moved.get(), out, from ? &*from : nullptr);
            return copy_matrix(out);
          },
          py::arg("features"), py::arg("positions"), py::arg("before") = py::none(), py::arg("seconds") = py::none(),
          py::arg("guide") = py::none(),
          "(n, P) weights of positions (n, 3), which moved there from those `before` in so many seconds, and are "
          "displaced from those of the `guide`.")
      .def("__repr__", [](const Regression& self) {
        return message("<Regression, ", self.centre_count(), " centres at ", self.regions().points().size(),
                       " points, weights of ", self.detail_count(), " details>");
      });
}

}  // namespace pucker::bindings
