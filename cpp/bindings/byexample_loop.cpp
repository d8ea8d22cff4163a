#include "byexample.h"

namespace pucker::bindings {
namespace {

py::array_t<double> applied(const BoundRows& matrix, const ArrayLike& object) {
  const Array3 in = input_array3(object, py::ssize_t(matrix.rows->cols()), "positions");
  Array3 out;
  multiply(*matrix.rows, in, out);
  return copy_matrix(out);
}

}  // namespace

void register_loop(py::module_& m) {
  py::class_<BoundRows>(m, "SparseRows",
                        "A matrix of few entries a row. `scipy.sparse.csr_matrix((s.data, s.indices, s.indptr), "
                        "s.shape)` is the same one; `s @ positions` multiplies (columns, 3).")
      .def_property_readonly(
          "data",
          [](const BoundRows& self) {
            return view(self.rows->valuePtr(), {py::ssize_t(self.rows->nonZeros())}, self.owner);
          },
          "The entries, row by row; a view.")
      .def_property_readonly(
          "indices",
          [](const BoundRows& self) {
            return view(self.rows->innerIndexPtr(), {py::ssize_t(self.rows->nonZeros())}, self.owner);
          },
          "int32: the column of each; a view.")
      .def_property_readonly(
          "indptr",
          [](const BoundRows& self) {
            return view(self.rows->outerIndexPtr(), {py::ssize_t(self.rows->rows() + 1)}, self.owner);
          },
          "(rows + 1,) int32: where each row begins; a view.")
      .def_property_readonly(
          "shape", [](const BoundRows& self) { return py::make_tuple(self.rows->rows(), self.rows->cols()); },
          "Rows and columns.")
      .def("__matmul__", &applied, py::arg("positions"), "(rows, 3): the matrix times positions (columns, 3).")
      .def("__repr__", [](const BoundRows& self) {
        return message("<SparseRows ", self.rows->rows(), " x ", self.rows->cols(), ", ", self.rows->nonZeros(),
                       " entries>");
      });

  py::class_<LoopReport>(m, "LoopReport", "Vertices that stay where they are, and triangles that are left out.")
      .def_readonly("isolated", &LoopReport::isolated, "coarse vertices of no triangle")
      .def_readonly("fans", &LoopReport::fans, "coarse vertices whose triangles form more than one fan")
      .def_readonly("degenerate", &LoopReport::degenerate, "coarse triangles that name a vertex twice");

  py::class_<LoopSubdivision, std::shared_ptr<LoopSubdivision>>(
      m, "LoopSubdivision",
      R"(A mesh subdivided any number of times at once: fine vertices are a sparse matrix times the coarse ones.

Loop's rules (1987), at the boundary those of a cubic B-spline (Hoppe et al. 1994). The vertices are those of the coarse
mesh in their order, then those of the edges of each level in theirs. A vertex of several fans that no two edges
bound, or of no triangle, stays.

Args:
    mesh: The coarse mesh.
    levels: How often each triangle becomes four; at least 0.
    corners: (n,) bool, vertices that stay where they are, as `sharp_corners` finds them; None: none.

Raises:
    ValueError: For fewer levels and another number of corners.)")
      .def(py::init([](const Mesh& mesh, int levels, const MaybeArray& corners) {
             std::vector<std::uint8_t> stay;
             if (!corners.is_none())
               stay = input_list<std::uint8_t>(corners, py::ssize_t(mesh.vertex_count()), "corners");
             const Unlocked unlocked;
             return std::make_shared<LoopSubdivision>(mesh.shared_from_this(), levels, std::vector<std::uint8_t>{},
                                                      std::move(stay));
           }),
           py::arg("mesh"), py::arg("levels"), py::arg("corners") = py::none())
      .def_property_readonly(
          "coarse", [](const LoopSubdivision& self) { return std::const_pointer_cast<Mesh>(self.coarse()); },
          "The mesh that is subdivided.")
      .def_property_readonly(
          "fine", [](const LoopSubdivision& self) { return std::const_pointer_cast<Mesh>(self.fine()); },
          "The mesh of N vertices.")
      .def_property_readonly("levels", &LoopSubdivision::levels, "How often each triangle became four.")
      .def_property_readonly(
          "matrix",
          [](const py::object& self) {
            return BoundRows{&py::cast<const LoopSubdivision&>(self).matrix(), self};
          },
          "(N, n) SparseRows: fine vertices from coarse ones; rows sum to 1, no entry is negative.")
      .def_property_readonly(
          "barycentrics",
          [](const py::object& self) {
            return BoundRows{&py::cast<const LoopSubdivision&>(self).barycentrics(), self};
          },
          "(N, n) SparseRows: what values are interpolated with that reach the fine vertices linearly.")
      .def_property_readonly("report", &LoopSubdivision::report, "What no rule of a smooth surface fits.")
      .def("__repr__", [](const LoopSubdivision& self) {
        return message("<LoopSubdivision, ", self.levels(), " levels, ", self.coarse()->triangle_count(), " to ",
                       self.fine()->triangle_count(), " triangles>");
      });

  m.def(
      "sharp_corners",
      [](const Mesh& mesh, const ArrayLike& rest) {
        const Array3 points = input_positions(mesh, rest, "rest");
        std::vector<std::uint8_t> out;
        {
          const Unlocked unlocked;
          out = sharp_corners(mesh, points);
        }
        return py::array_t<bool>(copy(out).attr("astype")("bool"));
      },
      py::arg("mesh"), py::arg("rest"),
      R"((n,) bool: corners, as a flag has four. Vertices of a border whose triangles make less than 120° together there.

Args:
    mesh: The mesh.
    rest: (n, 3), the pose it was made in. A hem around a limb, however coarse, has about 180° there.

Raises:
    ValueError: For positions that do not fit the mesh or are not finite.)");

  py::class_<LowFrequencyPart, std::shared_ptr<LowFrequencyPart>>(
      m, "LowFrequencyPart",
      R"(What of a displacement a subdivided mesh would follow as a whole: its least-squares fit by the subdivision matrix W.

Args:
    subdivision: The LoopSubdivision.)")
      .def(py::init([](const LoopSubdivision& subdivision) {
             const Unlocked unlocked;
             return std::make_shared<LowFrequencyPart>(subdivision.matrix());
           }),
           py::arg("subdivision"))
      .def(
          "of",
          [](const LowFrequencyPart& self, const ArrayLike& displacements) {
            Array3 out = input_array3(displacements, self.matrix().rows(), "displacements");
            {
              const Unlocked unlocked;
              out = self.of(out);
            }
            return copy_matrix(out);
          },
          py::arg("displacements"),
          "W (WᵀW)⁻¹ Wᵀ d, (N, 3), of displacements d (N, 3). Raises ValueError for another shape and what is not "
          "finite.")
      .def("__repr__", [](const LowFrequencyPart& self) {
        return message("<LowFrequencyPart, ", self.matrix().rows(), " vertices from ", self.matrix().cols(), ">");
      });
}

}  // namespace pucker::bindings
