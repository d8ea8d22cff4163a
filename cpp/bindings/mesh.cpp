#include <pybind11/pybind11.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "arrays.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/patches.h"
#include "pucker/mesh/subdivision.h"
#include "pucker/mesh/topology.h"

namespace pucker::bindings {

namespace {

std::shared_ptr<Mesh> make_mesh(const ArrayLike& faces, std::int64_t vertex_count) {
  Index3 indices = input_index3(faces, "faces");
  const Unlocked unlocked;
  return std::make_shared<Mesh>(std::move(indices), vertex_count);
}

py::array_t<double> axes_of(const LocalFrames& frames) {
  py::array_t<double> out({py::ssize_t(frames.frames.size()), py::ssize_t(2), py::ssize_t(3)});
  auto rows = out.mutable_unchecked<3>();
  for (py::ssize_t t = 0; t < rows.shape(0); ++t) {
    const TriangleFrame& frame = frames.frames[std::size_t(t)];
    const Vector3 y = frame.y();
    for (py::ssize_t k = 0; k < 3; ++k) {
      rows(t, 0, k) = frame.x[k];
      rows(t, 1, k) = y[k];
    }
  }
  return out;
}

py::array_t<double> areas_of(const LocalFrames& frames) {
  py::array_t<double> out(py::ssize_t(frames.matrices.size()));
  for (std::size_t t = 0; t < frames.matrices.size(); ++t) out.mutable_at(py::ssize_t(t)) = frames.area(t);
  return out;
}

py::array_t<double> normals_of(const LocalFrames& frames) {
  py::array_t<double> out({py::ssize_t(frames.frames.size()), py::ssize_t(3)});
  auto rows = out.mutable_unchecked<2>();
  for (py::ssize_t t = 0; t < rows.shape(0); ++t)
    for (py::ssize_t k = 0; k < 3; ++k) rows(t, k) = frames.frames[std::size_t(t)].normal[k];
  return out;
}

}  // namespace

void register_mesh(py::module_& m) {
  py::class_<MeshReport>(m, "MeshReport", "What the connectivity of a mesh holds; all are counts.")
      .def_readonly("vertices", &MeshReport::vertices, "all, isolated ones too")
      .def_readonly("triangles", &MeshReport::triangles, "all, degenerate ones too")
      .def_readonly("edges", &MeshReport::edges, "each counted once")
      .def_readonly("boundary_edges", &MeshReport::boundary_edges, "edges of one triangle")
      .def_readonly("non_manifold_edges", &MeshReport::non_manifold_edges,
                    "edges of three or more triangles, treated as boundary")
      .def_readonly("degenerate_triangles", &MeshReport::degenerate_triangles,
                    "triangles that name a vertex twice, inert")
      .def_readonly("isolated_vertices", &MeshReport::isolated_vertices, "vertices of no triangle")
      .def_readonly("fan_vertices", &MeshReport::fan_vertices, "vertices whose triangles form more than one fan");

  py::class_<Mesh, std::shared_ptr<Mesh>>(m, "Mesh", "Connectivity of a triangle mesh, fixed for its life.")
      .def(py::init(&make_mesh), py::arg("faces"), py::arg("vertex_count"),
           "faces: (m, 3) whole numbers in [0, vertex_count). Raises ValueError for another shape or a number outside.")
      .def_property_readonly("vertex_count", &Mesh::vertex_count, "Number of vertices, isolated ones too.")
      .def_property_readonly("triangle_count", &Mesh::triangle_count, "Number of triangles, degenerate ones too.")
      .def_property_readonly(
          "faces", [](const py::object& self) { return view_matrix(py::cast<const Mesh&>(self).faces(), self); },
          "(m, 3) int32, a view.")
      .def_property_readonly(
          "edges", [](const py::object& self) { return view_matrix(py::cast<const Mesh&>(self).edges(), self); },
          "(e, 2) int32, smaller vertex first, sorted; a view.")
      .def_property_readonly(
          "triangle_neighbours",
          [](const py::object& self) { return view_matrix(py::cast<const Mesh&>(self).triangle_neighbours(), self); },
          "(m, 3) int32: the neighbour across edge (k, k+1), -1 for none; a view.")
      .def_property_readonly(
          "triangle_edges",
          [](const py::object& self) { return view_matrix(py::cast<const Mesh&>(self).triangle_edges(), self); },
          "(m, 3) int32: the edge (k, k+1), -1 in a degenerate triangle; a view.")
      .def_property_readonly("report", &Mesh::report, "What the connectivity holds.")
      .def(
          "ring", [](const Mesh& mesh, std::int32_t vertex) { return copy(mesh.ring(vertex)); }, py::arg("vertex"),
          "The triangles round `vertex` in order, its fans one after the other; int32. Raises ValueError for no "
          "vertex.")
      .def(
          "fans",
          [](const Mesh& mesh, std::int32_t vertex) {
            py::list out;
            for (std::size_t i = 0; i < mesh.fan_count(vertex); ++i) {
              const Fan fan = mesh.fan(vertex, i);
              out.append(py::make_tuple(copy(fan.triangles), fan.closed));
            }
            return out;
          },
          py::arg("vertex"), "List of (triangles, closed): runs of triangles that share edges at `vertex`.")
      .def(
          "edge_levels",
          [](const Mesh& self, const ArrayLike& positions, const ArrayLike& targets, std::int32_t limit) {
            const Array3 points = input_array3(positions, py::ssize_t(self.vertex_count()), "positions");
            const auto lengths = input_list<double>(targets, py::ssize_t(self.triangle_count()), "targets");
            require(limit >= 1, "limit must be at least 1, got ", limit);
            return copy([&] {
              const Unlocked unlocked;
              return edge_levels(self, points, lengths, limit);
            }());
          },
          py::arg("positions"), py::arg("targets"), py::arg("limit") = std::numeric_limits<std::int32_t>::max(),
          R"(Number of pieces (e,) int32 of each edge with vertices at `positions` (n, 3).

As many as make them no longer than the least of the targets (m,) of the edge's triangles, but `limit` at most; 1 where
none of these is finite. Raises ValueError for another shape, a target that is not positive, and a limit below 1.)")
      .def(
          "wanted_patches",
          [](const Mesh& self, const ArrayLike& wishes, const ArrayLike& borders) {
            const auto wanted = input_list<double>(wishes, py::ssize_t(self.triangle_count()), "wishes");
            const auto costs = input_list<double>(borders, py::ssize_t(self.edge_count()), "borders");
            return copy([&] {
              const Unlocked unlocked;
              return wanted_patches(self, wanted, costs);
            }());
          },
          py::arg("wishes"), py::arg("borders"),
          R"(Triangles divided in two by a minimum cut: (m,) int32, the patch that each is in, from 0, -1 for none.

Triangles of a patch are connected across edges. The sum of all costs is least, and of equal sums that with the fewest
triangles is taken (Greig, Porteous and Seheult 1989).

Args:
    wishes: (m,) what it costs that a triangle is in no patch; where negative, what it costs that it is in one, as an
        absolute value.
    borders: (e,) what it costs that an edge has a patch on one side only, at least 0.

Raises:
    ValueError: For another shape, a number that is not finite, or a negative border.)")
      .def(py::pickle([](const Mesh& mesh) { return py::make_tuple(copy_matrix(mesh.faces()), mesh.vertex_count()); },
                      [](const py::tuple& state) { return make_mesh(state[0], py::cast<std::int64_t>(state[1])); }));

  py::class_<LocalFrames, std::shared_ptr<LocalFrames>>(m, "LocalFrames",
                                                        "Each triangle as a 2x2 matrix in its own plane.")
      .def_property_readonly(
          "matrices", [](const py::object& self) { return view(py::cast<const LocalFrames&>(self).matrices, self); },
          "(m, 2, 2): columns v1-v0 and v2-v0 in the frame; a view.")
      .def_property_readonly("axes", &axes_of, "(m, 2, 3): x and y of the frame in space, unit.")
      .def_property_readonly("normals", &normals_of, "(m, 3), unit; zero for a triangle without area.")
      .def_property_readonly("areas", &areas_of, "(m,), square of the clip's unit of length.");

  m.def(
      "local_frames",
      [](const Mesh& mesh, const ArrayLike& positions) {
        const Array3 points = input_positions(mesh, positions);
        require_positions(mesh, points);
        const Unlocked unlocked;
        return std::make_shared<LocalFrames>(local_frames(mesh, points));
      },
      py::arg("mesh"), py::arg("positions"),
      "Local frames of all triangles for `positions` (n, 3): x along v1-v0, y = normal x x (Gillette 2015, section "
      "4.1). "
      "Raises ValueError for another shape or a position that is not finite.");
  m.def(
      "vertex_normals",
      [](const Mesh& mesh, const ArrayLike& positions) {
        const Array3 points = input_positions(mesh, positions);
        require_positions(mesh, points);
        Array3 normals;
        {
          const Unlocked unlocked;
          vertex_normals(mesh, points, normals);
        }
        return copy_matrix(normals);
      },
      py::arg("mesh"), py::arg("positions"),
      "(n, 3): area-weighted mean normals of the triangles round each vertex, unit; zero where there is no area.");
  m.def(
      "mean_edge_length",
      [](const Mesh& mesh, const ArrayLike& positions) {
        const Array3 points = input_positions(mesh, positions);
        require_positions(mesh, points);
        return mean_edge_length(mesh, points);
      },
      py::arg("mesh"), py::arg("positions"),
      "Mean length of the edges, in the unit of `positions`; 0 for a mesh without edges. Raises ValueError for another "
      "shape or a position that is not finite.");
}

}  // namespace pucker::bindings
