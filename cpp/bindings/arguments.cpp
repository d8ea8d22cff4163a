/// pybind11 answers a call that fits none of a function's signatures with a list of these and of all it was given. Here
/// every function of the module answers through `pucker.arguments`, which names the argument that does not fit.

#include "arguments.h"

#include <type_traits>

namespace pucker::bindings {

namespace {

/// Replaces a TypeError by its explanation, if it has one.
void explain(const py::object& args, const py::object& kwargs) {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  py::error_already_set refusal;
  try {
    const py::object told =
        py::module_::import("pucker.arguments").attr("explained")(py::str(refusal.value()), args, kwargs);
    if (!told.is_none()) {
      PyErr_SetObject(PyExc_TypeError, told.ptr());
      return;
    }
  } catch (py::error_already_set& other) {
    other.discard_as_unraisable(__func__);
  }
  refusal.restore();
}

/// pybind11's own way into a function, which it keeps to itself, and the way in that is put around it. Its form depends
/// on the version.
template <class Signature>
struct Explaining;

template <>
struct Explaining<PyObject*(PyObject*, PyObject*, PyObject*)> {
  template <PyObject* (*own)(PyObject*, PyObject*, PyObject*)>
  static PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
    PyObject* const result = own(self, args, kwargs);
    if (result == nullptr)
      explain(py::reinterpret_borrow<py::object>(args),
              kwargs == nullptr ? py::dict() : py::reinterpret_borrow<py::object>(kwargs));
    return result;
  }
};

template <>
struct Explaining<PyObject*(PyObject*, PyObject* const*, std::size_t, PyObject*)> {
  template <PyObject* (*own)(PyObject*, PyObject* const*, std::size_t, PyObject*)>
  static PyObject* call(PyObject* self, PyObject* const* values, std::size_t flags, PyObject* names) {
    PyObject* const result = own(self, values, flags, names);
    if (result == nullptr) explain_call(values, std::size_t(PyVectorcall_NARGS(flags)), names);
    return result;
  }

  static void explain_call(PyObject* const* values, std::size_t count, PyObject* names) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
    py::error_already_set refusal;
    py::list args;
    for (std::size_t i = 0; i < count; ++i) args.append(py::handle(values[i]));
    py::dict kwargs;
    if (names != nullptr)
      for (const py::handle name : py::reinterpret_borrow<py::tuple>(names)) kwargs[name] = py::handle(values[count++]);
    refusal.restore();
    explain(args, kwargs);
  }
};

struct Access : py::cpp_function {
  static constexpr auto* own() { return &cpp_function::dispatcher; }
};
using Signature = std::remove_pointer_t<decltype(Access::own())>;

PyCFunction entry(auto* function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); }

void explain_function(py::handle function) {
  if (PyInstanceMethod_Check(function.ptr()) != 0) function = PyInstanceMethod_GET_FUNCTION(function.ptr());
  if (PyCFunction_Check(function.ptr()) == 0) return;
  PyMethodDef& definition = *reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
  if (definition.ml_meth == entry(Access::own()))
    definition.ml_meth = entry(&Explaining<Signature>::call<Access::own()>);
}

/// Whether a module or class belongs to the module that is being made, and is not something imported.
bool is_own(const py::handle& thing, const char* attribute) {
  return py::cast<std::string>(thing.attr(attribute)).starts_with("pucker._core");
}

}  // namespace

void explain_refused_calls(const py::handle& scope) {
  for (const auto& [name, value] : py::dict(scope.attr("__dict__"))) {
    if (py::isinstance<py::module_>(value)) {
      if (is_own(value, "__name__")) explain_refused_calls(value);
    } else if (PyType_Check(value.ptr()) != 0) {
      if (is_own(value, "__module__")) explain_refused_calls(value);
    } else if (py::isinstance<py::staticmethod>(value)) {
      explain_function(value.attr("__func__"));
    } else {
      explain_function(value);
    }
  }
}

}  // namespace pucker::bindings
