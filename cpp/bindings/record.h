/// Structs of plain values as Python's frozen dataclasses are: compared, printed, pickled and replaced field by field.
#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <string>

namespace pucker::bindings {

namespace py = pybind11;

/// Gives a class with readonly properties `fields`, all of which its constructor takes by keyword, what a record has.
template <class Class>
void define_record(Class& record, std::initializer_list<const char*> fields) {
  py::tuple names(fields.size());
  std::size_t count = 0;
  for (const char* name : fields) names[count++] = py::str(name);
  const auto values = [names](const py::handle& self) {
    py::dict out;
    for (const py::handle name : names) out[name] = self.attr(name);
    return out;
  };
  const auto tuple = [values](const py::handle& self) { return py::tuple(py::list(values(self).attr("values")())); };
  record
      .def(
          "replace",
          [values](const py::object& self, const py::kwargs& changes) {
            py::dict given = values(self);
            given.attr("update")(changes);
            return py::type::of(self)(**given);
          },
          "The same with other values of some fields.")
      .def("__eq__",
           [tuple](const py::object& self, const py::object& other) {
             return py::type::of(self).is(py::type::of(other)) && tuple(self).equal(tuple(other));
           })
      .def("__hash__", [tuple](const py::object& self) { return py::hash(tuple(self)); })
      .def("__repr__",
           [values](const py::object& self) {
             std::string text = py::str(py::type::of(self).attr("__name__"));
             const char* before = "(";
             for (const auto& [name, value] : values(self)) {
               text += before + std::string(py::str(name)) + "=" + std::string(py::repr(value));
               before = ", ";
             }
             return text + ")";
           })
      .def("__reduce__", [tuple](const py::object& self) { return py::make_tuple(py::type::of(self), tuple(self)); });
}

}  // namespace pucker::bindings
