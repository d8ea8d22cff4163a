#include "pucker/dynamic/tracing.h"

#include "dynamic.h"
#include "pucker/dynamic/junctions.h"
#include "pucker/dynamic/path.h"

namespace pucker::bindings {

void register_tracing(py::module_& m) {
  py::class_<Seed>(m, "Seed", "A point at which a path may start.")
      .def(py::init([](std::int32_t triangle, const std::array<double, 3>& barycentrics) {
             return Seed{triangle, {barycentrics[0], barycentrics[1], barycentrics[2]}};
           }),
           py::arg("triangle"), py::arg("barycentrics"))
      .def_readonly("triangle", &Seed::triangle, "The triangle it lies in.")
      .def_property_readonly(
          "barycentrics",
          [](const Seed& self) {
            return std::array<double, 3>{self.barycentrics[0], self.barycentrics[1], self.barycentrics[2]};
          },
          "(3,): where in the triangle.");

  py::class_<OwnedField, std::shared_ptr<OwnedField>>(
      m, "CompressionField", "Positions and stretch of one frame: what paths are traced and moved through.")
      .def(py::init(&make_field), py::arg("mesh"), py::arg("positions"), py::arg("stretch"),
           py::arg("widths") = py::none(),
           "positions: (n, 3); stretch: from the reference to these positions; widths: (m,), of flat wrinkles, as\n"
           "wrinkle_widths has them, none: 1 everywhere. Raises ValueError for other shapes.")
      .def_property_readonly(
          "compression",
          [](const py::object& self) { return view(py::cast<const OwnedField&>(self).compression, self); },
          "(m,): 1 / minimum stretch; 1 for triangles that cannot be measured; a view.")
      .def_property_readonly(
          "positions",
          [](const py::object& self) { return view_matrix(py::cast<const OwnedField&>(self).positions, self); },
          "(n, 3); a view.")
      .def_property_readonly(
          "widths",
          [](const OwnedField& self) -> std::optional<py::array_t<double>> {
            return self.widths.empty() ? std::nullopt : std::optional(copy(self.widths));
          },
          "(m,): of flat wrinkles, in flat widths of the parameters; None: 1 everywhere.")
      .def_property_readonly(
          "stretch", [](const OwnedField& self) -> const Stretch& { return self.stretch; },
          py::return_value_policy::reference_internal, "From the reference to the positions.");

  py::class_<SegmentIndex, std::shared_ptr<SegmentIndex>>(m, "SegmentIndex",
                                                          "The segments of living paths by triangle.")
      .def(py::init<const Mesh&>(), py::arg("mesh"))
      .def(
          "insert",
          [](SegmentIndex& self, const OwnedField& field, const PlacedWrinkle& wrinkle) {
            const Changing call(self, "SegmentIndex");
            require_index(self, field);
            require_path(*field.mesh, wrinkle.wrinkle);
            insert_path(field.field(), wrinkle.wrinkle, self);
          },
          py::arg("field"), py::arg("wrinkle"), "Takes up all segments of the path as it lies in `field`.")
      .def(
          "crossed_by",
          [](const SegmentIndex& self, const OwnedField& field, const PlacedWrinkle& wrinkle) {
            const Reading call(self, "SegmentIndex");
            require_index(self, field);
            require_path(*field.mesh, wrinkle.wrinkle);
            return crosses_any(field.field(), wrinkle.wrinkle, self);
          },
          py::arg("field"), py::arg("wrinkle"),
          "Whether the path crosses or touches a segment of another wrinkle, by id, or one of its own.");

  m.def(
      "require_path", [](const Mesh& mesh, const PlacedWrinkle& wrinkle) { require_path(mesh, wrinkle.wrinkle); },
      py::arg("mesh"), py::arg("wrinkle"),
      "Raises ValueError, naming the first broken rule, unless every point lies on its edge or in its triangle, "
      "consecutive points share the segment's triangle, inner points lie on edges, and sizes are finite, widths above "
      "0 and heights at least 0.");
  m.def(
      "smooth_path",
      [](const OwnedField& field, const PlacedWrinkle& wrinkle) {
        require_path(*field.mesh, wrinkle.wrinkle);
        Wrinkle out = wrinkle.wrinkle;
        smooth_path(*field.mesh, field.frames, out);
        return placed(std::move(out), field.positions);
      },
      py::arg("field"), py::arg("wrinkle"),
      "One tangential Laplacian step: every inner point moves half way to where the straight line between its "
      "neighbours meets its edge, the two triangles laid flat; all from the old points. Points stay on their edges.");

  const auto checked_seed = [](const OwnedField& field, const Seed& seed) {
    require(seed.triangle >= 0 && seed.triangle < field.mesh->triangle_count(), "a seed's triangle must lie in [0, ",
            field.mesh->triangle_count(), "), got ", seed.triangle);
    require(seed.barycentrics.allFinite() && seed.barycentrics.minCoeff() >= 0 &&
                std::fabs(seed.barycentrics.sum() - 1) < 1e-9,
            "a seed's barycentric coordinates must be at least 0 and sum to 1, got ", seed.barycentrics.transpose());
    require(field.frames.area(std::size_t(seed.triangle)) > 0, "a seed's triangle must have area, triangle ",
            seed.triangle, " has none");
  };
  py::class_<Tracer>(m, "Tracer", "Starts wrinkle paths and traces them across the compression (Gillette 2015, 5.1).")
      .def(py::init([](const Mesh& mesh, const Params& params) { return Tracer(mesh.shared_from_this(), params); }),
           py::arg("mesh"), py::arg("params"))
      .def(
          "seed",
          [](Tracer& self, const OwnedField& field, std::int64_t frame) {
            require_mesh(self.mesh(), field, "tracer");
            std::vector<Seed> out;
            const Changing call(self, "Tracer");
            const Unlocked unlocked;
            self.seeds(field.field(), frame, out);
            return out;
          },
          py::arg("field"), py::arg("frame") = 0,
          "The points tried in a frame, the most compressed triangle first. They depend on (params.seed, triangle, "
          "attempt) only; `frame` counts if params.verbatim.")
      .def(
          "trace",
          [checked_seed](Tracer& self, const Seed& seed, const OwnedField& field, const SegmentIndex* occupied,
                         std::int64_t id) -> std::optional<PlacedWrinkle> {
            require_mesh(self.mesh(), field, "tracer");
            checked_seed(field, seed);
            const Changing call(self, "Tracer");
            std::optional<SegmentIndex> none;
            const SegmentIndex& index = occupied != nullptr ? *occupied : none.emplace(*field.mesh);
            const Reading index_call(index, "SegmentIndex");
            require_index(index, field);
            const Unlocked unlocked;
            Trace trace = self.trace(field.field(), seed, index, id);
            if (!trace.wrinkle) return std::nullopt;
            PlacedWrinkle out = placed(std::move(*trace.wrinkle), field.positions);
            out.ends = trace.ends;
            return out;
          },
          py::arg("seed"), py::arg("field"), py::arg("occupied") = py::none(), py::arg("id") = 0,
          "The path through `seed`, traced both ways and smoothed once, heights 0; None if it is too short. Its `ends` "
          "say "
          "why the two walks ended.")
      .def(
          "grow",
          [](Tracer& self, const OwnedField& field, const std::vector<PlacedWrinkle>& wrinkles, SegmentIndex& occupied,
             std::int64_t frame, std::int64_t next_id) {
            require_mesh(self.mesh(), field, "tracer");
            std::vector<Wrinkle> list = plain(*field.mesh, wrinkles);
            const Changing call(self, "Tracer");
            const Changing index_call(occupied, "SegmentIndex");
            require_index(occupied, field);
            auto grown = [&] {
              const Unlocked unlocked;
              CurveIndex curves;
              curves.reset(index_radius(self.params()));
              const std::size_t alive = insert_living(list, curves_of(list, field), curves);
              self.grow(field.field(), frame, alive, occupied, curves, next_id, list);
              return placed(list, field.positions);
            }();
            return py::make_tuple(std::move(grown), next_id);
          },
          py::arg("field"), py::arg("wrinkles"), py::arg("occupied"), py::arg("frame"), py::arg("next_id"),
          "Seeds and traces all new paths of a frame. Returns (wrinkles, next_id); `occupied` takes the new paths up.");
}

}  // namespace pucker::bindings
