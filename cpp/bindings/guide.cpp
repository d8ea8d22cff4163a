#include "pucker/dynamic/guide.h"

#include "calls.h"
#include "dynamic.h"

namespace pucker::bindings {

namespace {

/// A guide and the mesh that its arguments must fit.
struct OwnedGuide {
  std::shared_ptr<const Mesh> mesh;
  Guide guide;
};

}  // namespace

void register_guide(py::module_& m) {
  py::class_<OwnedGuide>(m, "Guide", "The stretch that wrinkles follow: of the skin, or as params.guide says.")
      .def(py::init([](const Mesh& mesh, const Params& params) {
             const std::shared_ptr<const Mesh> shared = mesh.shared_from_this();
             return std::make_unique<OwnedGuide>(OwnedGuide{shared, Guide(shared, params)});
           }),
           py::arg("mesh"), py::arg("params"))
      .def(
          "measure",
          [](OwnedGuide& self, const ArrayLike& reference, const ArrayLike& positions) {
            const Changing call(self, "Guide");
            const Matrix2List matrices = input_matrices(reference, self.mesh->triangle_count(), "reference");
            const Array3 points = input_positions(*self.mesh, positions);
            require_positions(*self.mesh, points);
            const Unlocked unlocked;
            auto out = std::make_shared<Stretch>();
            self.guide.measure(matrices, points, local_frames(*self.mesh, points), *out);
            return out;
          },
          py::arg("reference"), py::arg("positions"),
          "Stretch from reference triangles (m, 2, 2) to positions (n, 3), in the frames of those. Raises ValueError "
          "for other shapes, a triangle that is mirrored or not finite, and a position that is not finite.");
}

}  // namespace pucker::bindings
