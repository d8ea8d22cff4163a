#include "pucker/dynamic/persistence.h"

#include "dynamic.h"

namespace pucker::bindings {

namespace {

/// The arrays a Motion refers to, owned.
struct OwnedMotion {
  std::shared_ptr<OwnedField> field;
  Array3 previous_positions;
  LocalFrames previous_frames;
  Stretch stretch;
  double edge_length;
  double dt;

  /// Calls `use(motion)` without the GIL.
  template <class Use>
  void with(Use&& use) const {
    const Unlocked unlocked;
    const CompressionField view = field->field();
    use(Motion{previous_positions, previous_frames, view, stretch, edge_length, dt});
  }
};

}  // namespace

void register_persistence(py::module_& m) {
  py::class_<PathEnergy>(m, "PathEnergy", "The terms of the energy that places a path (Gillette 2015, equation 5.2).")
      .def_readonly("alignment", &PathEnergy::alignment,
                    "How far segments stray from the compression's ridges: Σ α ((p[i+1] - p[i])·e)².")
      .def_readonly("motion", &PathEnergy::motion, "How far points slide along their edges: Σ (t - t')².")
      .def_readonly(
          "shape", &PathEnergy::shape,
          "How far the path changes its shape: the sum of the squares of L - L', L the Laplacian of its points.")
      .def_property_readonly("sum", &PathEnergy::sum, "Of the three terms.");

  const auto motion_of = [](const Persistence& self, const py::object& previous_positions, const py::object& positions,
                            const Stretch& stretch, const Stretch& motion, double dt, double edge_length) {
    const Mesh& mesh = *self.mesh();
    OwnedMotion out{make_field(mesh, positions, stretch),
                    input_positions(mesh, previous_positions, "previous_positions"),
                    {},
                    motion,
                    edge_length,
                    dt};
    require_positions(mesh, out.previous_positions);
    local_frames(mesh, out.previous_positions, out.previous_frames);
    require(std::int64_t(motion.minimum.size()) == mesh.triangle_count(),
            "motion must have one entry a triangle: ", mesh.triangle_count(), ", got ", motion.minimum.size());
    require_duration(dt);
    require(std::isfinite(edge_length) && edge_length >= 0, "edge_length must be finite and at least 0, got ",
            edge_length);
    return out;
  };
  py::class_<Persistence>(m, "Persistence", "Carries wrinkle paths from one frame to the next (Gillette 2015, 5.2).")
      .def(
          py::init([](const Mesh& mesh, const Params& params) { return Persistence(mesh.shared_from_this(), params); }),
          py::arg("mesh"), py::arg("params"))
      .def(
          "step",
          [motion_of](Persistence& self, const std::vector<PlacedWrinkle>& wrinkles,
                      const py::object& previous_positions, const py::object& positions, const Stretch& stretch,
                      const Stretch& motion, double dt, double edge_length, std::int64_t next_id) {
            const OwnedMotion owned = motion_of(self, previous_positions, positions, stretch, motion, dt, edge_length);
            std::vector<Wrinkle> list = plain(*self.mesh(), wrinkles);
            const Changing call(self, "Persistence");
            auto occupied = std::make_shared<SegmentIndex>(*self.mesh());
            owned.with([&](const Motion& view) { self.step(view, *occupied, next_id, list); });
            return py::make_tuple(placed(list, owned.field->positions), occupied, next_id);
          },
          py::arg("wrinkles"), py::arg("previous_positions"), py::arg("positions"), py::arg("stretch"),
          py::arg("motion"), py::arg("dt"), py::arg("edge_length"), py::arg("next_id") = 0,
          "Moves, merges, trims and lengthens `wrinkles` from `previous_positions` to `positions`, both (n, 3), `dt` "
          "seconds later. `stretch`: of reference to current triangles; `motion`: stretch of previous to current "
          "triangles per reference interval; `edge_length`: the energy's unit of length. Returns (wrinkles, occupied, "
          "next_id).")
      .def(
          "solve",
          [motion_of](Persistence& self, const PlacedWrinkle& wrinkle, const py::object& previous_positions,
                      const py::object& positions, const Stretch& stretch, const Stretch& motion, double dt,
                      double edge_length) {
            const OwnedMotion owned = motion_of(self, previous_positions, positions, stretch, motion, dt, edge_length);
            require_path(*self.mesh(), wrinkle.wrinkle);
            std::vector<double> t;
            const Changing call(self, "Persistence");
            owned.with([&](const Motion& view) { self.solve(view, wrinkle.wrinkle, t); });
            return copy(t);
          },
          py::arg("wrinkle"), py::arg("previous_positions"), py::arg("positions"), py::arg("stretch"),
          py::arg("motion"), py::arg("dt"), py::arg("edge_length"),
          "(k,): the minimiser of the energy, not restricted to [0, 1]; arguments as of step. Of points that lie near "
          "the same vertex only one is free, the others keep their t, so that the energy of all points need not fall.")
      .def(
          "solve_in_space",
          [motion_of](Persistence& self, const PlacedWrinkle& wrinkle, const py::object& previous_positions,
                      const py::object& positions, const Stretch& stretch, const Stretch& motion, double dt,
                      double edge_length) {
            const OwnedMotion owned = motion_of(self, previous_positions, positions, stretch, motion, dt, edge_length);
            require_path(*self.mesh(), wrinkle.wrinkle);
            std::vector<Vector3> points;
            const Changing call(self, "Persistence");
            owned.with([&](const Motion& view) { self.solve_in_space(view, wrinkle.wrinkle, points); });
            return copy_rows(points);
          },
          py::arg("wrinkle"), py::arg("previous_positions"), py::arg("positions"), py::arg("stretch"),
          py::arg("motion"), py::arg("dt"), py::arg("edge_length"),
          "(k, 3): the minimiser of the second solution's energy (Gillette 2015, equation 5.3), points in space that "
          "the method `projection` then carries back onto the mesh; arguments as of step.")
      .def(
          "energy",
          [motion_of](Persistence& self, const PlacedWrinkle& wrinkle, const py::object& t,
                      const py::object& previous_positions, const py::object& positions, const Stretch& stretch,
                      const Stretch& motion, double dt, double edge_length) {
            const OwnedMotion owned = motion_of(self, previous_positions, positions, stretch, motion, dt, edge_length);
            require_path(*self.mesh(), wrinkle.wrinkle);
            const std::vector<double> parameters = input_list<double>(t, py::ssize_t(wrinkle.wrinkle.size()), "t");
            PathEnergy out;
            const Changing call(self, "Persistence");
            owned.with([&](const Motion& view) { out = self.energy(view, wrinkle.wrinkle, parameters); });
            return out;
          },
          py::arg("wrinkle"), py::arg("t"), py::arg("previous_positions"), py::arg("positions"), py::arg("stretch"),
          py::arg("motion"), py::arg("dt"), py::arg("edge_length"),
          "The energy's terms for path parameters `t` (k,); other arguments as of step.");
}

}  // namespace pucker::bindings
