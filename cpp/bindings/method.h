/// How a method's frames are handed to Python.
#pragma once

#include <memory>
#include <type_traits>

#include "arrays.h"
#include "pucker/method.h"

namespace pucker::bindings {

/// The last frame's state. Python has no constant objects; the classes of states have nothing that changes one.
template <class Run>
auto shared_state(const Run& run) {
  using Frame = std::remove_const_t<typename decltype(run.share_state())::element_type>;
  return std::const_pointer_cast<Frame>(run.share_state());
}

inline constexpr const char* kAdvanceDoc =
    "One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Returns a state that stays valid; "
    "memory of one that nobody holds any more is used again. Raises ValueError for a wrong shape, a position that is "
    "not finite or a time that is not later. Whatever it raises, nothing has changed then.";

inline py::bytes saved(const Method& run) {
  const Reading call(run, "run");
  return run.save();
}

/// Method::advance, returning the state of the run's own class.
template <class Run>
auto advance(Run& self, const ArrayLike& positions, double time) {
  const auto array = input<double>(positions, "positions");
  require_shape(array, {py::ssize_t(self.mesh()->vertex_count()), 3}, "positions");
  const Eigen::Map<const Array3> points(array.data(), array.shape(0), 3);
  const Changing call(self, "run");
  const Unlocked unlocked;
  self.advance(points, time);
  return shared_state(self);
}

}  // namespace pucker::bindings
