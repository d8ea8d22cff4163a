#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "drape.h"
#include "method.h"
#include "pucker/drape/drape.h"
#include "pucker/reuse.h"

namespace pucker::bindings {

using namespace pucker::drape;

void register_drape_run(py::module_& m) {
  py::class_<DrapeDetail, Detail, std::shared_ptr<DrapeDetail>>(
      m, "DrapeDetail", "The fine mesh that one frame puts over the coarse one; arrays are views.")
      .def_property_readonly(
          "subdivision",
          [](const DrapeDetail& self) { return std::const_pointer_cast<LoopSubdivision>(self.subdivision()); },
          "The `LoopSubdivision`, whose `fine` has the triangles.")
      .def_property_readonly(
          "fine_positions",
          [](const py::object& self) { return view_matrix(py::cast<const DrapeDetail&>(self).fine_positions(), self); },
          "(N, 3) of the fine mesh.")
      .def_property_readonly(
          "fine_normals",
          [](const py::object& self) { return view_matrix(py::cast<const DrapeDetail&>(self).fine_normals(), self); },
          "(N, 3), unit; zero for a vertex without area.");

  py::class_<DrapeState, State, std::shared_ptr<DrapeState>>(
      m, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.")
      .def_property_readonly(
          "guide", [](const py::object& self) { return view_matrix(py::cast<const DrapeState&>(self).guide, self); },
          "(N, 3): the smooth surface that the cloth is held to.")
      .def_property_readonly(
          "draped", [](const py::object& self) { return view_matrix(py::cast<const DrapeState&>(self).draped, self); },
          "(N, 3): the cloth, which is drawn: `gain` times as high over the guide as in balance, but for what body and "
          "layers refuse.")
      .def_property_readonly(
          "balanced",
          [](const py::object& self) { return view_matrix(py::cast<const DrapeState&>(self).balanced, self); },
          "(N, 3): the cloth in balance, from which the next frame goes on.")
      .def_property_readonly(
          "solved", [](const DrapeState& self) -> const Solved& { return self.solved; },
          py::return_value_policy::reference_internal, "`Solved`: iterations and residual.")
      .def_readonly("started", &DrapeState::started,
                    "Whether nothing was taken over from the frame before: in the first, and where the guide has "
                    "jumped farther than the garment is large.")
      .def_property_readonly(
          "residuals", [](const py::object& self) { return view(py::cast<const DrapeState&>(self).residuals, self); },
          "(N,) float32: how far each vertex is from balance where the solver stopped, as a strain.")
      .def_property_readonly(
          "on_body", [](const py::object& self) { return view(py::cast<const DrapeState&>(self).on_body, self); },
          "(N,) uint8: 1 where the cloth lies on the body in balance, with no more room than it keeps.")
      .def_property_readonly(
          "lengths", [](const DrapeState& self) -> const Lengths& { return self.setting().lengths; },
          py::return_value_policy::reference_internal, "`Lengths` of the garment.")
      .def_property_readonly(
          "cut",
          [](const py::object& self) { return view_matrix(py::cast<const DrapeState&>(self).setting().cut, self); },
          "(n, 3): the pose that the garment was cut for.")
      .def_property_readonly(
          "cut_from", [](const DrapeState& self) { return self.setting().cut_from; },
          "Which pose that is, as \"the first frame of Idle\"; empty if nobody said.")
      .def_property_readonly(
          "detail", [](const DrapeState& self) -> const DrapeDetail& { return self.detail(); },
          py::return_value_policy::reference_internal, "The surface, a DrapeDetail.")
      .def("__repr__", [](const DrapeState& self) {
        return message("<State, frame ", self.frame, " at ", self.time, " s, ",
                       self.detail().subdivision()->fine()->vertex_count(), " vertices>");
      });

  bind_draped_run<Drape>(m, "Drape",
                         R"(The whole method: cloth draped over the guide, frame after frame.

It starts from the last balance, carried along with the guide. `params.cut` is not read.

Args:
    mesh: The coarse mesh.
    cut: (n, 3), the pose that the garment was cut for.
    params: A Params of this module.
    shared: Vertices that the rest of the character has as well; with `params.sewn` they stay where they are.
    cut_from: Which pose `cut` is, for those who ask.
    body: A Body that the cloth is kept out of, whose frames are those of the run; None for none.
    maps: Maps of what differs over the garment; None: nothing. Those that `params` names are not read.

Raises:
    ValueError: For parameters out of range, another shape, and vertices that there are not.)",
                         drape::Params{});
}

}  // namespace pucker::bindings
