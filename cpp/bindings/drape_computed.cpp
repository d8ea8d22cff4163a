#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "drape.h"
#include "method.h"
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

  bind_draped_run<ComputedDrape>(m, "ComputedDrape",
                                 R"(Draped cloth as compute programs balance it, in 32 bits on the GPU.

Frames are taken in, and the cloth is balanced where a state is drawn, for all frames since the one drawn last. Args and errors
are those of Drape.)",
                                 computed_drape_params());
}

}  // namespace pucker::bindings
