#include "pucker/dynamic/border.h"

#include <optional>

#include "dynamic.h"

namespace pucker::bindings {

void register_border(py::module_& m) {
  struct MeshBorder {
    std::shared_ptr<const Mesh> mesh;
    SharedBorder border;
  };
  py::class_<MeshBorder>(
      m, "SharedBorder",
      "Where wrinkles fade out: cloth is sewn there to what is not cloth, or lies under another layer of the garment.")
      .def(py::init([](const Mesh& mesh, const ArrayLike& shared, const MaybeArray& rest) {
             const auto vertices = input_list<std::int32_t>(shared, -1, "shared");
             std::optional<Array3> pose;
             if (!rest.is_none()) pose = input_positions(mesh, rest, "rest");
             return MeshBorder{mesh.shared_from_this(), SharedBorder(mesh.shared_from_this(), vertices, pose)};
           }),
           py::arg("mesh"), py::arg("shared").none(false), py::arg("rest") = py::none(),
           "shared: vertices that are also vertices of what is not cloth, in any order, as Clip.shared_vertices. "
           "rest: (n, 3), where layers of cloth are looked for, as Clip.rest; None for none. Raises ValueError for a "
           "vertex outside the mesh and for another shape.")
      .def(
          "fade_out",
          [](MeshBorder& self, const OwnedField& field, const std::vector<PlacedWrinkle>& wrinkles,
             const PackedWrinkles& packed, const Params& params) {
            require_mesh(*self.mesh, field, "border");
            const std::vector<Wrinkle> list = plain(*field.mesh, wrinkles);
            auto out = std::make_shared<PackedWrinkles>(packed);
            const Changing call(self, "SharedBorder");
            const Unlocked unlocked;
            self.border.fade_out(field.positions, list, curves_of(list, field), params, *out);
            return out;
          },
          py::arg("field"), py::arg("wrinkles"), py::arg("packed"), py::arg("params"),
          "Packed wrinkles, of which from params.shape.border_fade flat widths on heights fall in a smooth step to 0 "
          "at\n"
          "the border and half widths to less than the distance: no point of the border is displaced. Wrinkles\n"
          "have no height, too, where another layer covers the cloth. packed: of the\n"
          "same wrinkles in the same field. Raises ValueError for packed wrinkles of another number of points and for\n"
          "a field of another mesh.");
}

}  // namespace pucker::bindings
