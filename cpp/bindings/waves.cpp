#include "waves.h"

namespace pucker::bindings {

void register_pleat(py::module_& m);
void register_crush(py::module_& m);
void register_relax(py::module_& m);
void register_wave_field(py::module_& m);
void register_computed(py::module_& m);
void register_painting(py::module_& m);

namespace {

void register_params_of_waves(py::module_& m) {
  bind_enum<WavelengthUnit>(m, "WavelengthUnit", "What a wavelength is measured in.");
  bind_enum<Pleat>(m, "Pleat", "Cross-section of the waves.");
  bind_enum<Gradient>(m, "Gradient", "Slope of the field without or with the change of the corners' weights.");
  bind_enum<Coordinates>(m, "Coordinates", "What phases are measured along: the rest pose, or the frame as printed.");
  bind_enum<Compute>(m, "Compute", "Where frames are computed.");
  bind_enum<Start>(m, "Start", "The phases of waves that appear.");
  bind_enum<Influence>(m, "Influence", "The height by which a neighbour weighs: relative, or a length as printed.");
  bind_node<CrushParams>(m, "CrushParams", "Local deformation (Loviscach 2006, section 4.2).");
  bind_node<RelaxParams>(m, "RelaxParams", "Alignment of the waves of neighbours (Loviscach 2006, section 5.2).");
  bind_tree<waves::Params>(m, "Params", "Every number a run of the wave field depends on besides its clip.");
}

}  // namespace

void register_waves(py::module_& m) {
  py::module_ waves = m.def_submodule("_waves", R"(The wave field: a plane wave per vertex, aligned with its neighbours.

J. Loviscach, Wrinkling Coarse Meshes on the GPU, Computer Graphics Forum 25(3), 2006.)");
  register_params_of_waves(waves);
  register_pleat(waves);
  register_crush(waves);
  register_relax(waves);
  register_wave_field(waves);
  register_computed(waves);
  register_painting(waves);
}

}  // namespace pucker::bindings
