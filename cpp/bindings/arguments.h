/// Messages for calls from Python whose arguments do not fit.
#pragma once

#include <pybind11/pybind11.h>

namespace pucker::bindings {

namespace py = pybind11;

/// Has all functions of a module or class, and of what is in it, name the argument that does not fit.
void explain_refused_calls(const py::handle& scope);

}  // namespace pucker::bindings
