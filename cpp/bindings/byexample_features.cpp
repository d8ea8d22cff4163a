#include "byexample.h"

namespace pucker::bindings {

void register_features(py::module_& m) {
  py::class_<Features, std::shared_ptr<Features>>(
      m, "Features",
      R"(The feature vector of a mesh: the length of each edge against that at rest (Zurdo 2013, equation 1).

Args:
    mesh: The feature mesh.
    rest: (n, 3) its positions at rest.

Raises ValueError for another shape, positions that are not finite, a mesh without edges, and an edge without length.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& rest) {
             return std::make_shared<Features>(mesh.shared_from_this(), input_positions(mesh, rest, "rest"));
           }),
           py::arg("mesh"), py::arg("rest"))
      .def_property_readonly(
          "mesh", [](const Features& self) { return std::const_pointer_cast<Mesh>(self.mesh()); }, "The feature mesh.")
      .def_property_readonly(
          "rest", [](const py::object& self) { return view_matrix(py::cast<const Features&>(self).rest(), self); },
          "(n, 3), a view.")
      .def_property_readonly(
          "rest_lengths",
          [](const py::object& self) { return view(py::cast<const Features&>(self).rest_lengths(), self); },
          "(e,) in the unit of `rest`; a view.")
      .def_property_readonly("mean_length", &Features::mean_length, "Mean of `rest_lengths`.")
      .def("__repr__",
           [](const Features& self) {
             return message("<Features, ", self.rest_lengths().size(), " edges, ", self.mean_length(),
                            " units of length at rest on average>");
           })
      .def(
          "stretch",
          [](const Features& self, const ArrayLike& positions) {
            std::vector<double> out;
            self.stretch(input_positions(*self.mesh(), positions), out);
            return copy(out);
          },
          py::arg("positions"), "(e,) the feature vector f of positions (n, 3), 1 at rest.")
      .def(
          "metric",
          [](const Features& self, const ArrayLike& points, double falloff, std::int32_t edges) {
            const Array3 places = input_array3(points, -1, "points");
            auto out = std::make_unique<SparseRows>([&] {
              const Unlocked unlocked;
              return self.metric(places, {.falloff = falloff, .edges = edges});
            }());
            const SparseRows* rows = out.get();
            return BoundRows{rows, py::capsule(out.release(), [](void* p) { delete static_cast<SparseRows*>(p); })};
          },
          py::arg("points"), py::kw_only(), py::arg("falloff") = MetricOptions{}.falloff,
          py::arg("edges") = MetricOptions{}.edges,
          R"((k, e) SparseRows: how much each edge counts at points (k, 3) of the rest pose; rows sum to 1.

m̄ = exp(-falloff detour / mean length) (Bickel et al. 2008), the detour being how much longer the way from one end of the
edge to the other becomes by the point, of which the
`edges` largest are kept. Raises ValueError for another shape, points that are not finite, and options out of range.)");
}

}  // namespace pucker::bindings
