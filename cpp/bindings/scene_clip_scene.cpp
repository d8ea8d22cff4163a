#include "pucker/scene/clip_scene.h"

#include <optional>

#include "draw.h"
#include "pucker/enum_names.h"

namespace pucker::bindings {

using scene::ClipScene;

void register_scene_clip_scene(py::module_& m) {
  m.def(
      "fitted_camera",
      [](const io::Clip& clip, const py::object& view, double aspect, const std::string& focus,
         const std::optional<scene::FrameRange>& frames) {
        return scene::fitted_camera(clip, input_angles(view), aspect, enum_from<scene::Focus>(focus, "focus"), frames);
      },
      py::arg("clip"), py::arg("view"), py::arg("aspect"), py::arg("focus"), py::arg("frames") = py::none(),
      R"(The nearest camera of a view, see Camera.fit, that sees the garment (focus `cloth`) or the whole character (`all`).

In `frames`, the first and the last, or in all; of the rest, as of `scenery_of`, what is in sight is not cut off. The azimuth
counts from where the character faces (`front_of`). Raises ValueError for another focus and for frames that the clip does not
have.)");
  m.def("front_of", &io::front_of, py::arg("clip"),
        R"(The azimuth a character faces in its bind pose in quarters of a turn: -90, 0 (+z), 90 (+x) or 180 degrees.

By the names of its joints: to where its toes are of its feet, else to the front of a left and a right side, as joints that
have left or L, right or R in them. 0 where neither tells.)");
  py::class_<ClipScene>(m, "ClipScene", "Garment and body of a clip as what is drawn of them, frame by frame.")
      .def(py::init([](const io::Clip& clip, const ArrayLike& textures, const TextureList& pictures) {
             return ClipScene(clip, input_list<std::int32_t>(textures, -1, "textures"), texels_of(pictures));
           }),
           py::arg("clip"), py::arg("textures"), py::arg("pictures"), py::keep_alive<1, 2>(),
           "textures: the number in `pictures` of what each material shows, -1 for none. pictures: (width, height, "
           "RGBA).\n"
           "Raises ValueError for another number of materials, and for a picture there is not.")
      .def_property_readonly("garment", &ClipScene::garment, "The Surface that wrinkles; its mesh is that of the clip.")
      .def_property_readonly(
          "body",
          [](const ClipScene& self) {
            return self.body() ? std::optional(self.body()) : std::optional<std::shared_ptr<draw::Surface>>();
          },
          "That of the rest; None if the whole character is cloth.")
      .def(
          "show",
          [](ClipScene& self, std::int64_t frame, bool authored) {
            const Changing garment(*self.garment(), kSurface);
            std::optional<Changing> body;
            if (self.body()) body.emplace(*self.body(), kSurface);
            self.show(frame, authored);
          },
          py::arg("frame"), py::arg("authored").none(false) = false,
          "Moves both to a frame, without detail, unless they stand there; `authored`: lit by the file's normals where "
          "it\n"
          "has some. Raises ValueError for a frame that the clip does not have.")
      .def("style", &ClipScene::style, py::arg("style"), py::arg("camera"),
           "The style with what it leaves open as suits the clip: found from the first frame, so that a clip has one "
           "light.");
}

}  // namespace pucker::bindings
