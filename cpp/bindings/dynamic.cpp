#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.h"
#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/packing.h"
#include "pucker/dynamic/persistence.h"
#include "pucker/dynamic/reference.h"
#include "pucker/dynamic/shape.h"
#include "pucker/dynamic/stretch.h"
#include "pucker/dynamic/tracing.h"
#include "pucker/dynamic/wrinkler.h"

namespace pucker::bindings {

namespace {

/// A wrinkle together with where its points were when it was handed out.
struct PlacedWrinkle {
  Wrinkle wrinkle;
  Array3 points;
  double length = 0;
};

PlacedWrinkle placed(Wrinkle wrinkle, const Array3& positions) {
  PlacedWrinkle out;
  out.points.resize(Eigen::Index(wrinkle.size()), 3);
  for (std::size_t i = 0; i < wrinkle.size(); ++i)
    out.points.row(Eigen::Index(i)) = position(wrinkle.points[i], positions).transpose();
  out.length = path_length(wrinkle, positions);
  out.wrinkle = std::move(wrinkle);
  return out;
}

std::vector<PlacedWrinkle> placed(const std::vector<Wrinkle>& wrinkles, const Array3& positions) {
  std::vector<PlacedWrinkle> out;
  out.reserve(wrinkles.size());
  for (const Wrinkle& wrinkle : wrinkles) out.push_back(placed(wrinkle, positions));
  return out;
}

std::vector<Wrinkle> plain(const Mesh& mesh, const std::vector<PlacedWrinkle>& wrinkles) {
  std::vector<Wrinkle> out;
  out.reserve(wrinkles.size());
  for (const PlacedWrinkle& wrinkle : wrinkles) {
    require_path(mesh, wrinkle.wrinkle);
    out.push_back(wrinkle.wrinkle);
  }
  return out;
}

/// The arrays a CompressionField refers to, owned.
struct OwnedField {
  std::shared_ptr<const Mesh> mesh;
  Array3 positions;
  LocalFrames frames;
  Stretch stretch;
  std::vector<double> compression;

  CompressionField field() const { return {*mesh, positions, frames, stretch, compression}; }
};

/// Stages are set up for one mesh; with another one they would read past its arrays.
void require_mesh(const Mesh& own, const OwnedField& field, const char* stage) {
  require(field.mesh.get() == &own, "the field must be of the mesh the ", stage, " was made for, got one of ",
          field.mesh->vertex_count(), " vertices and ", field.mesh->triangle_count(), " triangles");
}

void require_index(const SegmentIndex& index, const OwnedField& field) {
  require(index.triangle_count() == field.mesh->triangle_count(), "occupied must be made for a mesh of ",
          field.mesh->triangle_count(), " triangles, got one for ", index.triangle_count());
}

PathCurve curve_of(const OwnedField& field, const Wrinkle& wrinkle) {
  require_path(*field.mesh, wrinkle);
  PathCurve out;
  path_curve(wrinkle, field.positions, field.frames, out);
  return out;
}

/// The steps by hand may be given any dt: there is no rate at which time runs backwards.
void require_duration(double dt) {
  require(std::isfinite(dt) && dt > 0, "dt must be a finite time above 0 s, got ", dt);
}

template <class Owner>
auto vectors(std::vector<Vector3> Owner::*list) {
  return [list](const Owner& self) {
    const std::vector<Vector3>& rows = self.*list;
    return py::array_t<double>({py::ssize_t(rows.size()), py::ssize_t(3)},
                               rows.empty() ? nullptr : rows.front().data());
  };
}

template <class Owner>
auto numbers(std::vector<double> Owner::*list) {
  return [list](const Owner& self) { return copy(self.*list); };
}

std::shared_ptr<OwnedField> make_field(const std::shared_ptr<Mesh>& mesh, const py::object& positions,
                                       const Stretch& stretch) {
  auto out = std::make_shared<OwnedField>();
  out->mesh = mesh;
  out->positions = input_array3(positions, mesh->vertex_count(), "positions");
  require_positions(*mesh, out->positions);
  require(std::int64_t(stretch.minimum.size()) == mesh->triangle_count(),
          "stretch must have one entry a triangle: ", mesh->triangle_count(), ", got ", stretch.minimum.size());
  out->stretch = stretch;
  const py::gil_scoped_release release;
  local_frames(*mesh, out->positions, out->frames);
  compression(out->stretch, {}, out->compression);
  return out;
}

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
    const py::gil_scoped_release release;
    const CompressionField view = field->field();
    use(Motion{previous_positions, previous_frames, view, stretch, edge_length, dt});
  }
};

/// One frame of a run as a notebook keeps it.
struct Snapshot {
  State state;
  Matrix2List reference;
  Array3 positions;
};

template <class Get>
auto wrinkle_list(Get get) {
  return [get](const PlacedWrinkle& self) { return get(self.wrinkle); };
}

py::array_t<std::int32_t> vertices_of(const Wrinkle& wrinkle) {
  py::array_t<std::int32_t> out({py::ssize_t(wrinkle.size()), py::ssize_t(2)});
  auto rows = out.mutable_unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    rows(i, 0) = wrinkle.points[std::size_t(i)].v0;
    rows(i, 1) = wrinkle.points[std::size_t(i)].v1;
  }
  return out;
}

template <class T, class Field>
py::array_t<T> point_field(const Wrinkle& wrinkle, Field PathPoint::*field) {
  py::array_t<T> out(py::ssize_t(wrinkle.size()));
  auto values = out.template mutable_unchecked<1>();
  for (py::ssize_t i = 0; i < values.shape(0); ++i) values(i) = wrinkle.points[std::size_t(i)].*field;
  return out;
}

py::array_t<double> at_points(const std::vector<double>& knots) {
  py::array_t<double> out(py::ssize_t(knots.size() / 2 + 1));
  auto values = out.mutable_unchecked<1>();
  for (py::ssize_t i = 0; i < values.shape(0); ++i) values(i) = knots[std::size_t(2 * i)];
  return out;
}

void register_stretch(py::module_& m) {
  py::class_<Stretch, std::shared_ptr<Stretch>>(
      m, "Stretch", "F = left . diag(maximum, minimum) . right^T for each triangle (Gillette 2015, equation 4.1).")
      .def_property_readonly(
          "minimum", [](const py::object& self) { return view(py::cast<const Stretch&>(self).minimum, self); },
          "(m,): smaller principal stretch, 1 = no deformation; a view.")
      .def_property_readonly(
          "maximum", [](const py::object& self) { return view(py::cast<const Stretch&>(self).maximum, self); },
          "(m,): larger principal stretch; a view.")
      .def_property_readonly(
          "left", [](const py::object& self) { return view(py::cast<const Stretch&>(self).left, self); },
          "(m, 2, 2): rotations; columns a_max, a_min in the current triangle's frame; a view.")
      .def_property_readonly(
          "right", [](const py::object& self) { return view(py::cast<const Stretch&>(self).right, self); },
          "(m, 2, 2): rotations; the same directions in the reference triangle's frame; a view.");
  m.def(
      "stretch",
      [](const py::object& reference, const py::object& current) {
        const Matrix2List a = input_matrices(reference, -1, "reference");
        const Matrix2List b = input_matrices(current, py::ssize_t(a.size()), "current");
        const py::gil_scoped_release release;
        return std::make_shared<Stretch>(stretch(a, b));
      },
      py::arg("reference"), py::arg("current"),
      "Principal stretches from reference to current triangles, both (m, 2, 2) with determinant >= 0. A triangle whose "
      "reference has no area has both stretches 1. Raises ValueError for other shapes, a triangle that is mirrored or "
      "not finite.");
  m.def(
      "rescale_rate",
      [](const Stretch& stretch, double exponent) {
        require(std::isfinite(exponent) && exponent > 0, "exponent must be finite and above 0, got ", exponent);
        Stretch out = stretch;
        rescale_rate(out, exponent);
        return out;
      },
      py::arg("stretch"), py::arg("exponent"),
      "The stretches to the power `exponent` = interval / dt: what a reference interval would have shown. Raises "
      "ValueError for an exponent that is not finite or not above 0.");
  m.def(
      "compression",
      [](const Stretch& stretch) {
        std::vector<double> out;
        compression(stretch, {}, out);
        return copy(out);
      },
      py::arg("stretch"),
      "(m,): compression 1 / minimum stretch of each triangle, 1 = none; exactly 1 for a triangle that has collapsed "
      "to less than 1e-6 of its reference.");
}

void register_reference(py::module_& m) {
  py::class_<ReferenceShape>(m, "ReferenceShape",
                             "A reference shape per triangle that remembers where the cloth is compressed "
                             "(Gillette 2015, section 4.3). Starts as the triangles of the first frame.")
      .def(py::init([](const Mesh& mesh, const py::object& current, const Params& params) {
             return ReferenceShape(input_matrices(current, mesh.triangle_count(), "current"), params);
           }),
           py::arg("mesh"), py::arg("current"), py::arg("params"), "current: (m, 2, 2) of local_frames.")
      .def_property_readonly(
          "matrices",
          [](const ReferenceShape& self) {
            const Matrix2List& matrices = self.matrices();
            return py::array_t<double>({py::ssize_t(matrices.size()), py::ssize_t(2), py::ssize_t(2)},
                                       reinterpret_cast<const double*>(matrices.data()));
          },
          "(m, 2, 2): a copy, valid after the next step.")
      .def(
          "step",
          [](ReferenceShape& self, const py::object& labels, const py::object& current, double dt) {
            const py::ssize_t count = py::ssize_t(self.matrices().size());
            const std::vector<std::int8_t> list = input_list<std::int8_t>(labels, count, "labels");
            const Matrix2List matrices = input_matrices(current, count, "current");
            const py::gil_scoped_release release;
            self.step(list, matrices, dt);
          },
          py::arg("labels"), py::arg("current"), py::arg("dt"),
          "One frame of `dt` seconds. C (0): stretches move toward 1 by keep^(dt/interval), directions stay; S (2) "
          "with both stretches above 1: the current triangle; else unchanged. Raises ValueError for wrong shapes, a "
          "triangle that is mirrored or not finite, labels outside 0..2 or dt <= 0; the reference is then unchanged.");
}

void register_paths(py::module_& m) {
  py::class_<PlacedWrinkle>(m, "Wrinkle",
                            "A wrinkle path with its widths and heights, as it was when handed out; it stays valid.")
      .def_property_readonly("id", wrinkle_list([](const Wrinkle& w) { return w.id; }), "Unique in a run, grows.")
      .def_property_readonly("age", wrinkle_list([](const Wrinkle& w) { return w.age; }),
                             "Seconds since it was traced.")
      .def_property_readonly("alive", wrinkle_list([](const Wrinkle& w) { return w.alive; }),
                             "False for a dying wrinkle, which only sinks where it lies.")
      .def_property_readonly(
          "points",
          [](const py::object& self) { return view_matrix(py::cast<const PlacedWrinkle&>(self).points, self); },
          "(k, 3): the path's points in space; a view.")
      .def_readonly("length", &PlacedWrinkle::length, "Length of the path.")
      .def_property_readonly("vertices", wrinkle_list(&vertices_of),
                             "(k, 2) int32: ends (v0, v1) of the crossed edges; p = t v0 + (1-t) v1.")
      .def_property_readonly("t", wrinkle_list([](const Wrinkle& w) { return point_field<double>(w, &PathPoint::t); }),
                             "(k,): where on its edge each point lies.")
      .def_property_readonly(
          "apex", wrinkle_list([](const Wrinkle& w) { return point_field<std::int32_t>(w, &PathPoint::apex); }),
          "(k,) int32: for an end inside a triangle its third vertex, else -1.")
      .def_property_readonly("depth",
                             wrinkle_list([](const Wrinkle& w) { return point_field<double>(w, &PathPoint::depth); }),
                             "(k,): share of `apex` in the point; 0 on an edge.")
      .def_property_readonly("triangles", wrinkle_list([](const Wrinkle& w) { return copy(w.triangles); }),
                             "(k-1,) int32: the triangle of each segment.")
      .def_property_readonly("widths", wrinkle_list([](const Wrinkle& w) { return at_points(w.knot_widths); }),
                             "(k,): full width at each point.")
      .def_property_readonly("heights", wrinkle_list([](const Wrinkle& w) { return at_points(w.knot_heights); }),
                             "(k,): height at each point.")
      .def_property_readonly("knot_widths", wrinkle_list([](const Wrinkle& w) { return copy(w.knot_widths); }),
                             "(2k-1,): full widths at the points and the middles of the segments.")
      .def_property_readonly("knot_heights", wrinkle_list([](const Wrinkle& w) { return copy(w.knot_heights); }),
                             "(2k-1,): heights at the points and the middles of the segments.")
      .def_property_readonly("gone", wrinkle_list(&is_gone), "Dying and flat: nothing of it is left to see.")
      .def("__eq__",
           [](const PlacedWrinkle& a, const py::object& b) {
             return py::isinstance<PlacedWrinkle>(b) && a.wrinkle == py::cast<const PlacedWrinkle&>(b).wrinkle;
           })
      .def("__repr__", [](const PlacedWrinkle& self) {
        return message("<Wrinkle ", self.wrinkle.id, self.wrinkle.alive ? "" : " dying", ", ", self.wrinkle.size(),
                       " points, length ", self.length, ", age ", self.wrinkle.age, " s>");
      });

  py::class_<Seed>(m, "Seed", "A point at which a path may start.")
      .def(py::init([](std::int32_t triangle, const std::array<double, 3>& weights) {
             return Seed{triangle, {weights[0], weights[1], weights[2]}};
           }),
           py::arg("triangle"), py::arg("weights"))
      .def_readonly("triangle", &Seed::triangle)
      .def_property_readonly(
          "weights",
          [](const Seed& self) {
            return std::array<double, 3>{self.weights[0], self.weights[1], self.weights[2]};
          },
          "Barycentric coordinates.");

  py::class_<OwnedField, std::shared_ptr<OwnedField>>(
      m, "CompressionField", "Positions and stretch of one frame: what paths are traced and moved through.")
      .def(py::init(&make_field), py::arg("mesh"), py::arg("positions"), py::arg("stretch"),
           "positions: (n, 3); stretch: from the reference to these positions.")
      .def_property_readonly(
          "compression",
          [](const py::object& self) { return view(py::cast<const OwnedField&>(self).compression, self); },
          "(m,): 1 / minimum stretch; 1 for triangles that cannot be measured; a view.")
      .def_property_readonly(
          "positions",
          [](const py::object& self) { return view_matrix(py::cast<const OwnedField&>(self).positions, self); },
          "(n, 3); a view.")
      .def_property_readonly(
          "stretch", [](const OwnedField& self) -> const Stretch& { return self.stretch; },
          py::return_value_policy::reference_internal, "From the reference to the positions.");

  py::class_<SegmentIndex, std::shared_ptr<SegmentIndex>>(m, "SegmentIndex",
                                                          "The segments of living paths by triangle.")
      .def(py::init<const Mesh&>(), py::arg("mesh"))
      .def(
          "insert",
          [](SegmentIndex& self, const OwnedField& field, const PlacedWrinkle& wrinkle) {
            require_index(self, field);
            require_path(*field.mesh, wrinkle.wrinkle);
            insert_path(field.field(), wrinkle.wrinkle, self);
          },
          py::arg("field"), py::arg("wrinkle"), "Takes up all segments of the path as it lies in `field`.")
      .def(
          "crossed_by",
          [](const SegmentIndex& self, const OwnedField& field, const PlacedWrinkle& wrinkle) {
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
    require(seed.weights.allFinite() && seed.weights.minCoeff() >= 0 && std::fabs(seed.weights.sum() - 1) < 1e-9,
            "a seed's weights must be at least 0 and sum to 1, got ", seed.weights.transpose());
    require(field.frames.areas[std::size_t(seed.triangle)] > 0, "a seed's triangle must have area, triangle ",
            seed.triangle, " has none");
  };
  py::class_<Tracer>(m, "Tracer", "Starts wrinkle paths and traces them across the compression (Gillette 2015, 5.1).")
      .def(py::init([](std::shared_ptr<Mesh> mesh, const Params& params) { return Tracer(std::move(mesh), params); }),
           py::arg("mesh"), py::arg("params"))
      .def(
          "seed",
          [](Tracer& self, const OwnedField& field, std::int64_t frame) {
            require_mesh(self.mesh(), field, "tracer");
            std::vector<Seed> out;
            const py::gil_scoped_release release;
            self.seeds(field.field(), frame, out);
            return out;
          },
          py::arg("field"), py::arg("frame") = 0,
          "The points tried in a frame, the most compressed triangle first. They depend on (params.seed, triangle, "
          "attempt) only; `frame` counts if params.verbatim.")
      .def(
          "trace",
          [checked_seed](Tracer& self, const Seed& seed, const OwnedField& field,
                         const std::shared_ptr<SegmentIndex>& occupied,
                         std::int64_t id) -> std::optional<PlacedWrinkle> {
            require_mesh(self.mesh(), field, "tracer");
            checked_seed(field, seed);
            if (occupied) require_index(*occupied, field);
            const SegmentIndex none(*field.mesh);
            auto wrinkle = self.trace(field.field(), seed, occupied ? *occupied : none, id);
            if (!wrinkle) return std::nullopt;
            return placed(std::move(*wrinkle), field.positions);
          },
          py::arg("seed"), py::arg("field"), py::arg("occupied") = nullptr, py::arg("id") = 0,
          "The path through `seed`, traced both ways and smoothed once, heights 0; None if it is too short.")
      .def(
          "grow",
          [](Tracer& self, const OwnedField& field, const std::vector<PlacedWrinkle>& wrinkles,
             const std::shared_ptr<SegmentIndex>& occupied, std::int64_t frame, std::int64_t next_id) {
            require_mesh(self.mesh(), field, "tracer");
            require_index(*occupied, field);
            std::vector<Wrinkle> list = plain(*field.mesh, wrinkles);
            CurveIndex curves;
            curves.reset(self.params().tracing.seed_distance * self.params().flat_width());
            PathCurve curve;
            std::size_t alive = 0;
            for (const Wrinkle& wrinkle : list) {
              if (!wrinkle.alive) continue;
              ++alive;
              path_curve(wrinkle, field.positions, field.frames, curve);
              curves.insert(curve);
            }
            self.grow(field.field(), frame, alive, *occupied, curves, next_id, list);
            return py::make_tuple(placed(list, field.positions), next_id);
          },
          py::arg("field"), py::arg("wrinkles"), py::arg("occupied").none(false), py::arg("frame"), py::arg("next_id"),
          "Seeds and traces all new paths of a frame. Returns (wrinkles, next_id); `occupied` takes the new paths up.");

  py::class_<PathEnergy>(m, "PathEnergy", "The terms of the energy that places a path (Gillette 2015, equation 5.2).")
      .def_readonly("alignment", &PathEnergy::alignment)
      .def_readonly("motion", &PathEnergy::motion)
      .def_readonly("shape", &PathEnergy::shape)
      .def_property_readonly("sum", &PathEnergy::sum);

  const auto motion_of = [](const Persistence& self, const py::object& previous_positions, const py::object& positions,
                            const Stretch& stretch, const Stretch& motion, double dt, double edge_length) {
    const Mesh& mesh = *self.mesh();
    OwnedMotion out{make_field(std::const_pointer_cast<Mesh>(self.mesh()), positions, stretch),
                    input_array3(previous_positions, mesh.vertex_count(), "previous_positions"),
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
      .def(py::init(
               [](std::shared_ptr<Mesh> mesh, const Params& params) { return Persistence(std::move(mesh), params); }),
           py::arg("mesh"), py::arg("params"))
      .def(
          "step",
          [motion_of](Persistence& self, const std::vector<PlacedWrinkle>& wrinkles,
                      const py::object& previous_positions, const py::object& positions, const Stretch& stretch,
                      const Stretch& motion, double dt, double edge_length, std::int64_t next_id) {
            const OwnedMotion owned = motion_of(self, previous_positions, positions, stretch, motion, dt, edge_length);
            std::vector<Wrinkle> list = plain(*self.mesh(), wrinkles);
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
            owned.with([&](const Motion& view) { self.solve(view, wrinkle.wrinkle, t); });
            return copy(t);
          },
          py::arg("wrinkle"), py::arg("previous_positions"), py::arg("positions"), py::arg("stretch"),
          py::arg("motion"), py::arg("dt"), py::arg("edge_length"),
          "(k,): the minimiser of the energy, not restricted to [0, 1]; arguments as of step.")
      .def(
          "energy",
          [motion_of](Persistence& self, const PlacedWrinkle& wrinkle, const py::object& t,
                      const py::object& previous_positions, const py::object& positions, const Stretch& stretch,
                      const Stretch& motion, double dt, double edge_length) {
            const OwnedMotion owned = motion_of(self, previous_positions, positions, stretch, motion, dt, edge_length);
            require_path(*self.mesh(), wrinkle.wrinkle);
            const std::vector<double> parameters = input_list<double>(t, py::ssize_t(wrinkle.wrinkle.size()), "t");
            PathEnergy out;
            owned.with([&](const Motion& view) { out = self.energy(view, wrinkle.wrinkle, parameters); });
            return out;
          },
          py::arg("wrinkle"), py::arg("t"), py::arg("previous_positions"), py::arg("positions"), py::arg("stretch"),
          py::arg("motion"), py::arg("dt"), py::arg("edge_length"),
          "The energy's terms for path parameters `t` (k,); other arguments as of step.");
}

void register_shape(py::module_& m) {
  py::class_<PathCurve>(m, "PathCurve", "A path in space, as drawing and distances need it; a snapshot.")
      .def_property_readonly("points", vectors(&PathCurve::points), "(k, 3).")
      .def_property_readonly("directions", vectors(&PathCurve::directions),
                             "(k, 3), unit: mean of the directions of the two segments at the point.")
      .def_property_readonly("normals", vectors(&PathCurve::normals), "(k-1, 3), unit: of each segment's triangle.")
      .def_property_readonly("arc_lengths", numbers(&PathCurve::arc_lengths), "(k,): from the first point.");
  m.def(
      "path_curve",
      [](const OwnedField& field, const PlacedWrinkle& wrinkle) { return curve_of(field, wrinkle.wrinkle); },
      py::arg("field"), py::arg("wrinkle"), "The path as it lies in `field` (Gillette 2015, section 6.2).");

  py::class_<CurveSamples>(m, "CurveSamples", "A smoothed wrinkle as a polyline of 8 straight pieces a segment.")
      .def_property_readonly("points", vectors(&CurveSamples::points), "(s, 3), s = 8 (k-1) + 1.")
      .def_property_readonly("directions", vectors(&CurveSamples::directions),
                             "(s, 3), unit: mean of the directions of the two pieces; at path points the path's.")
      .def_property_readonly("widths", numbers(&CurveSamples::widths), "(s,): full widths.")
      .def_property_readonly("heights", numbers(&CurveSamples::heights), "(s,).");
  m.def(
      "sample_curve",
      [](const OwnedField& field, const PlacedWrinkle& wrinkle) {
        CurveSamples out;
        sample_curve(curve_of(field, wrinkle.wrinkle), wrinkle.wrinkle, out);
        return out;
      },
      py::arg("field"), py::arg("wrinkle"),
      "The smooth curve through the path as it lies in `field`: a cubic Bezier curve a segment; widths and heights are "
      "interpolated monotonically over arc length. What is drawn.");

  py::class_<Shaper>(m, "Shaper",
                     "Widths and heights that keep the cloth's length across a wrinkle (Gillette 2015, 6.1).")
      .def(py::init<const Params&>(), py::arg("params"))
      .def(
          "target",
          [](const Shaper& self, double length, double compression, double along) {
            require(std::isfinite(length) && length >= 0, "length must be finite and at least 0, got ", length);
            require(compression >= 1, "compression must be at least 1, got ", compression);
            require(along >= 0 && along <= 1, "along must lie in [0, 1], got ", along);
            const Size size = self.target(length, compression, along);
            return py::make_tuple(size.width, size.height);
          },
          py::arg("length"), py::arg("compression"), py::arg("along"),
          "(width, height) aimed at, at the share `along` of a path of `length` with the largest `compression`.")
      .def(
          "step",
          [](const Shaper& self, const PlacedWrinkle& wrinkle, const OwnedField& field, double dt) {
            require_duration(dt);
            PlacedWrinkle out = wrinkle;
            self.step(curve_of(field, wrinkle.wrinkle), field.compression, dt, out.wrinkle);
            return placed(std::move(out.wrinkle), field.positions);
          },
          py::arg("wrinkle"), py::arg("field"), py::arg("dt"),
          "The wrinkle `dt` seconds later: sizes follow their targets, those of a dying wrinkle sink, both at most at "
          "the rates of the parameters; with params.verbatim at once. The path stays. Raises ValueError for dt <= 0.");
}

void register_packing(py::module_& m) {
  py::class_<PackedWrinkles, std::shared_ptr<PackedWrinkles>>(
      m, "PackedWrinkles", "Wrinkles packed for the GPU (Gillette 2015, section 7.2); the arrays are views.")
      .def_property_readonly(
          "triangles",
          [](const py::object& self) {
            const auto& list = py::cast<const PackedWrinkles&>(self).triangles;
            return view(list.data(), {py::ssize_t(list.size() / 2), 2}, self);
          },
          "(m, 2) uint32: number of wrinkles that reach the triangle, first entry in `reach`.")
      .def_property_readonly(
          "reach",
          [](const py::object& self) {
            const auto& list = py::cast<const PackedWrinkles&>(self).reach;
            return view(list.data(), {py::ssize_t(list.size() / 2), 2}, self);
          },
          "(k, 2) uint32: first and last point, inclusive, of the part of a wrinkle that reaches.")
      .def_property_readonly(
          "points",
          [](const py::object& self) {
            const auto& list = py::cast<const PackedWrinkles&>(self).points;
            return view(reinterpret_cast<const float*>(list.data()), {py::ssize_t(list.size()), 16}, self);
          },
          "(p, 16) float32: position, width; normal, height; direction, arc length; width and height at the middle of "
          "the segment that starts here; two unused.");

  struct MeshPacker {
    std::shared_ptr<const Mesh> mesh;
    Packer packer;
  };
  py::class_<MeshPacker>(m, "Packer", "Packs wrinkles and finds the triangles they reach (Gillette 2015, section 7.2).")
      .def(py::init([](const std::shared_ptr<Mesh>& mesh) {
             return MeshPacker{mesh, Packer(*mesh)};
           }),
           py::arg("mesh").none(false))
      .def(
          "pack",
          [](MeshPacker& self, const OwnedField& field, const std::vector<PlacedWrinkle>& wrinkles) {
            require_mesh(*self.mesh, field, "packer");
            const std::vector<Wrinkle> list = plain(*field.mesh, wrinkles);
            auto out = std::make_shared<PackedWrinkles>();
            const py::gil_scoped_release release;
            std::vector<PathCurve> curves(list.size());
            for (std::size_t w = 0; w < list.size(); ++w) path_curve(list[w], field.positions, field.frames, curves[w]);
            self.packer.pack(field.field(), list, curves, *out);
            return out;
          },
          py::arg("field"), py::arg("wrinkles"),
          "The three buffers for `wrinkles` as they lie in `field`. A flat wrinkle is packed but reaches nothing; a "
          "triangle that is left out is not displaced. Raises ValueError for a field of another mesh.");
}

void register_wrinkler(py::module_& m) {
  py::class_<Snapshot, std::shared_ptr<Snapshot>>(
      m, "State", "What one frame gave. It is a snapshot: arrays are views of it and stay valid after the next frame.")
      .def_property_readonly("frame", [](const Snapshot& self) { return self.state.frame; })
      .def_property_readonly(
          "time", [](const Snapshot& self) { return self.state.time; }, "Seconds.")
      .def_property_readonly(
          "labels", [](const py::object& self) { return view(py::cast<const Snapshot&>(self).state.labels, self); },
          "(m,) int8: 0 compressing, 1 resting, 2 stretching.")
      .def_property_readonly(
          "costs",
          [](const py::object& self) { return view_matrix(py::cast<const Snapshot&>(self).state.costs, self); },
          "(m, 3): label costs, columns C, R, S.")
      .def_property_readonly(
          "motion", [](const Snapshot& self) -> const Stretch& { return self.state.motion; },
          py::return_value_policy::reference_internal, "Stretch against the previous frame, per reference interval.")
      .def_property_readonly(
          "stretch", [](const Snapshot& self) -> const Stretch& { return self.state.stretch; },
          py::return_value_policy::reference_internal, "Stretch against the reference triangles.")
      .def_property_readonly(
          "frames", [](const Snapshot& self) -> const LocalFrames& { return self.state.frames; },
          py::return_value_policy::reference_internal, "Local frames of the triangles.")
      .def_property_readonly(
          "reference", [](const py::object& self) { return view(py::cast<const Snapshot&>(self).reference, self); },
          "(m, 2, 2): reference triangles.")
      .def_property_readonly(
          "compression",
          [](const py::object& self) { return view(py::cast<const Snapshot&>(self).state.compression, self); },
          "(m,): 1 / minimum stretch against the reference.")
      .def_property_readonly(
          "wrinkles", [](const Snapshot& self) { return placed(self.state.wrinkles, self.positions); },
          "List of Wrinkle, alive and dying.")
      .def_property_readonly(
          "packed", [](const Snapshot& self) -> const PackedWrinkles& { return self.state.packed; },
          py::return_value_policy::reference_internal)
      .def_property_readonly(
          "seconds",
          [](const Snapshot& self) {
            py::dict out;
            for (std::size_t s = 0; s < kStageCount; ++s)
              out[py::str(std::string(stage_name(Stage(s))))] = self.state.seconds[s];
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
            const State& state = self.advance(points, time);
            return std::make_shared<Snapshot>(Snapshot{state, self.reference().matrices(), self.positions()});
          },
          py::arg("positions"), py::arg("time"),
          "One frame: `positions` (n, 3) at `time` seconds, later than the frame before; the first frame is the "
          "reference. Returns a State that stays valid. Raises ValueError for a wrong shape, a position that is not "
          "finite or a time that is not later; nothing has changed then.")
      .def_property_readonly(
          "wrinkles", [](const Wrinkler& self) { return placed(self.state().wrinkles, self.positions()); },
          "Wrinkles of the last frame.")
      .def(
          "save", [](const Wrinkler& self) { return py::bytes(self.save()); },
          "The whole run as bytes; restore goes on with the same bits.")
      .def_static(
          "restore", [](const std::string& bytes) { return Wrinkler::restore(bytes); }, py::arg("bytes"),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.")
      .def(py::pickle([](const Wrinkler& self) { return py::bytes(self.save()); },
                      [](const py::bytes& bytes) { return Wrinkler::restore(std::string(bytes)); }));
}

}  // namespace

void register_dynamic(py::module_& m) {
  register_stretch(m);
  register_reference(m);
  register_paths(m);
  register_shape(m);
  register_packing(m);
  register_wrinkler(m);
}

}  // namespace pucker::bindings
