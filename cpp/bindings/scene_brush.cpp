#include "pucker/scene/brush.h"

#include <optional>
#include <tuple>

#include "draw.h"

namespace pucker::bindings {

void register_scene_brush(py::module_& m) {
  m.def(
      "cloth_at",
      [](const io::Clip& clip, std::int64_t frame, const draw::Camera& camera, const draw::Size& size, double x,
         double y) -> std::optional<std::tuple<std::int32_t, draw::Colour, double>> {
        const auto hit = scene::cloth_at({clip, frame, camera, size}, {x, y});
        if (!hit) return std::nullopt;
        const Vector3& at = hit->barycentrics;
        return std::tuple(hit->triangle, draw::Colour{at.x(), at.y(), at.z()}, hit->distance);
      },
      py::arg("clip"), py::arg("frame"), py::arg("camera"), py::arg("size"), py::arg("x"), py::arg("y"),
      "Triangle, barycentric coordinates and distance of the cloth under a pixel; None if there is none, or if the "
      "body hides it. Raises ValueError for a frame that the clip does not have.");
  m.def(
      "drag",
      [](waves::Painting& painting, const io::Clip& clip, std::int64_t frame, const draw::Camera& camera,
         const draw::Size& size, const scene::Pixels& to, const scene::Pixels& way, bool erase, double radius,
         double strength) {
        const Changing call(painting, "painting");
        scene::drag(painting, {.erase = erase, .radius = radius, .strength = strength}, {clip, frame, camera, size}, to,
                    way);
      },
      py::arg("painting"), py::arg("clip"), py::arg("frame"), py::arg("camera"), py::arg("size"), py::arg("to"),
      py::arg("way"), py::kw_only(), py::arg("erase").none(false), py::arg("radius"), py::arg("strength"),
      "Paints where the mouse is after it has moved by `way`, pixels right and down: wrinkles across it, none beside "
      "the cloth. `radius`: as a share of the clip's height. Raises ValueError for a frame that the clip does not "
      "have, and as `stroke` or `erase`.");
}

}  // namespace pucker::bindings
