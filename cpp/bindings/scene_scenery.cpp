#include "pucker/scene/scenery.h"

#include <algorithm>

#include "arrays.h"

namespace pucker::bindings {

void register_scene_scenery(py::module_& m) {
  m.def(
      "scenery_of",
      [](const io::Clip& clip) {
        const std::vector<std::uint8_t> found = scene::scenery_of(clip);
        py::array_t<bool> out{py::ssize_t(found.size())};
        std::ranges::transform(found, out.mutable_data(), [](std::uint8_t each) { return each != 0; });
        return out;
      },
      py::arg("clip"),
      R"(Which stored vertices of the body are scenery, (nb,) bool, as of a ground that is many times as wide as the character.

A connected piece of the body is scenery if it stands still in all frames, has no vertex that several joints move, is not
sewn to the garment, and reaches farther from the box round the character than that box's diagonal. The box is that of the
garment and of all pieces that move, that joints blend or that are sewn on. So a seat, a plinth, a wall at the character's
back and a second character are none.)");
}

}  // namespace pucker::bindings
