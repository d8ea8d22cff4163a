/// Enumerations of the core as classes of Python.
#pragma once

#include <pybind11/native_enum.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "pucker/enum_names.h"
#include "pucker/errors.h"

namespace pucker::bindings {

namespace py = pybind11;

/// The enumeration with all its members. pybind11 alone would make a member of any number.
template <class Enum>
py::enum_<Enum> bind_enum(py::module_& m, const char* name, const char* doc) {
  py::enum_<Enum> out(m, name, doc);
  const auto& names = enum_names<Enum>();
  for (std::size_t k = 0; k < names.size(); ++k) out.value(names[k].c_str(), Enum(k));
  const auto member = [kind = std::string(name)](std::int64_t number) {
    require(is_member(Enum(number)) && std::int64_t(Enum(number)) == number, number, " is no ", kind);
    return Enum(number);
  };
  py::delattr(out, "__init__");
  py::delattr(out, "__getstate__");
  py::delattr(out, "__setstate__");
  out.def(py::init(member), py::arg("value"));
  out.def(py::pickle([](Enum value) { return std::int64_t(value); }, member));
  return out;
}

/// An enumeration without methods as an IntEnum, which also takes the name of a member: Mode("both").
template <class Enum>
void bind_int_enum(py::module_& m, const char* name, const char* doc) {
  py::native_enum<Enum> made(m, name, "enum.IntEnum", doc);
  const auto& names = enum_names<Enum>();
  for (std::size_t k = 0; k < names.size(); ++k) made.value(names[k].c_str(), Enum(k));
  made.finalize();
  const py::cpp_function find([what = std::string(name)](const py::object& /*cls*/, const py::object& value) {
    return enum_from<Enum>(std::string(py::str(value)), what);
  });
  const py::object method = py::module_::import("builtins").attr("classmethod")(find);
  m.attr(name).attr("_missing_") = method;
}

/// A member, or its name.
template <class Enum>
Enum member_from(const py::object& object, const char* name) {
  if (object.is_none()) throw py::type_error(message(name, " must be a member or its name, got None"));
  const py::dict members = py::type::of(py::cast(Enum{})).attr("__members__");
  if (py::isinstance<py::str>(object) && members.contains(object)) return py::cast<Enum>(members[object]);
  require(py::isinstance<Enum>(object), name, " must be one of ",
          std::string(py::str(py::str(", ").attr("join")(members))), ", got ", std::string(py::repr(object)));
  return py::cast<Enum>(object);
}

}  // namespace pucker::bindings
