#include "params.h"

#include <algorithm>
#include <variant>

#include "pucker/dynamic/params.h"

#include "enums.h"

namespace pucker::bindings {

namespace {

std::optional<double> low_of(const ParamField& field) {
  return field.range ? std::optional(field.range->low) : std::nullopt;
}
std::optional<double> high_of(const ParamField& field) {
  return field.range ? std::optional(field.range->high) : std::nullopt;
}

/// The attribute of a dotted name.
py::object value_at(py::object values, const std::string& path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    values = values.attr(path.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
  return values;
}

}  // namespace

std::vector<ParamField> fields_of(AnyParams& params, const py::object& defaults) {
  std::vector<ParamField> out;
  const std::span<const std::string_view> common = params.common();
  for_each_param(params, [&](const std::string& path, const Parameter& parameter) {
    std::vector<std::string> choices;
    if (const auto* choice = std::get_if<Parameter::Choice>(&parameter.value))
      choices.assign(choice->names.begin(), choice->names.end());
    const bool is_common = std::ranges::find(common, path) != common.end();
    out.push_back({path, parameter.doc, value_at(defaults, path), parameter.range, std::move(choices), is_common});
  });
  return out;
}

void register_params(py::module_& m) {
  m.def(
      "did_you_mean",
      [](const std::string& name, const std::vector<std::string>& known) { return did_you_mean(name, known); },
      py::arg("name"), py::arg("known"),
      "The known name nearest to a misspelt one, in \" (did you mean 'x'?)\" to stand behind it in a message; empty if "
      "none is near.");
  bind_enum<Norm>(m, "Norm", "Norm of (a-1, b-1) in the label costs.");
  bind_enum<LabelSolver>(m, "LabelSolver", "How labels are found.");
  bind_enum<PersistenceMethod>(m, "PersistenceMethod", "How paths are carried between frames.");
  bind_enum<Profile>(m, "Profile", "Cross-section of a wrinkle.");
  bind_enum<ReferenceStart>(m, "ReferenceStart", "What the reference triangles start as.");
  bind_enum<Seeding>(m, "Seeding", "Where new paths may start.");
  bind_enum<HeightRule>(m, "HeightRule", "What keeps the cloth's length across a wrinkle.");

  py::class_<ParamField>(m, "ParamField", "What a parameter is: one entry of Params.fields().")
      .def_readonly("name", &ParamField::name, "As in the text form, 'threshold' or 'shape.profile'.")
      .def_readonly("doc", &ParamField::doc, "Meaning and unit.")
      .def_readonly("default", &ParamField::default_value,
                    "A number, bool, text or member of an enumeration; None for a number that may be left out.")
      .def_readonly("choices", &ParamField::choices, "Names of an enumeration's members; empty for all others.")
      .def_readonly("common", &ParamField::common, "Whether most users change it; the others are for experts.")
      .def_property_readonly("low", &low_of, "Lower end of a number's range, None for all others.")
      .def_property_readonly("high", &high_of, "Upper end of a number's range, itself allowed unless infinite.")
      .def_property_readonly(
          "low_included", [](const ParamField& field) { return field.range && field.range->low_included; },
          "Whether the lower end itself is allowed.")
      .def("__repr__", [](const ParamField& field) { return "<ParamField " + field.name + ">"; });

  bind_node<LabelParams>(m, "LabelParams", "Compress / rest / stretch labelling (Gillette 2015, chapter 4).");
  bind_node<ReferenceParams>(m, "ReferenceParams", "Reference triangles (Gillette 2015, section 4.2).");
  bind_node<FabricParams>(m, "FabricParams", "What the cloth is made of (Cerda and Mahadevan 2003).");
  bind_node<GuideParams>(m, "GuideParams", "What stands for the cloth when its stretch is measured.");
  bind_node<TracingParams>(m, "TracingParams", "Seeding and tracing of paths (Gillette 2015, section 5.1).");
  bind_node<PersistenceParams>(m, "PersistenceParams", "Motion of paths between frames (Gillette 2015, section 5.2).");
  bind_node<ShapeParams>(m, "ShapeParams", "Widths and heights (Gillette 2015, chapter 6).");
  bind_tree<Params>(m, "Params", "Every number a run depends on besides its clip: one frozen tree.")
      .def_static("ridges", &Params::ridges, "Single narrow ridges, where cloth is compressed by a tenth and more.")
      .def_static("printed", &Params::printed,
                  "Single narrow ridges by the theses' formulas as printed, without this library's additions.")
      .def_property_readonly("flat_width", &Params::flat_width,
                             "Width of a flat wrinkle and arc length of every cross-section: pi * min_width. Raises "
                             "ValueError unless min_width is given.")
      .def("for_height", &Params::for_height, py::arg("height"),
           "The same for a clip of that height, with both widths: min_width, which is relative_width of it unless it "
           "or fabric.bending was given, and then the share that it is. Raises ValueError for a height of which "
           "there is no share.");
}

}  // namespace pucker::bindings
