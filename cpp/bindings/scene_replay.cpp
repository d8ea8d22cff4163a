#include "pucker/scene/replay.h"

#include <pybind11/stl.h>

#include "calls.h"

namespace pucker::bindings {

namespace {

/// A run of any method, of the core or written in Python, with the state of its last frame.
class AnyRun {
 public:
  AnyRun(py::object clip, py::object method) : clip_(std::move(clip)), method_(std::move(method)) {}

  std::int64_t frame_count() const { return std::int64_t(py::len(clip_)); }
  const py::object& state() const { return state_; }
  void advance(std::int64_t frame) {
    // An interruption would otherwise wait for the last of many frames.
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::object next = clip_[py::int_(frame)];
    state_ = method_.attr("advance")(next.attr("positions"), next.attr("time"));
  }
  std::pair<py::object, py::object> save() const { return {method_.attr("save")(), state_}; }
  void restore(const std::pair<py::object, py::object>& saved) {
    method_ = method_.attr("restored")(saved.first);
    state_ = saved.second;
  }

 private:
  py::object clip_;
  py::object method_;
  py::object state_;
};

using Replay = scene::ReplayOf<AnyRun>;
constexpr const char* kReplay = "replay";

}  // namespace

void register_scene_replay(py::module_& m) {
  py::class_<Replay>(m, "Replay",
                     R"(The states of a clip's frames, in any order.

A frame's detail depends on all frames before it. They are computed in order, and the run is saved now and then, so that an
earlier frame is reached sooner than from the start; the bits are the same either way.)")
      .def(py::init(
               [](py::object clip, py::object method) { return Replay(AnyRun(std::move(clip), std::move(method))); }),
           py::arg("clip").none(false), py::arg("method").none(false), "`method` has not seen a frame of the clip yet.")
      .def_property_readonly("frame", &Replay::frame, "Where the run stands.")
      .def_property_readonly(
          "state", [](const Replay& self) { return self.run().state(); }, "The state of that frame.")
      .def_property_readonly(
          "saved",
          [](const Replay& self) {
            std::vector<std::int64_t> out;
            out.reserve(std::size_t(self.saved_count()));
            for (std::int64_t k = 0; k < self.saved_count(); ++k) out.push_back(scene::kReplayStride * k);
            return out;
          },
          "Frames after which the run was saved.")
      .def(
          "approach",
          [](Replay& self, std::int64_t frame) {
            const Changing call(self, kReplay);
            return self.approach(frame);
          },
          py::arg("frame"),
          "Goes one step of the shortest way to `frame`; says whether it stands there now. Raises ValueError for a "
          "frame "
          "that the clip does not have.")
      .def(
          "seek",
          [](Replay& self, std::int64_t frame) {
            const Changing call(self, kReplay);
            self.seek(frame);
            return self.run().state();
          },
          py::arg("frame"),
          "The state of `frame`, the same bits in whatever order frames are asked for. Raises ValueError for a frame "
          "that "
          "the clip does not have.");
}

}  // namespace pucker::bindings
