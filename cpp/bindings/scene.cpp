#include <pybind11/pybind11.h>

namespace pucker::bindings {

void register_scene_replay(pybind11::module_& m);
void register_scene_clip_scene(pybind11::module_& m);
void register_scene_brush(pybind11::module_& m);
void register_scene_scenery(pybind11::module_& m);

void register_scene(pybind11::module_& parent) {
  pybind11::module_ m = parent.def_submodule("scene", "A clip with its run and its surfaces, as programs show it.");
  register_scene_replay(m);
  register_scene_clip_scene(m);
  register_scene_brush(m);
  register_scene_scenery(m);
}

}  // namespace pucker::bindings
