/// How a frame of a run is handed to Python.
#pragma once

#include <memory>

#include "pucker/dynamic/wrinkler.h"

namespace pucker::bindings {

/// The last frame's State. Python has no constant objects; its class State has nothing that changes one.
inline std::shared_ptr<State> shared_state(const Wrinkler& run) {
  return std::const_pointer_cast<State>(run.share_state());
}

}  // namespace pucker::bindings
