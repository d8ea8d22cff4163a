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
  // The object of Python that holds it, whose class an error names if its self is typed.
  using Record = typename Class::type;
  const auto object = [](const Record& self) { return py::cast(&self, py::return_value_policy::reference); };
  record
      .def(
          "replace",
          [values, object](const Record& self, const py::kwargs& changes) {
            py::dict given = values(object(self));
            given.attr("update")(changes);
            return py::type::of(object(self))(**given);
          },
          "The same with other values of some fields.")
      .def("__eq__",
           [tuple, object](const Record& self, const py::object& other) {
             return py::type::of(object(self)).is(py::type::of(other)) && tuple(object(self)).equal(tuple(other));
           })
      .def("__hash__", [tuple, object](const Record& self) { return py::hash(tuple(object(self))); })
      .def("__repr__",
           [values, object](const Record& self) {
             std::string text = py::str(py::type::of(object(self)).attr("__name__"));
             const char* before = "(";
             for (const auto& [name, value] : values(object(self))) {
               text += before + std::string(py::str(name)) + "=" + std::string(py::repr(value));
               before = ", ";
             }
             return text + ")";
           })
      .def("__reduce__", [tuple, object](const Record& self) {
        return py::make_tuple(py::type::of(object(self)), tuple(object(self)));
      });
}

}  // namespace pucker::bindings
