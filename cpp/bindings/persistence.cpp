#include "pucker/dynamic/persistence.h"

#include "dynamic.h"

namespace pucker::bindings {

namespace {

constexpr const char* kStage = "persistence";

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
                    "How far segments deviate from the compression's ridges: Σ α ((p[i+1] - p[i])·e)².")
      .def_readonly("motion", &PathEnergy::motion, "How far points slide along their edges: Σ (t - t')².")
      .def_readonly(
          "shape", &PathEnergy::shape,
          "How far the path changes its shape: the sum of the squares of L - L', L the Laplacian of its points.")
      .def_property_readonly("sum", &PathEnergy::sum, "Of the three terms.");

  py::class_<OwnedMotion>(m, "Motion", "What happened to the cloth between two frames: what paths are carried through.")
      .def(
          py::init([](OwnedField& field, const ArrayLike& previous_positions, const Stretch& stretch, double dt,
                      double edge_length) {
            const Mesh& mesh = *field.mesh;
            OwnedMotion out{field.shared_from_this(),
                            input_positions(mesh, previous_positions, "previous_positions"),
                            {},
                            stretch,
                            edge_length,
                            dt};
            require_positions(mesh, out.previous_positions);
            local_frames(mesh, out.previous_positions, out.previous_frames);
            require(std::int64_t(stretch.minimum.size()) == mesh.triangle_count(),
                    "stretch must have one entry a triangle: ", mesh.triangle_count(), ", got ",
                    stretch.minimum.size());
            require_duration(dt);
            require(std::isfinite(edge_length) && edge_length >= 0, "edge_length must be finite and at least 0, got ",
                    edge_length);
            return out;
          }),
          py::arg("field"), py::arg("previous_positions"), py::arg("stretch"), py::arg("dt"), py::arg("edge_length"),
          "From `previous_positions` (n, 3) to those of `field`, `dt` seconds later. `stretch`: of the previous to the "
          "current triangles, per reference interval; its directions are not used. `edge_length`: the unit of length "
          "of the energy, the mean edge length of the mesh. Raises ValueError for positions that are not finite or "
          "have a wrong shape, a stretch of another mesh, a `dt` that is not above 0 and an edge length below 0.")
      .def_property_readonly(
          "field", [](const OwnedMotion& self) { return self.field; }, "CompressionField of the current frame.")
      .def_readonly("dt", &OwnedMotion::dt, "Seconds between the frames.")
      .def_readonly("edge_length", &OwnedMotion::edge_length, "Unit of length of the energy.")
      .def("__repr__", [](const OwnedMotion& self) {
        return message("Motion(", self.field->mesh->triangle_count(), " triangles, ", self.dt, " s)");
      });

  py::class_<Persistence>(m, "Persistence", "Carries wrinkle paths from one frame to the next (Gillette 2015, 5.2).")
      .def(
          py::init([](const Mesh& mesh, const Params& params) { return Persistence(mesh.shared_from_this(), params); }),
          py::arg("mesh"), py::arg("params"))
      .def(
          "step",
          [](Persistence& self, const std::vector<PlacedWrinkle>& wrinkles, const OwnedMotion& motion,
             std::int64_t next_id) {
            require_mesh(*self.mesh(), *motion.field, kStage);
            std::vector<Wrinkle> list = plain(*self.mesh(), wrinkles);
            const Changing call(self, "Persistence");
            auto occupied = std::make_shared<SegmentIndex>(*self.mesh());
            motion.with([&](const Motion& view) { self.step(view, *occupied, next_id, list); });
            return py::make_tuple(placed(list, motion.field->positions), occupied, next_id);
          },
          py::arg("wrinkles"), py::arg("motion"), py::arg("next_id") = 0,
          "Moves, merges, trims and lengthens `wrinkles`. Returns (wrinkles, occupied, next_id). Raises ValueError "
          "for a motion of another mesh.")
      .def(
          "solve",
          [](Persistence& self, const PlacedWrinkle& wrinkle, const OwnedMotion& motion) {
            require_mesh(*self.mesh(), *motion.field, kStage);
            require_path(*self.mesh(), wrinkle.wrinkle);
            std::vector<double> t;
            const Changing call(self, "Persistence");
            motion.with([&](const Motion& view) { self.solve(view, wrinkle.wrinkle, t); });
            return copy(t);
          },
          py::arg("wrinkle"), py::arg("motion"),
          "(k,): the minimiser of the energy, not restricted to [0, 1]. Of points that lie near the same vertex "
          "only one is free, the others keep their t, so that the energy of all points need not fall.")
      .def(
          "solve_in_space",
          [](Persistence& self, const PlacedWrinkle& wrinkle, const OwnedMotion& motion) {
            require_mesh(*self.mesh(), *motion.field, kStage);
            require_path(*self.mesh(), wrinkle.wrinkle);
            std::vector<Vector3> points;
            const Changing call(self, "Persistence");
            motion.with([&](const Motion& view) { self.solve_in_space(view, wrinkle.wrinkle, points); });
            return copy_rows(points);
          },
          py::arg("wrinkle"), py::arg("motion"),
          "(k, 3): the minimiser of the second solution's energy (Gillette 2015, equation 5.3), points in space that "
          "the method `projection` then carries back onto the mesh.")
      .def(
          "energy",
          [](Persistence& self, const PlacedWrinkle& wrinkle, const OwnedMotion& motion, const ArrayLike& t) {
            require_mesh(*self.mesh(), *motion.field, kStage);
            require_path(*self.mesh(), wrinkle.wrinkle);
            const std::vector<double> parameters = input_list<double>(t, py::ssize_t(wrinkle.wrinkle.size()), "t");
            PathEnergy out;
            const Changing call(self, "Persistence");
            motion.with([&](const Motion& view) { out = self.energy(view, wrinkle.wrinkle, parameters); });
            return out;
          },
          py::arg("wrinkle"), py::arg("motion"), py::arg("t"), "The energy's terms for path parameters `t` (k,).");
}

}  // namespace pucker::bindings
