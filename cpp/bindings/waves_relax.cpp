#include "waves.h"

namespace pucker::bindings {
namespace {

/// A number of each edge.
auto of_edges(double EdgePhase::*member) {
  return reading<Relax>([member](const Relax& self) {
    py::array_t<double> out(py::ssize_t(self.comparisons().size()));
    std::transform(self.comparisons().begin(), self.comparisons().end(), out.mutable_data(),
                   [member](const EdgePhase& comparison) { return comparison.*member; });
    return out;
  });
}

template <class T>
auto computed(void (Relax::*function)(std::vector<T>&) const) {
  return reading<Relax>([function](const Relax& self) {
    std::vector<T> out;
    (self.*function)(out);
    return copy(out);
  });
}

}  // namespace

void register_relax(py::module_& m) {
  py::class_<PhaseReport>(m, "PhaseReport", "What a global solution is worth.")
      .def_readonly("parts", &PhaseReport::parts, "Connected parts of the wrinkled cloth, each solved by itself.")
      .def_readonly("eigenvalue", &PhaseReport::eigenvalue,
                    "Largest of the parts' smallest eigenvalues, in [0, 2]; 0 = no error at all.")
      .def_readonly("residual", &PhaseReport::residual, "Largest ‖N y - λ y‖ of a part, for ‖y‖ = 1.")
      .def_readonly("products", &PhaseReport::products, "Solutions of the linear system that were needed.")
      .def("__repr__", [](const PhaseReport& r) {
        return message("<PhaseReport: ", r.parts, " parts, eigenvalue ", r.eigenvalue, ", residual ", r.residual, ", ",
                       r.products, " products>");
      });

  py::class_<Relax>(m, "Relax", R"(The phases of the waves, relaxed until the waves of neighbours meet.

E0 = 1/N Σ g_n d² over the neighbours n of a vertex 0, d the difference in cycles of both waves' phases halfway along
the edge, g_n = clamp(4 a_n - 0.2, 0, 1); a step is φ0 <- φ0 - ε ∂E0/∂φ0, every vertex from the phases before it
(Loviscach 2006, section 5.2). Steps are stable, and never raise `energy`, for ε <= 2π².

Args:
    mesh: The Mesh.
    params: A RelaxParams.
    seed: Key of the random phases.

Raises:
    ValueError: For parameters out of range, a step above 2π² among them.)")
      .def(py::init([](const Mesh& mesh, const RelaxParams& params, std::uint64_t seed) {
             return Relax(mesh.shared_from_this(), params, seed);
           }),
           "mesh"_a, "params"_a = RelaxParams{}, "seed"_a = 0)
      .def(
          "prepare",
          [](Relax& self, const PlaneWaves& waves, const ArrayLike& places, const py::object& coordinates) {
            const Array3 points = input_positions(*self.mesh(), places, "places");
            const auto measured = member_from<Coordinates>(coordinates, "coordinates");
            const Changing call(self, kKind<Relax>);
            const Unlocked unlocked;
            self.prepare(waves, points, measured);
          },
          "waves"_a, "places"_a, "coordinates"_a = "frame",
          "Takes the waves of a frame: from now on phases are compared over its edges between `places` (n, 3), the "
          "positions of the frame, or with `coordinates` = rest those of the rest pose. Raises ValueError for a wrong "
          "shape or a place that is not finite; nothing has changed then.")
      .def(
          "step",
          [](Relax& self, std::int64_t rounds) {
            const Changing call(self, kKind<Relax>);
            const Unlocked unlocked;
            self.step(rounds);
          },
          "rounds"_a = 1, "`rounds` steps of the descent. Raises ValueError below 0.")
      .def(
          "carry_on",
          [](Relax& self, const ArrayLike& kept) {
            const std::vector<std::uint8_t> marked = input_list<std::uint8_t>(kept, -1, "kept");
            const Changing call(self, kKind<Relax>);
            const Unlocked unlocked;
            return self.carry_on(marked);
          },
          "kept"_a,
          R"(Carries the phases of vertices that are true in `kept` (n,) on to the others that have a weight, ring by ring.

Each takes the mean of the phases that its neighbours of the rings before predict, then once more with those of its own
ring. Connected parts without a kept vertex are left alone; returns whether there are any. Raises ValueError for another length.)")
      .def(
          "carry_on_everywhere",
          [](Relax& self, const ArrayLike& kept) {
            const std::vector<std::uint8_t> marked = input_list<std::uint8_t>(kept, -1, "kept");
            const Changing call(self, kKind<Relax>);
            const Unlocked unlocked;
            self.carry_on_everywhere(marked);
          },
          "kept"_a,
          "As `carry_on`; parts without a kept vertex are given the phase of their first vertex, ring by ring.")
      .def(
          "solve",
          [](Relax& self) {
            const Changing call(self, kKind<Relax>);
            const Unlocked unlocked;
            return self.solve();
          },
          R"(Phases of least error of the whole frame at once, with every phase as a unit number z = (cos φ, sin φ).

The smallest eigenvector of the graph of the edges, weighted by g0 gn, that carries z from end to end. Returns a
PhaseReport. Raises pucker.Error if it was not found; the phases are then unchanged.)")
      .def_property(
          "phases", reading<Relax>([](const Relax& self) { return copy(self.phases()); }),
          [](Relax& self, const ArrayLike& phases) {
            const auto array = input<double>(phases, "phases");
            require_shape(array, {py::ssize_t(self.mesh()->vertex_count())}, "phases");
            const Changing call(self, kKind<Relax>);
            self.set_phases(span_of(array));
          },
          "(n,): φ in radians, the whole state. Setting it raises ValueError unless all are finite.")
      .def_property_readonly("influences", reading<Relax>([](const Relax& self) { return copy(self.influences()); }),
                             "(n,): g of each vertex.")
      .def_property_readonly("offsets", of_edges(&EdgePhase::offset),
                             "(e,): of each edge (a, b): sign·φ_b and φ_a should differ by -2π·offset.")
      .def_property_readonly("signs", of_edges(&EdgePhase::sign),
                             "(e,): -1 where the waves of an edge's ends run towards each other, else 1.")
      .def_property_readonly("differences", computed(&Relax::differences),
                             "(e,): d of each edge of the mesh in cycles, in [-1/2, 1/2], seen from its first vertex.")
      .def_property_readonly("errors", computed(&Relax::errors), "(n,): E0 of each vertex, in squared cycles.")
      .def_property_readonly("energy", reading<Relax>([](const Relax& self) { return self.energy(); }),
                             "Mean of d² over the edges, weighted by g0 gn, in squared cycles: what no step raises.")
      .def_property_readonly(
          "bifurcations", computed(&Relax::bifurcations),
          "(m,) int8: crests that end in each triangle; -1 where the directions do not agree on signs.")
      .def("__repr__", reading<Relax>([](const Relax& self) {
             return message("<Relax, ", self.phases().size(), " vertices, mean squared error ", self.energy(), ">");
           }));
}

}  // namespace pucker::bindings
