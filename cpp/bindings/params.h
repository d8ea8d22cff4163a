/// Binds a tree of parameters that has visit_params: its fields, text forms and pickling.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pucker/any_params.h"
#include "pucker/errors.h"
#include "pucker/nearest.h"
#include "pucker/params.h"

namespace pucker::bindings {

namespace py = pybind11;

/// The names of an enum's members and the members.
template <class T>
py::dict members_of() {
  return py::type::of(py::cast(T{})).attr("__members__");
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// What a parameter of type T may be, in words.
template <class T>
std::string kind_of() {
  if constexpr (IsOptional<T>::value) {
    return kind_of<typename T::value_type>() + " or None";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "True or False";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "a text";
  } else if constexpr (std::is_enum_v<T>) {
    return "one of " + std::string(py::str(", ").attr("join")(members_of<T>()).template cast<std::string>());
  } else if constexpr (std::is_integral_v<T>) {
    return message("a whole number of ", 8 * sizeof(T), " bits", std::is_signed_v<T> ? "" : " and at least 0");
  } else if constexpr (std::is_floating_point_v<T>) {
    return "a number";
  } else {
    return "a dict or " + std::string(py::str(py::type::of<T>().attr("__name__")));
  }
}

/// A number, enum, switch or text from Python; an enum also by its name, as it stands in a TOML file.
template <class T>
T value_from(const py::handle& object, const std::string& name) {
  if constexpr (std::is_enum_v<T>) {
    const py::dict members = members_of<T>();
    if (py::isinstance<py::str>(object) && members.contains(object)) return py::cast<T>(members[object]);
  }
  if constexpr (IsOptional<T>::value) {
    if (object.is_none()) return std::nullopt;
  }
  try {
    // Python counts True as 1, but a switch is no number and a number no switch.
    if (object.is_none() || py::isinstance<py::bool_>(object) != std::is_same_v<T, bool>) throw py::cast_error();
    return py::cast<T>(object);
  } catch (const py::cast_error&) {
    throw InvalidArgument(message("params.", name, " must be ", kind_of<T>(), ", got ", std::string(py::repr(object))));
  }
}

template <class P>
void assign(P& params, const py::dict& values, const std::string& path);

/// Takes the fields named in a dict; whatever it has not taken is unknown.
class Assigner {
 public:
  Assigner(const py::dict& values, std::string path) : values_(values), path_(std::move(path)) {}

  template <class T>
  void field(const char* name, T& value, const Range&, const char*) {
    take(name, value);
  }
  template <class T>
  void choice(const char* name, T& value, const char*) {
    take(name, value);
  }
  template <class Node>
  void node(const char* name, Node& node, const char*) {
    names_.emplace_back(name);
    if (!values_.contains(name)) return;
    const py::object value = values_[name];
    if (py::isinstance<py::dict>(value)) {
      assign(node, value, path_ + name + ".");
    } else {
      node = value_from<Node>(value, path_ + name);
    }
  }
  void finish() const {
    for (const auto& [key, value] : values_) {
      const std::string name = py::str(key);
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) continue;
      std::string known;
      for (const std::string& n : names_) known += (known.empty() ? "" : ", ") + n;
      throw InvalidArgument(
          message("params has no '", path_, name, "'", did_you_mean(name, names_), "; there are ", known));
    }
  }

 private:
  template <class T>
  void take(const char* name, T& value) {
    names_.emplace_back(name);
    if (values_.contains(name)) value = value_from<T>(values_[name], path_ + name);
  }

  const py::dict& values_;
  std::string path_;
  std::vector<std::string> names_;
};

template <class P>
void assign(P& params, const py::dict& values, const std::string& path) {
  Assigner assigner(values, path);
  visit_params(params, assigner);
  assigner.finish();
}

/// All fields as a dict of numbers, strings and dicts.
struct ToDict {
  py::dict out;

  template <class T>
  void field(const char* name, const T& value, const Range&, const char*) {
    out[name] = value;
  }
  template <class T>
  void choice(const char* name, const T& value, const char*) {
    if constexpr (std::is_enum_v<T>) {
      out[name] = py::cast(value).attr("name");
    } else {
      out[name] = value;
    }
  }
  template <class Node>
  void node(const char* name, const Node& node, const char*) {
    ToDict inner;
    visit_params(node, inner);
    out[name] = inner.out;
  }
};

template <class P>
py::dict to_dict(const P& params) {
  ToDict visitor;
  visit_params(params, visitor);
  return visitor.out;
}

/// Calls `get(value)` for the field called `wanted`.
template <class Get>
struct Getter {
  std::string wanted;
  Get get;

  template <class T>
  void field(const char* name, const T& value, const Range&, const char*) {
    if (wanted == name) get(value);
  }
  template <class T>
  void choice(const char* name, const T& value, const char*) {
    if (wanted == name) get(value);
  }
  template <class Node>
  void node(const char* name, const Node& node, const char*) {
    if (wanted == name) get(node);
  }
};

/// Defines a read-only property for each field.
template <class P>
struct PropertyMaker {
  py::class_<P>& cls;

  template <class T>
  void define(const char* name, const std::string& doc) {
    cls.def_property_readonly(
        name,
        [wanted = std::string(name)](const P& params) {
          T out{};
          const auto keep = [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, T>) out = value;
          };
          visit_params(params, Getter<decltype(keep)>{wanted, keep});
          return out;
        },
        doc.c_str());
  }
  template <class T>
  void field(const char* name, const T& value, const Range& range, const char* doc) {
    define<T>(name, message(doc, "; in ", to_string(range), ", default ", value));
  }
  template <class T>
  void field(const char* name, const std::optional<T>& value, const Range& range, const char* doc) {
    const std::string given = value ? message(*value) : "None";
    define<std::optional<T>>(name, message(doc, "; in ", to_string(range), ", default ", given));
  }
  template <class T>
  void choice(const char* name, const T& value, const char* doc) {
    define<T>(name, message(doc, "; default ", std::string(py::str(py::cast(value)))));
  }
  template <class Node>
  void node(const char* name, const Node&, const char* doc) {
    define<Node>(name, doc);
  }
};

/// One entry of the list of all fields, from which sliders, tables and options are made.
struct ParamField {
  std::string name;
  std::string doc;
  py::object default_value;
  std::optional<Range> range;
  std::vector<std::string> choices;
  bool common = false;
};

/// All fields of a tree in order, those of nodes included; `defaults` is the object that has them.
std::vector<ParamField> fields_of(AnyParams& params, const py::object& defaults);

/// A node of a tree, or the tree itself, whose `validate` is called for every value that is made.
template <class P>
py::class_<P> bind_node(py::module_& m, const char* name, const char* doc) {
  py::class_<P> cls(m, name, doc);
  cls.def(py::init([](const py::kwargs& values) {
            P params;
            assign(params, values, "");
            if constexpr (requires { params.validate(); }) params.validate();
            return params;
          }),
          "Defaults, but for the fields given. Enums may be given by name, nodes as dicts. Raises ValueError for an "
          "unknown field or a value of the wrong kind; the whole tree also for a value out of its range.");
  cls.def(
      "replace",
      [](const P& params, const py::kwargs& values) {
        P out = params;
        assign(out, values, "");
        if constexpr (requires { out.validate(); }) out.validate();
        return out;
      },
      "The same with the fields given replaced; a node given as a dict keeps its other fields.");
  cls.def("to_dict", &to_dict<P>, "All fields as a dict of numbers, strings and dicts.");
  cls.def("__repr__", [name = std::string(name)](const P& params) {
    std::string out;
    for (const auto& [key, value] : to_dict(params))
      out += (out.empty() ? "" : ", ") + std::string(py::str(key)) + "=" + std::string(py::repr(value));
    return name + "(" + out + ")";
  });
  cls.def("__eq__", [](const P& a, const py::object& b) {
    return py::isinstance<P>(b) && to_dict(a).equal(to_dict(py::cast<const P&>(b)));
  });
  cls.def("__hash__", [](const P& params) { return py::hash(py::repr(to_dict(params))); });
  cls.def(py::pickle([](const P& params) { return to_dict(params); },
                     [](const py::dict& values) {
                       P params;
                       assign(params, values, "");
                       return params;
                     }));
  const P defaults;
  visit_params(defaults, PropertyMaker<P>{cls});
  return cls;
}

/// The whole tree of a method's parameters.
template <class P>
py::class_<P> bind_tree(py::module_& m, const char* name, const char* doc) {
  return bind_node<P>(m, name, doc)
      .def("validate", &P::validate, "Raises ValueError naming the first parameter out of its range.")
      .def_static(
          "fields",
          [] {
            ParamsOf<P> defaults;
            return fields_of(defaults, py::cast(P{}));
          },
          "List of ParamField: all fields in order, those of nodes included.")
      .def(
          "to_toml",
          [](const P& params) {
            return py::cast<std::string>(py::module_::import("pucker.toml").attr("dumps")(to_dict(params)));
          },
          "The tree as a TOML document; from_toml gives an equal tree back.")
      .def_static(
          "from_toml",
          [](const std::string& text) {
            const py::module_ toml = py::module_::import("tomllib");
            py::dict values;
            try {
              values = toml.attr("loads")(text);
            } catch (py::error_already_set& error) {
              if (!error.matches(toml.attr("TOMLDecodeError"))) throw;
              throw InvalidArgument(message("params are no TOML document: ", std::string(py::str(error.value()))));
            }
            P params;
            assign(params, values, "");
            params.validate();
            return params;
          },
          py::arg("text"), "A tree from a TOML document; fields left out have their defaults.");
}

}  // namespace pucker::bindings
