#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "method.h"
#include "params.h"
#include "pucker/drape/computed.h"

namespace pucker::bindings {

using namespace pucker::drape;

namespace {

drape::Params computed_drape_params() {
  drape::Params out;
  out.compute = drape::Compute::gpu;
  return out;
}

}  // namespace

void register_drape_computed(py::module_& m) {
  py::class_<drape::ComputedState, State, std::shared_ptr<drape::ComputedState>>(
      m, "ComputedState",
      "A frame that is balanced where it is drawn. What is asked of it here is what a Drape has of the same frames.")
      .def_property_readonly(
          "reference",
          [](const drape::ComputedState& self) {
            const Unlocked unlocked;
            return std::const_pointer_cast<DrapeState>(
                std::static_pointer_cast<const DrapeState>(self.reference().shared_from_this()));
          },
          "State that a Drape has of the frame; one that follows the last one asked for takes one step, any other all "
          "from the first frame on.")
      .def("__repr__", [](const drape::ComputedState& self) {
        return message("<ComputedState, frame ", self.frame, " at ", self.time, " s>");
      });

  py::class_<ComputedDrape, Method>(m, "ComputedDrape",
                                    R"(Draped cloth as compute programs balance it, in 32 bits on the GPU.

Frames are taken in, and the cloth is balanced where a state is drawn, for all frames since the one drawn last. Args and errors
are those of Drape.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& cut, const drape::Params& params, const ArrayLike& shared,
                       const std::string& cut_from, const std::shared_ptr<Body>& body, const Maps* maps) {
             Maps given = maps != nullptr ? *maps : Maps{};
             const Array3 points = input_positions(mesh, cut, "cut");
             std::vector<std::int32_t> sewn = input_list<std::int32_t>(shared, -1, "shared");
             const Unlocked unlocked;
             return ComputedDrape(mesh.shared_from_this(), points, params, std::move(sewn), cut_from, body,
                                  std::move(given));
           }),
           py::arg("mesh"), py::arg("cut"), py::arg("params") = computed_drape_params(),
           py::arg("shared") = py::tuple(), py::arg("cut_from") = "", py::arg("body") = py::none(),
           py::arg("maps") = py::none())
      .def_property_readonly("params", &ComputedDrape::params, "What the run was made with.")
      .def_property_readonly(
          "body", [](const ComputedDrape& self) { return std::const_pointer_cast<Body>(self.body()); },
          "What the cloth is kept out of; None if nothing.")
      .def_property_readonly("cut_inside", &ComputedDrape::cut_inside,
                             "Share of the cloth that lies in the body in the cut pose, which the body does not keep "
                             "out; 0 without contact.")
      .def_property_readonly("body_warning", &ComputedDrape::body_warning,
                             "What a user should know of that, one sentence; empty where less than half of the cloth "
                             "does.")
      .def_property_readonly(
          "cut_from", [](const ComputedDrape& self) { return self.setting().cut_from; },
          "Which pose the garment was cut for; empty if nobody said.")
      .def_property_readonly(
          "maps", [](const ComputedDrape& self) -> const Maps& { return self.setting().maps; },
          py::return_value_policy::reference_internal, "Maps of what differs over the garment.")
      .def_property_readonly(
          "lengths", [](const ComputedDrape& self) -> const Lengths& { return self.setting().lengths; },
          py::return_value_policy::reference_internal, "`Lengths` of the garment.")
      .def("advance", &advance<ComputedDrape>, py::arg("positions"), py::arg("time"), kAdvanceDoc)
      .def_property_readonly(
          "state", [](const ComputedDrape& self) { return shared_state(self); }, "Of the last frame.")
      .def_static(
          "restore",
          [](const py::bytes& bytes, const std::shared_ptr<Body>& body) {
            return ComputedDrape::restore(std::string_view(bytes), body);
          },
          py::arg("bytes"), py::arg("body") = py::none(),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made, and without "
          "the body that the saved run had.")
      .def("__repr__",
           [](const ComputedDrape& self) {
             return message("<ComputedDrape, ", self.setting().levels->whole().fine()->vertex_count(), " vertices>");
           })
      .def(py::pickle(
          [](const ComputedDrape& self) {
            return py::make_tuple(py::bytes(self.save()), std::const_pointer_cast<Body>(self.body()));
          },
          [](const py::tuple& state) {
            require(state.size() == 2, "a pickled run of draped cloth has 2 parts, got ", state.size());
            return ComputedDrape::restore(std::string_view(state[0].cast<py::bytes>()),
                                          state[1].cast<std::shared_ptr<Body>>());
          }));
}

}  // namespace pucker::bindings
