/// What the bindings of both kinds of runs of draped cloth share.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "method.h"
#include "params.h"
#include "pucker/drape/drape.h"

namespace pucker::bindings {

/// Binds a Drape or a ComputedDrape; `usual` are its parameters unless others are given.
template <class Run>
void bind_draped_run(py::module_& m, const char* name, const char* doc, const drape::Params& usual) {
  py::class_<Run, Method>(m, name, doc)
      .def(py::init([](const Mesh& mesh, const ArrayLike& cut, const drape::Params& params, const ArrayLike& shared,
                       const std::string& cut_from, const std::shared_ptr<drape::Body>& body, const drape::Maps* maps) {
             drape::Maps given = maps != nullptr ? *maps : drape::Maps{};
             const Array3 points = input_positions(mesh, cut, "cut");
             std::vector<std::int32_t> sewn = input_list<std::int32_t>(shared, -1, "shared");
             const Unlocked unlocked;
             return Run(mesh.shared_from_this(), points, params, std::move(sewn), cut_from, body, std::move(given));
           }),
           py::arg("mesh"), py::arg("cut"), py::arg("params") = usual, py::arg("shared") = py::tuple(),
           py::arg("cut_from") = "", py::arg("body") = py::none(), py::arg("maps") = py::none())
      .def_property_readonly("params", &Run::params, "What the run was made with.")
      .def_property_readonly(
          "body", [](const Run& self) { return std::const_pointer_cast<drape::Body>(self.body()); },
          "What the cloth is kept out of; None if nothing.")
      .def_property_readonly("cut_inside", &Run::cut_inside,
                             "Share of the cloth that lies in the body in the cut pose, which the body does not keep "
                             "out; 0 without contact.")
      .def_property_readonly("body_warning", &Run::body_warning,
                             "What a user should know of that, one sentence; empty where less than half of the cloth "
                             "does.")
      .def_property_readonly(
          "cut_from", [](const Run& self) { return self.setting().cut_from; },
          "Which pose the garment was cut for; empty if nobody said.")
      .def_property_readonly(
          "maps", [](const Run& self) -> const drape::Maps& { return self.setting().maps; },
          py::return_value_policy::reference_internal, "Maps of what differs over the garment.")
      .def_property_readonly(
          "lengths", [](const Run& self) -> const drape::Lengths& { return self.setting().lengths; },
          py::return_value_policy::reference_internal, "`Lengths` of the garment.")
      .def("advance", &advance<Run>, py::arg("positions"), py::arg("time"), kAdvanceDoc)
      .def_property_readonly(
          "state", [](const Run& self) { return shared_state(self); }, "Of the last frame.")
      .def_static(
          "restore",
          [](const py::bytes& bytes, const std::shared_ptr<drape::Body>& body) {
            return Run::restore(std::string_view(bytes), body);
          },
          py::arg("bytes"), py::arg("body") = py::none(),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made, and without "
          "the body that the saved run had.")
      .def("__repr__",
           [name = std::string(name)](const Run& self) {
             return message("<", name, ", ", self.setting().levels->whole().fine()->vertex_count(), " vertices>");
           })
      .def(py::pickle(
          [](const Run& self) {
            return py::make_tuple(py::bytes(self.save()), std::const_pointer_cast<drape::Body>(self.body()));
          },
          [](const py::tuple& state) {
            require(state.size() == 2, "a pickled run of draped cloth has 2 parts, got ", state.size());
            return Run::restore(std::string_view(state[0].cast<py::bytes>()),
                                state[1].cast<std::shared_ptr<drape::Body>>());
          }));
}

}  // namespace pucker::bindings
