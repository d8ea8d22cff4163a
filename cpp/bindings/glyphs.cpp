#include "pucker/dynamic/glyphs.h"

#include "arrays.h"

namespace pucker::bindings {

namespace {

/// Corners (k·corners, 3) as polygons (k, corners, 3).
py::array_t<double> polygons(const Array3& rows, py::ssize_t corners) {
  return py::array_t<double>({py::ssize_t(rows.rows()) / corners, corners, py::ssize_t(3)}, rows.data());
}

}  // namespace

void register_glyphs(py::module_& m) {
  m.def(
      "stretch_ellipses",
      [](const ArrayLike& faces, const ArrayLike& positions, const LocalFrames& frames, const Stretch& stretch) {
        const auto [indices, points] = input_surface(faces, positions);
        return polygons(stretch_ellipses(indices, points, frames, stretch), kEllipseCorners);
      },
      py::arg("faces"), py::arg("positions"), py::arg("frames"), py::arg("stretch"),
      "(k, 32, 3): closed polygons in the planes of triangles (m, 3) at positions (n, 3), of which `frames` are. The "
      "axes are the principal stretches from the reference along their directions; an unstretched triangle has a "
      "circle of half its inscribed circle's radius. Triangles without area have none. Raises ValueError for another "
      "shape, a vertex there is not, or other than one frame and one stretch with directions a triangle.");
  m.def(
      "reference_triangles",
      [](const ArrayLike& faces, const ArrayLike& positions, const LocalFrames& frames, const Stretch& stretch,
         const ArrayLike& reference) {
        const auto [indices, points] = input_surface(faces, positions);
        const Matrix2List matrices = input_matrices(reference, indices.rows(), "reference");
        return polygons(reference_triangles(indices, points, frames, stretch, matrices), 3);
      },
      py::arg("faces"), py::arg("positions"), py::arg("frames"), py::arg("stretch"), py::arg("reference"),
      "(k, 3, 3): the reference triangles (m, 2, 2), laid centroid on centroid into the planes of the present ones and "
      "turned by A B^T of F = A S B^T (Gillette 2015, equation 4.1). Triangles without area have none. Raises "
      "ValueError as stretch_ellipses does.");
}

}  // namespace pucker::bindings
