#include "pucker/dynamic/overlays.h"

#include "arrays.h"
#include "colours.h"

namespace pucker::bindings {

void register_overlays(py::module_& m) {
  m.attr("LABEL_TINTS") = copy_colours(kLabelTints);
  m.def(
      "label_tints",
      [](const ArrayLike& labels) { return copy_colours(label_tints(input_list<std::int8_t>(labels, -1, "labels"))); },
      py::arg("labels"),
      "Tints (m, 4) uint8 of labels (m,): red for contraction (0), grey for rest (1), blue for stretching (2). Raises "
      "ValueError for any other label.");
  m.def(
      "ellipse_lines",
      [](const ArrayLike& faces, const ArrayLike& positions, const LocalFrames& frames, const Stretch& stretch,
         double width) {
        const auto [indices, points] = input_surface(faces, positions);
        return ellipse_lines(indices, points, frames, stretch, width);
      },
      py::arg("faces"), py::arg("positions"), py::arg("frames"), py::arg("stretch"),
      py::arg("width") = draw::kLineWidth, "The ellipses of stretch_ellipses, which raises, as lines.");
  m.def(
      "reference_lines",
      [](const ArrayLike& faces, const ArrayLike& positions, const LocalFrames& frames, const Stretch& stretch,
         const ArrayLike& reference, double width) {
        const auto [indices, points] = input_surface(faces, positions);
        const Matrix2List matrices = input_matrices(reference, indices.rows(), "reference");
        return reference_lines(indices, points, frames, stretch, matrices, width);
      },
      py::arg("faces"), py::arg("positions"), py::arg("frames"), py::arg("stretch"), py::arg("reference"),
      py::arg("width") = draw::kLineWidth, "The outlines of reference_triangles, which raises, as lines.");
  m.def(
      "seed_dots", [](const ArrayLike& points) { return seed_dots(input_array3(points, -1, "points")); },
      py::arg("points"), "Points (k, 3) at which paths may start, as dots.");
}

}  // namespace pucker::bindings
