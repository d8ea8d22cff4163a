#include "waves.h"

namespace pucker::bindings {

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
smaller eigenvalue of MᵀM, k its eigenvector, h = W/4·sqrt(max(1 - (t r)², 0)) with t = `threshold`, k' the vector with k'·(x' - x'0) =
k·(x - x0) (Loviscach 2006, equations 1 to 4). The sign of k is free; it is the one that turns k the least from the
frame before, and by no more than `params.turn` allows.

Args:
    mesh: The Mesh.
    rest: (n, 3), the pose without wrinkles.
    wavelength: W in the unit of `rest`: a number, or (n,).
    params: A CrushParams.

Raises:
    ValueError: For a wrong shape, positions that are not finite, and wavelengths out of [1e-30, 1e30].)")
      .def(
          py::init([](const Mesh& mesh, const ArrayLike& rest, const ArrayLike& wavelength, const CrushParams& params) {
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
          [](Crush& self, const ArrayLike& positions) {
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

}  // namespace pucker::bindings
