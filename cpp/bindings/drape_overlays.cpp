#include "arrays.h"
#include "colours.h"
#include "enums.h"
#include "pucker/drape/overlays.h"

namespace pucker::bindings {

void register_drape_overlays(py::module_& m) {
  py::module_ drape = m.attr("_drape");
  bind_int_enum<drape::TriangleQuantity>(
      drape, "TriangleQuantity",
      "Numbers of triangles: how much longer edges of the guide (`strain_before`) and the cloth "
      "(`strain_after`) are than cut, as a share; `fold_sizes` and `wavelengths` as shares of the "
      "garment's largest extent; `hold`: the distance from the guide as a share of the fold size; "
      "`hold_force`: what the guide pulls with, per area, over the cloth's stiffness and extent; `contact`: the share "
      "that lies on the body; `residual`: how far vertices are from balance, as a strain.");
  drape.def(
      "triangle_values",
      [](const drape::DrapeState& state, drape::TriangleQuantity what) {
        return copy(drape::triangle_values(state, what));
      },
      py::arg("state"), py::arg("what"),
      "Numbers (m,) of the coarse triangles, each the mean over the fine edges or vertices in it; 0 for a triangle "
      "without area.");
  drape.def(
      "tints_of",
      [](const drape::DrapeState& state, drape::TriangleQuantity what) {
        return copy_colours(drape::tints_of(state, what));
      },
      py::arg("state"), py::arg("what"),
      "Colours (m, 4) uint8 of `triangle_values`: strains red where shorter, grey as cut and blue where longer, full "
      "at a fifth; the others from grey to green, full at a hold of 0.3, a force of 1, where all lies on the body, at "
      "a residual of 0.01, and at the garment's largest length.");
  drape.def(
      "legend_of",
      [](drape::TriangleQuantity what) {
        py::list out;
        for (const drape::Legend& each : drape::legend_of(what)) {
          constexpr double white = 255;
          out.append(
              py::make_tuple(std::string(each.words),
                             py::make_tuple(each.colour[0] / white, each.colour[1] / white, each.colour[2] / white)));
        }
        return out;
      },
      py::arg("what"), "Words and colours, sRGB in [0, 1], of the ends and the middle of `tints_of`.");
}

}  // namespace pucker::bindings
