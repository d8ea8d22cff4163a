/// Enumerations of the core as classes of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "pucker/enum_names.h"

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

}  // namespace pucker::bindings
