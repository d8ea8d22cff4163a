/// Structs of plain values as Python's frozen dataclasses are: compared, printed, pickled and replaced field by field.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <array>
#include <initializer_list>
#include <string>
#include <type_traits>

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
          "to_dict", [values, object](const Record& self) { return values(object(self)); }, "All fields by name.")
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

/// A field of a struct, with what it means.
template <class Record, class T>
struct RecordField {
  const char* name;
  T Record::*member;
  const char* doc;
};

template <class Record, class T>
RecordField(const char*, T Record::*, const char*) -> RecordField<Record, T>;

/// Three numbers as Python's immutable values, everything else as it is.
template <class T>
auto frozen(const T& value) {
  if constexpr (std::is_same_v<T, std::array<double, 3>>) {
    return py::typing::Tuple<py::float_, py::float_, py::float_>(py::make_tuple(value[0], value[1], value[2]));
  } else {
    return value;
  }
}

/// A default as a signature shows it: that of an enumeration as it is written, not `<Mode.both: 3>`.
template <class T>
std::string shown_as(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    const py::object shown = py::cast(value);
    return std::string(py::str(py::type::of(shown).attr("__name__"))) + "." + std::string(py::str(shown.attr("name")));
  } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
    return py::repr(frozen(value));
  } else {
    return py::repr(py::cast(value));
  }
}

/// A struct of plain values with its defaults as a record of Python.
template <class Record, class... T>
void bind_record(py::module_& m, const char* name, const char* doc, const RecordField<Record, T>&... fields) {
  py::class_<Record> record(m, name, doc);
  const Record usual;
  record.def(py::init([fields...](const T&... values) {
               Record made;
               ((made.*(fields.member) = values), ...);
               return made;
             }),
             // Without `none`, None would be taken for False.
             py::arg_v(fields.name, frozen(usual.*(fields.member)), shown_as(usual.*(fields.member)).c_str())
                 .none(!std::is_same_v<T, bool>)...);
  (record.def_property_readonly(
       fields.name, [member = fields.member](const Record& self) { return frozen(self.*member); }, fields.doc),
   ...);
  define_record(record, {fields.name...});
}

}  // namespace pucker::bindings
