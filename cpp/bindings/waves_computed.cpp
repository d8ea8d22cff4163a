#include "waves.h"

#include "pucker/io/skin.h"

namespace pucker::bindings {
namespace {

/// The defaults, but for what cannot be computed there.
waves::Params computed_params() {
  waves::Params out;
  out.compute = Compute::gpu;
  out.relax.start = waves::Start::carried;
  return out;
}

}  // namespace

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
errors are those of WaveField; `params.relax.start` must be carried or random.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& rest, const waves::Params& params,
                       std::optional<double> height, const ArrayLike& shared) {
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
            std::string told = cut_warning(bones);
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

}  // namespace pucker::bindings
