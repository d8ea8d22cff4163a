#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "arrays.h"
#include "calls.h"
#include "pucker/drape/height.h"

namespace pucker::bindings {

using namespace pucker::drape;

void register_drape_height(py::module_& m) {
  py::class_<Height>(m, "Height", R"(How much higher over the guide cloth is drawn than it is in balance.

Heights are multiplied by the gain. Where that would turn triangles, by 26° and more, less is added, by 60° nothing; and what is added
is averaged over the ring of each vertex. A gain below 1 makes all heights less.

Args:
    mesh: The Mesh of the cloth.
    gain: At least 0; 1 leaves the cloth as it is.
    pinned: (n,) bool, vertices that stay on the guide; None for none.

Raises:
    ValueError: For a gain that is not finite and at least 0, and a `pinned` of another shape.)")
      .def(py::init([](const std::shared_ptr<const Mesh>& mesh, double gain, const MaybeArray& pinned) {
             std::vector<std::uint8_t> stays(std::size_t(mesh->vertex_count()), 0);
             if (!pinned.is_none()) stays = input_list<std::uint8_t>(pinned, mesh->vertex_count(), "pinned");
             return std::make_unique<Height>(mesh, gain, stays);
           }),
           py::arg("mesh"), py::arg("gain"), py::arg("pinned") = py::none())
      .def_property_readonly("gain", &Height::gain, "What heights are multiplied by.")
      .def(
          "raise_",
          [](Height& self, const ArrayLike& guide, const ArrayLike& normals, const ArrayLike& balanced) {
            const Changing call(self, "Height");
            const auto count = py::ssize_t(self.mesh().vertex_count());
            const Array3 at = input_array3(guide, count, "guide");
            const Array3 along = input_array3(normals, count, "normals");
            const Array3 x = input_array3(balanced, count, "balanced");
            Array3 out;
            {
              const Unlocked unlocked;
              self.raise(at, along, x, out);
            }
            return copy_matrix(out);
          },
          py::arg("guide"), py::arg("normals"), py::arg("balanced"),
          R"(The cloth that is drawn, before body and layers refuse what would go through them.

Args:
    guide: (n, 3).
    normals: (n, 3), of the guide, unit.
    balanced: (n, 3), the cloth in balance.

Returns:
    (n, 3).

Raises:
    ValueError: For arrays of another shape.)");
}

}  // namespace pucker::bindings
