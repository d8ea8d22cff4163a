#include "waves.h"

namespace pucker::bindings {
namespace {

FieldPoints evaluate_field_of(const WaveDetail& self, const ArrayLike& triangles, const ArrayLike& barycentrics) {
  const auto numbers = input_list<std::int32_t>(triangles, -1, "triangles");
  const Array3 coordinates = input_array3(barycentrics, py::ssize_t(numbers.size()), "barycentrics");
  const Unlocked unlocked;
  return self.evaluate_field(numbers, coordinates);
}

}  // namespace

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
      .def(py::init([](const Mesh& mesh, const ArrayLike& rest, const waves::Params& params,
                       std::optional<double> height, const ArrayLike& shared) {
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

}  // namespace pucker::bindings
