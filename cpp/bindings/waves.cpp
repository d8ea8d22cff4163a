#include <algorithm>
#include <numbers>
#include <optional>

#include "arrays.h"
#include "enums.h"
#include "method.h"
#include "params.h"
#include "pucker/io/clip.h"
#include "pucker/io/npz.h"
#include "pucker/io/skin.h"
#include "pucker/mesh/frames.h"
#include "pucker/waves/computed.h"
#include "pucker/waves/wave_field.h"
#include "pucker/waves/wavelengths.h"

namespace pucker::bindings {

using namespace pybind11::literals;
using namespace pucker::waves;

void register_painting(py::module_& m);

namespace {

/// An array of the object, as a view that keeps it alive.
template <class Owner>
auto numbers_of(std::vector<double> Owner::*list) {
  return [list](const py::object& self) { return view(py::cast<const Owner&>(self).*list, self); };
}
template <class Owner>
auto rows_of(Array3 Owner::*rows) {
  return [rows](const py::object& self) { return view_matrix(py::cast<const Owner&>(self).*rows, self); };
}

/// "<NAME, n vertices, highest wave …>".
std::string told(const char* name, const PlaneWaves& waves) {
  const auto& heights = waves.amplitudes;
  const double highest = heights.empty() ? 0 : *std::max_element(heights.begin(), heights.end());
  return message("<", name, ", ", heights.size(), " vertices, waves up to ", highest, " high>");
}

/// What errors call an object that is in use.
template <class Owner>
constexpr const char* kKind = "run";
template <>
constexpr const char* kKind<Crush> = "Crush";
template <>
constexpr const char* kKind<Relax> = "Relax";

template <class Owner, class Read>
auto reading(Read read) {
  return bindings::reading<Owner>(kKind<Owner>, read);
}

/// One wavelength for all vertices, or one for each.
template <class Owner>
void set_wavelengths(Owner& self, const py::object& object) {
  const std::size_t count = std::size_t(self.mesh()->vertex_count());
  const auto array = input<double>(object, "wavelengths");
  if (array.ndim() != 0) require_shape(array, {py::ssize_t(count)}, "wavelengths");
  const Changing call(self, kKind<Owner>);
  if (array.ndim() == 0)
    self.set_wavelengths(std::vector<double>(count, *array.data()));
  else
    self.set_wavelengths(span_of(array));
}

template <class Owner>
void set_paint(Owner& self, const py::object& object) {
  const Array3 paint = input_positions(*self.mesh(), object, "paint");
  const Changing call(self, kKind<Owner>);
  self.set_paint(paint);
}

/// A profile by name or member, as values, or as a function of phases.
PleatTable table_from(const py::object& profile) {
  if (py::isinstance<PleatTable>(profile)) return py::cast<PleatTable>(profile);
  if (py::isinstance<Pleat>(profile) || py::isinstance<py::str>(profile))
    return PleatTable(value_from<Pleat>(profile, "profile"));
  py::object values = profile;
  if (PyCallable_Check(profile.ptr()) != 0) {
    py::array_t<double> phases(PleatTable::kSize);
    for (std::size_t i = 0; i < PleatTable::kSize; ++i)
      phases.mutable_at(py::ssize_t(i)) = 2 * std::numbers::pi * double(i) / PleatTable::kSize;
    values = profile(phases);
  }
  const auto array = input<double>(values, "a profile's values");
  require_shape(array, {py::ssize_t(PleatTable::kSize)}, "a profile's values");
  return PleatTable(span_of(array));
}

auto sampled(double (PleatTable::*function)(double) const) {
  return [function](const PleatTable& self, const py::object& phase) {
    return py::vectorize([&self, function](double p) {
      require(std::isfinite(p), "phase must be finite, got ", p);
      return (self.*function)(p);
    })(input<double>(phase, "phase"));
  };
}

py::array_t<double> table_view(const PleatTable::Values& values, const py::object& self) {
  return view(values.data(), {py::ssize_t(values.size())}, self);
}

void register_params_of_waves(py::module_& m) {
  bind_enum<WavelengthUnit>(m, "WavelengthUnit", "What a wavelength is measured in.");
  bind_enum<Pleat>(m, "Pleat", "Cross-section of the waves.");
  bind_enum<Gradient>(m, "Gradient", "Slope of the field without or with the change of the corners' weights.");
  bind_enum<Coordinates>(m, "Coordinates", "What phases are measured along: the rest pose, or the frame as printed.");
  bind_enum<Compute>(m, "Compute", "Where frames are computed.");
  bind_enum<Start>(m, "Start", "The phases of waves that appear.");
  bind_enum<Influence>(m, "Influence", "The height by which a neighbour weighs: relative, or a length as printed.");
  bind_node<CrushParams>(m, "CrushParams", "Local deformation (Loviscach 2006, section 4.2).");
  bind_node<RelaxParams>(m, "RelaxParams", "Alignment of the waves of neighbours (Loviscach 2006, section 5.2).");
  bind_tree<waves::Params>(m, "Params", "Every number a run of the wave field depends on besides its clip.");
}

void register_pleat(py::module_& m) {
  py::class_<PleatTable>(
      m, "PleatTable",
      R"(Cross-section of a wave: an even function f of period 2π with values in [-1, 1], and its slope.

32 values of each at 2πi/32, linearly interpolated between them (Loviscach 2006, section 6.3). Even, because the sign of
a wave's direction is free.

Args:
    profile: A Pleat or its name; (32,) values of f, whose slopes are their symmetric differences; or a function that
        takes the phases (32,) in radians and returns such values.

Raises:
    ValueError: For another shape, and for values that are not finite, above 1 or not even, to 1e-9.)")
      .def(py::init(&table_from), "profile"_a)
      .def_property_readonly(
          "values", [](const py::object& self) { return table_view(py::cast<const PleatTable&>(self).values(), self); },
          "(32,): f at 2πi/32; a view.")
      .def_property_readonly(
          "slopes", [](const py::object& self) { return table_view(py::cast<const PleatTable&>(self).slopes(), self); },
          "(32,): f' at 2πi/32; a view.")
      .def("value", sampled(&PleatTable::value), "phase"_a, "f at phases in radians, of any shape.")
      .def("slope", sampled(&PleatTable::slope), "phase"_a, "f' at phases in radians, of any shape.")
      .def("__repr__", [](const PleatTable& self) {
        return message("<PleatTable, ", PleatTable::kSize, " values from ", self.value(0), " to ",
                       self.value(std::numbers::pi), ">");
      });
}

void register_crush(py::module_& m) {
  py::class_<CrushReport>(m, "CrushReport", "Vertices that have no wave, or a bounded one.")
      .def_readonly("isolated", &CrushReport::isolated, "Without neighbours.")
      .def_readonly("singular", &CrushReport::singular,
                    "Whose neighbours lie on one line in the rest pose, or that have no normal there.")
      .def_readonly("flattened", &CrushReport::flattened, "Without a tangent plane in this frame.")
      .def_readonly("bounded", &CrushReport::bounded, "With a stretch below `min_stretch` in this frame.")
      .def("__repr__", [](const CrushReport& r) {
        return message("<CrushReport: ", r.isolated, " isolated, ", r.singular, " singular, ", r.flattened,
                       " flattened, ", r.bounded, " bounded>");
      });

  py::class_<PlaneWaves, std::shared_ptr<PlaneWaves>>(
      m, "PlaneWaves", R"(The wave of each vertex v of a frame, without its phase; arrays are views.

height(x') = amplitude · f(2π/wavelength · wave_vector·(x' - x'_v) + phase).)")
      .def_property_readonly("wavelengths", numbers_of(&PlaneWaves::wavelengths), "(n,): W, in the rest pose.")
      .def_property_readonly("stretches", numbers_of(&PlaneWaves::stretches),
                             "(n,): r >= 0, the smallest stretch against the rest pose, 1 = none.")
      .def_property_readonly("amplitudes", numbers_of(&PlaneWaves::amplitudes), "(n,): h, in [0, W/4].")
      .def_property_readonly("directions", rows_of(&PlaneWaves::directions),
                             "(n, 3): k, unit, in the rest pose's tangent plane.")
      .def_property_readonly("wave_vectors", rows_of(&PlaneWaves::wave_vectors),
                             "(n, 3): k', in the frame's tangent plane, 1/r long without painting.")
      .def_property_readonly("normals", rows_of(&PlaneWaves::normals), "(n, 3): of the frame's vertices.")
      .def("__repr__", [](const PlaneWaves& self) { return told("PlaneWaves", self); });

  py::class_<Crush>(m, "Crush", R"(Where and how strongly cloth is compressed: a plane wave per vertex.

M = (Σ v'⊗v)(Σ v⊗v)⁻¹ fits the edges v' round a vertex, in its tangent plane, to those of the rest pose. r² is the
smaller eigenvalue of MᵀM, k its eigenvector, h = W/4·sqrt(max(1 - r², 0)), k' the vector with k'·(x' - x'0) =
k·(x - x0) (Loviscach 2006, equations 1 to 4). The sign of k is free; it is the one that turns k the least from the
frame before, and by no more than `params.turn` allows.

Args:
    mesh: The Mesh.
    rest: (n, 3), the pose without wrinkles.
    wavelength: W in the unit of `rest`: a number, or (n,).
    params: A CrushParams.

Raises:
    ValueError: For a wrong shape, positions that are not finite, and wavelengths out of [1e-30, 1e30].)")
      .def(py::init(
               [](const Mesh& mesh, const py::object& rest, const py::object& wavelength, const CrushParams& params) {
                 const auto lengths = input<double>(wavelength, "wavelength");
                 const bool common = lengths.ndim() == 0;
                 Crush out(mesh.shared_from_this(), input_positions(mesh, rest, "rest"), common ? *lengths.data() : 1.0,
                           params);
                 if (!common) set_wavelengths(out, wavelength);
                 return out;
               }),
           "mesh"_a, "rest"_a, "wavelength"_a, "params"_a = CrushParams{})
      .def_property_readonly(
          "mesh", [](const Crush& self) { return std::const_pointer_cast<Mesh>(self.mesh()); },
          "The Mesh that was given.")
      .def_property(
          "wavelengths", reading<Crush>([](const Crush& self) { return copy(self.waves().wavelengths); }),
          &set_wavelengths<Crush>,
          "(n,): W, from the next frame on; may be set to one number. Raises ValueError unless all are finite and "
          "above 0.")
      .def_property(
          "paint", reading<Crush>([](const Crush& self) { return copy_matrix(self.paint()); }), &set_paint<Crush>,
          "(n, 3): painted wrinkles p, each across its wrinkle in the rest pose, shorter than 1. Raises ValueError "
          "otherwise.")
      .def(
          "step",
          [](Crush& self, const py::object& positions) {
            const Array3 points = input_positions(*self.mesh(), positions);
            const Changing call(self, kKind<Crush>);
            const Unlocked unlocked;
            return std::make_shared<PlaneWaves>(self.step(points));
          },
          "positions"_a,
          "PlaneWaves of a frame with `positions` (n, 3). Raises ValueError for a wrong shape or a position that is "
          "not "
          "finite; nothing has changed then.")
      .def_property_readonly("report", reading<Crush>([](const Crush& self) { return self.report(); }),
                             "CrushReport of the last frame.")
      .def("__repr__", reading<Crush>([](const Crush& self) { return told("Crush", self.waves()); }));
}

void register_wavelengths(py::module_& m) {
  m.def(
      "wavelength_factors",
      [](const std::string& path, const io::Clip& clip, const py::object& pixels) {
        NamedArray picture;
        if (!pixels.is_none()) {
          const auto array = input<double>(pixels, "pixels");
          picture.shape.assign(array.shape(), array.shape() + array.ndim());
          picture.values.assign(array.data(), array.data() + array.size());
        }
        const auto read = [&](const std::string& file) { return holds_numbers(file) ? io::read_npy(file) : picture; };
        const io::StoredSurface& garment = clip.data().garment;
        std::vector<double> factors;
        {
          const Unlocked unlocked;
          factors = wavelength_factors(path, *clip.mesh(), {garment.faces, garment.uv}, read);
        }
        return copy(factors);
      },
      "path"_a, "clip"_a, "pixels"_a = py::none(),
      R"(What the wavelength is multiplied with at each vertex of a clip's mesh, (n,).

Args:
    path: An .npy, which is read, or the name of a picture.
    clip: The Clip.
    pixels: Of the picture, (rows, columns) from top to bottom, white as 1.

Raises:
    pucker.Error: For a file that is no .npy.
    ValueError: For numbers of another count, a clip without texture coordinates, a picture without pixels, and factors
        that are not finite and above 0, naming the vertex.)");
}

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

void register_relax(py::module_& m) {
  py::class_<GlobalReport>(m, "GlobalReport", "What a global solution is worth.")
      .def_readonly("parts", &GlobalReport::parts, "Connected parts of the wrinkled cloth, each solved by itself.")
      .def_readonly("eigenvalue", &GlobalReport::eigenvalue,
                    "Largest of the parts' smallest eigenvalues, in [0, 2]; 0 = no error at all.")
      .def_readonly("residual", &GlobalReport::residual, "Largest ‖N y - λ y‖ of a part, for ‖y‖ = 1.")
      .def_readonly("products", &GlobalReport::products, "Solutions of the linear system that were needed.")
      .def("__repr__", [](const GlobalReport& r) {
        return message("<GlobalReport: ", r.parts, " parts, eigenvalue ", r.eigenvalue, ", residual ", r.residual, ", ",
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
          [](Relax& self, const PlaneWaves& waves, const py::object& places, const py::object& coordinates) {
            const Array3 points = input_positions(*self.mesh(), places, "places");
            if (coordinates.is_none()) throw py::type_error("coordinates must be one of rest, frame, got None");
            const auto measured = value_from<Coordinates>(coordinates, "coordinates");
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
          "solve",
          [](Relax& self) {
            const Changing call(self, kKind<Relax>);
            const Unlocked unlocked;
            return self.solve();
          },
          R"(Phases of least error of the whole frame at once, with every phase as a unit number z = (cos φ, sin φ).

The smallest eigenvector of the graph of the edges, weighted by g0 gn, that carries z from end to end. Returns a
GlobalReport. Raises pucker.Error if it was not found; the phases are then unchanged.)")
      .def_property(
          "phases", reading<Relax>([](const Relax& self) { return copy(self.phases()); }),
          [](Relax& self, const py::object& phases) {
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

FieldPoints evaluate_field_of(const WaveDetail& self, const py::object& triangles, const py::object& barycentrics) {
  const auto numbers = input_list<std::int32_t>(triangles, -1, "triangles");
  const Array3 coordinates = input_array3(barycentrics, py::ssize_t(numbers.size()), "barycentrics");
  const Unlocked unlocked;
  return self.evaluate_field(numbers, coordinates);
}

void register_wave_field(py::module_& m) {
  py::class_<FieldPoints, std::shared_ptr<FieldPoints>>(m, "FieldPoints",
                                                        "The height field at points of the mesh; arrays are views.")
      .def_property_readonly("heights", numbers_of(&FieldPoints::heights),
                             "(N,): along the normal of the surface, negative inwards.")
      .def_property_readonly("gradients", rows_of(&FieldPoints::gradients), "(N, 3): ∂h/∂x', without a unit.")
      .def("__repr__",
           [](const FieldPoints& self) { return message("<FieldPoints, ", self.heights.size(), " points>"); });

  py::class_<WaveDetail, Detail, std::shared_ptr<WaveDetail>>(
      m, "WaveDetail", "The surface that the waves of one frame make of the mesh.")
      .def("evaluate_field", &evaluate_field_of, "triangles"_a, "barycentrics"_a,
           R"(The height field at N points of the mesh (Loviscach 2006, equations 5 and 8).

Args:
    triangles: (N,) the triangle each point lies in.
    barycentrics: (N, 3) its coordinates there.

Returns:
    FieldPoints.

Raises:
    ValueError: For a wrong shape, a triangle out of range, or coordinates outside of it.)");

  py::class_<WaveState, State, std::shared_ptr<WaveState>>(
      m, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.")
      .def_property_readonly(
          "waves", [](const WaveState& self) -> const PlaneWaves& { return self.waves; },
          py::return_value_policy::reference_internal, "PlaneWaves of the vertices.")
      .def_property_readonly("phases", numbers_of(&WaveState::phases), "(n,): φ in radians.")
      .def_readonly("energy", &WaveState::energy, "Mean squared phase error in squared cycles, see Relax.energy.")
      .def_readonly("report", &WaveState::report, "CrushReport.")
      .def_property_readonly(
          "detail", [](const WaveState& self) -> const WaveDetail& { return self.detail(); },
          py::return_value_policy::reference_internal, "The surface, a WaveDetail.")
      .def("__repr__", [](const WaveState& self) {
        return message("<State, frame ", self.frame, " at ", self.time, " s, ", told("waves", self.waves).substr(1));
      });

  py::class_<WaveField, Method>(m, "WaveField", R"(The whole method of the wave field: one frame after the other.

Args:
    mesh: The Mesh.
    rest: (n, 3), the pose without wrinkles.
    params: A Params of this module.
    height: Of the character, which `params.wavelength` is a share of if `params.unit` is height.
    shared: Vertices that the rest of the character has as well: waves fade out towards them as `params.border_fade` says,
        and they stay where they are.

Raises:
    ValueError: For parameters out of range, a rest pose that is not (n, 3) and finite, a height that is missing or
        not finite and positive, and shared vertices that there are not.)")
      .def(py::init([](const Mesh& mesh, const py::object& rest, const waves::Params& params,
                       std::optional<double> height, const py::object& shared) {
             return WaveField(mesh.shared_from_this(), input_positions(mesh, rest, "rest"), params, height,
                              input_list<std::int32_t>(shared, -1, "shared"));
           }),
           "mesh"_a, "rest"_a, "params"_a = waves::Params{}, "height"_a = py::none(), py::kw_only(),
           py::arg("shared").none(false) = py::tuple())
      .def_property_readonly("params", &WaveField::params, "What the run was made with.")
      .def_property_readonly(
          "rest", [](const WaveField& self) { return copy_matrix(self.rest()); }, "(n, 3): the pose without wrinkles.")
      .def_property("wavelengths", reading<WaveField>([](const WaveField& self) { return copy(self.wavelengths()); }),
                    &set_wavelengths<WaveField>,
                    "(n,): W of each vertex in the unit of the clip, from the next frame on; may be set to one number.")
      .def_property("paint", reading<WaveField>([](const WaveField& self) { return copy_matrix(self.paint()); }),
                    &set_paint<WaveField>, "(n, 3): painted wrinkles, from the next frame on; see Crush.paint.")
      .def_property(
          "profile", reading<WaveField>([](const WaveField& self) { return self.profile(); }),
          [](WaveField& self, const py::object& profile) {
            const PleatTable table = table_from(profile);
            const Changing call(self, kKind<WaveField>);
            self.set_profile(table);
          },
          "PleatTable, from the next frame on; may be set to whatever a PleatTable is made of.")
      .def("advance", &advance<WaveField>, "positions"_a, "time"_a, kAdvanceDoc)
      .def(
          "solve",
          [](WaveField& self) {
            const Changing call(self, kKind<WaveField>);
            const Unlocked unlocked;
            return self.solve();
          },
          "Gives the last frame the phases of least error, see Relax.solve; `state` then is that. Raises ValueError "
          "before the first frame.")
      .def_property_readonly("state", reading<WaveField>([](const WaveField& self) { return shared_state(self); }),
                             "Of the last frame.")
      .def_static(
          "restore", [](const py::bytes& bytes) { return WaveField::restore(std::string_view(bytes)); }, "bytes"_a,
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.")
      .def(py::pickle([](const WaveField& self) { return py::bytes(saved(self)); },
                      [](const py::bytes& bytes) { return WaveField::restore(std::string_view(bytes)); }));
}

/// The defaults, but for what cannot be computed there.
waves::Params computed_params() {
  waves::Params out;
  out.compute = Compute::gpu;
  out.relax.start = waves::Start::random;
  return out;
}

void register_computed(py::module_& m) {
  py::class_<ComputedState, State, std::shared_ptr<ComputedState>>(
      m, "ComputedState",
      "A frame that is computed where it is drawn. What is asked of it here is what a WaveField has of the same "
      "frames.")
      .def_property_readonly(
          "reference",
          [](const ComputedState& self) {
            const Unlocked unlocked;
            return std::const_pointer_cast<WaveState>(
                std::static_pointer_cast<const WaveState>(self.reference().shared_from_this()));
          },
          "State that a WaveField has of the frame; one that follows the last one asked for takes one step, any other "
          "all from the first frame on.")
      .def("__repr__", [](const ComputedState& self) {
        return message("<ComputedState, frame ", self.frame, " at ", self.time, " s>");
      });

  py::class_<ComputedField, Method>(m, "ComputedField",
                                    R"(The wave field as compute programs run it, in 32 bits on the GPU.

Frames are taken in; Skin, Crush and Relax run where a state is drawn, for all frames since the one drawn last. Args and
errors are those of WaveField; `params.relax.start` must be random.)")
      .def(py::init([](const Mesh& mesh, const py::object& rest, const waves::Params& params,
                       std::optional<double> height, const py::object& shared) {
             return ComputedField(mesh.shared_from_this(), input_positions(mesh, rest, "rest"), params, height,
                                  input_list<std::int32_t>(shared, -1, "shared"));
           }),
           "mesh"_a, "rest"_a, "params"_a = computed_params(), "height"_a = py::none(), py::kw_only(),
           py::arg("shared").none(false) = py::tuple())
      .def_property_readonly("params", &ComputedField::params, "What the run was made with.")
      .def_property("wavelengths",
                    reading<ComputedField>([](const ComputedField& self) { return copy(self.start().wavelengths()); }),
                    &set_wavelengths<ComputedField>, "(n,): W of each vertex, to be set before the first frame.")
      .def_property("paint",
                    reading<ComputedField>([](const ComputedField& self) { return copy_matrix(self.start().paint()); }),
                    &set_paint<ComputedField>, "(n, 3): painted wrinkles, to be set before the first frame.")
      .def_property(
          "profile", reading<ComputedField>([](const ComputedField& self) { return self.start().profile(); }),
          [](ComputedField& self, const py::object& profile) {
            const PleatTable table = table_from(profile);
            const Changing call(self, kKind<ComputedField>);
            self.set_profile(table);
          },
          "PleatTable, to be set before the first frame.")
      .def(
          "set_bones",
          [](ComputedField& self, const io::Skin& skin) {
            Bones bones = io::bones_of(skin);
            std::string told = told_of_cut(bones);
            const Changing call(self, kKind<ComputedField>);
            self.set_bones(std::move(bones));
            return told;
          },
          "skin"_a,
          R"(Has vertices placed by their joints, four at most; the positions of the frames must be those of the skin.

Args:
    skin: The Skin of the clip.

Returns:
    How its influences were cut; empty if they were not.

Raises:
    ValueError: For the skin of another mesh, and after the first frame.)")
      .def("advance", &advance<ComputedField>, "positions"_a, "time"_a, kAdvanceDoc)
      .def_property_readonly("state",
                             reading<ComputedField>([](const ComputedField& self) { return shared_state(self); }),
                             "Of the last frame.")
      .def_static(
          "restore", [](const py::bytes& bytes) { return ComputedField::restore(std::string_view(bytes)); }, "bytes"_a,
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.")
      .def(py::pickle([](const ComputedField& self) { return py::bytes(saved(self)); },
                      [](const py::bytes& bytes) { return ComputedField::restore(std::string_view(bytes)); }));
}

}  // namespace

void register_waves(py::module_& m) {
  py::module_ waves = m.def_submodule("_waves", R"(The wave field: a plane wave per vertex, aligned with its neighbours.

J. Loviscach, Wrinkling Coarse Meshes on the GPU, Computer Graphics Forum 25(3), 2006.)");
  register_params_of_waves(waves);
  register_pleat(waves);
  register_crush(waves);
  register_relax(waves);
  register_wavelengths(waves);
  register_wave_field(waves);
  register_computed(waves);
  register_painting(waves);
}

}  // namespace pucker::bindings
