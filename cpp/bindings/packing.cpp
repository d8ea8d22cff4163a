#include "pucker/dynamic/packing.h"

#include "dynamic.h"

namespace pucker::bindings {

void register_packing(py::module_& m) {
  py::class_<PackedWrinkles, std::shared_ptr<PackedWrinkles>>(
      m, "PackedWrinkles", "Wrinkles packed for the GPU (Gillette 2015, section 7.2); the arrays are views.")
      .def_property_readonly(
          "triangles",
          [](const py::object& self) {
            const auto& list = py::cast<const PackedWrinkles&>(self).triangles;
            return view(list.data(), {py::ssize_t(list.size() / 2), 2}, self);
          },
          "(m, 2) uint32: number of wrinkles that overlap the triangle, first entry in `overlaps`.")
      .def_property_readonly(
          "overlaps",
          [](const py::object& self) {
            const auto& list = py::cast<const PackedWrinkles&>(self).overlaps;
            return view(list.data(), {py::ssize_t(list.size() / 2), 2}, self);
          },
          "(k, 2) uint32: first and last point, inclusive, of the part of a wrinkle that overlaps.")
      .def_property_readonly(
          "points",
          [](const py::object& self) {
            const auto& list = py::cast<const PackedWrinkles&>(self).points;
            return view(reinterpret_cast<const float*>(list.data()), {py::ssize_t(list.size()), 16}, self);
          },
          "(p, 16) float32: position from `origin`, width; normal, height; tangent, arc length; width and height at "
          "the middle of "
          "the segment that starts here; two unused.")
      .def_property_readonly(
          "origin",
          [](const PackedWrinkles& self) { return py::make_tuple(self.origin[0], self.origin[1], self.origin[2]); },
          "The point that positions are relative to: near the mesh, and (0, 0, 0) where that is near the origin.");

  struct MeshPacker {
    std::shared_ptr<const Mesh> mesh;
    Packer packer;
  };
  py::class_<MeshPacker>(m, "Packer",
                         "Packs wrinkles and finds the triangles they overlap (Gillette 2015, section 7.2).")
      .def(py::init([](const Mesh& mesh) {
             return MeshPacker{mesh.shared_from_this(), Packer(mesh)};
           }),
           py::arg("mesh"))
      .def(
          "pack",
          [](MeshPacker& self, const OwnedField& field, const std::vector<PlacedWrinkle>& wrinkles) {
            require_mesh(*self.mesh, field, "packer");
            const std::vector<Wrinkle> list = plain(*field.mesh, wrinkles);
            auto out = std::make_shared<PackedWrinkles>();
            const Changing call(self, "Packer");
            const Unlocked unlocked;
            self.packer.pack(field.field(), list, curves_of(list, field), *out);
            return out;
          },
          py::arg("field"), py::arg("wrinkles"),
          "The three buffers for `wrinkles` as they lie in `field`. A flat wrinkle is packed but overlaps nothing; a "
          "triangle that is left out is not displaced. Raises ValueError for a field of another mesh.");
}

}  // namespace pucker::bindings
