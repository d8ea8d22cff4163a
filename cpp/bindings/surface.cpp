#include "pucker/dynamic/surface.h"

#include <pybind11/stl.h>

#include "arrays.h"
#include "packing.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/subdivision.h"

namespace pucker::bindings {

namespace {

/// What a PathDetail refers to.
struct OwnedFrame {
  std::shared_ptr<const Mesh> mesh;
  Array3 positions;
  PackedInput packed;
};

class OwnedPathDetail : private OwnedFrame, public PathDetail {
 public:
  OwnedPathDetail(OwnedFrame frame, Profile profile, double feature_size)
      : OwnedFrame(std::move(frame)),
        PathDetail(*OwnedFrame::mesh, OwnedFrame::positions, OwnedFrame::packed.packed(), profile, feature_size) {}
};

std::shared_ptr<PathDetail> make_detail(const Mesh& mesh, const ArrayLike& positions, const py::object& packed,
                                        std::optional<double> feature_size, Profile profile) {
  require(!feature_size || (std::isfinite(*feature_size) && *feature_size > 0),
          "feature_size must be finite and positive, got ", feature_size.value_or(0));
  OwnedFrame frame{mesh.shared_from_this(), input_positions(mesh, positions), PackedInput(packed)};
  require_positions(mesh, frame.positions);
  require_packed(frame.packed.packed(), mesh.triangle_count());
  const double least = feature_size.value_or(least_width(frame.packed.packed().points));
  return std::make_shared<OwnedPathDetail>(std::move(frame), profile, least);
}

/// The profile that wrinkles have unless their run says otherwise.
py::arg_v profile_argument() { return {"profile", ShapeParams{}.profile, "Profile.crease"}; }

struct WrinkledSurface {
  std::shared_ptr<const Mesh> mesh;
  Profile profile;

  SurfacePoints evaluate(const ArrayLike& positions, const py::object& packed, const ArrayLike& triangles,
                         const ArrayLike& barycentrics) const {
    const Array3 points = input_positions(*mesh, positions);
    const PackedInput wrinkles(packed);
    const auto numbers = input_list<std::int32_t>(triangles, -1, "triangles");
    const Array3 coordinates = input_array3(barycentrics, py::ssize_t(numbers.size()), "barycentrics");
    const Unlocked unlocked;
    return evaluate_surface(*mesh, profile, points, wrinkles.packed(), numbers, coordinates);
  }
};

Subdivision subdivision_of(const Mesh& mesh, const ArrayLike& levels) {
  const auto array = input_indices(levels, "levels");
  std::vector<std::int32_t> list;
  if (array.ndim() == 0) {
    list.assign(std::size_t(mesh.edge_count()), *array.data());
  } else {
    require_shape(array, {py::ssize_t(mesh.edge_count())}, "levels");
    list.assign(array.data(), array.data() + array.size());
  }
  const Unlocked unlocked;
  return subdivide(mesh, list);
}

}  // namespace

void register_surface(py::module_& m) {
  py::class_<PathDetail, Detail, std::shared_ptr<PathDetail>>(m, "PathDetail",
                                                              R"(The wrinkled surface of one frame.

Args:
    mesh: The mesh.
    positions: (n, 3) vertices of the frame.
    packed: The frame's packed wrinkles: `State.packed`, or anything with the arrays `triangles`, `overlaps` and `points`.
    feature_size: The smallest width that a wrinkle may have; the least that one has if left out.
    profile: Cross-section of the wrinkles.

Raises ValueError for a wrong shape, a position that is not finite, and packed buffers that do not fit each other or the
mesh.)")
      .def(py::init(&make_detail), py::arg("mesh"), py::arg("positions"), py::arg("packed"),
           py::arg("feature_size") = py::none(), py::kw_only(), profile_argument())
      .def_property_readonly("profile", &PathDetail::profile, "Cross-section of the wrinkles.")
      .def_property_readonly_static(
          "SAMPLES_PER_SEGMENT", [](const py::object&) { return kCurveSamples; },
          "Pieces of one path segment as it is drawn.")
      .def_property_readonly_static(
          "OVERLAP_TRIANGLE_BITS", [](const py::object&) { return kOverlapTriangleBits; },
          "Bits of an entry of the block Overlaps that hold its triangle.");

  py::class_<WrinkledSurface>(m, "WrinkledSurface",
                              R"(The wrinkled surface of a mesh, evaluated point by point in double precision.

The formulas are those of the shaders (Gillette 2015, chapter 7), so that a point comes out where it is drawn.

Args:
    mesh: The mesh.
    profile: Cross-section of the wrinkles.)")
      .def(py::init([](const Mesh& mesh, Profile profile) {
             return WrinkledSurface{mesh.shared_from_this(), profile};
           }),
           py::arg("mesh"), profile_argument())
      .def_property_readonly(
          "mesh", [](const WrinkledSurface& self) { return std::const_pointer_cast<Mesh>(self.mesh); },
          "The coarse mesh.")
      .def_readonly("profile", &WrinkledSurface::profile, "Cross-section of the wrinkles.")
      .def("evaluate", &WrinkledSurface::evaluate, py::arg("positions"), py::arg("packed"), py::arg("triangles"),
           py::arg("barycentrics"),
           R"(The surface at N points of the mesh.

Args:
    positions: (n, 3) vertices of the frame.
    packed: The frame's packed wrinkles: `State.packed`, or anything with the arrays `triangles`, `overlaps` and `points`.
    triangles: (N,) the triangle each point lies in.
    barycentrics: (N, 3) its coordinates there.

Returns:
    SurfacePoints. Points of an edge are the same from both its triangles.

Raises:
    ValueError: For a wrong shape, a position that is not finite, packed buffers that do not fit each other or the mesh,
        a triangle out of range, or coordinates outside of it.)");

  py::class_<Subdivision, std::shared_ptr<Subdivision>>(
      m, "Subdivision", R"(A mesh with divided edges, without cracks, and where its parts lie on the coarse one.

Args:
    mesh: The coarse mesh.
    levels: Number of equal pieces of each edge, (e,), or one number for all; at least 1.

Vertices are those of the mesh in their order, then the points of its edges, then those inside triangles. A vertex of no
triangle is left out. Raises ValueError for another shape or a level below 1.)")
      .def(py::init(&subdivision_of), py::arg("mesh"), py::arg("levels"))
      .def_property_readonly(
          "faces", [](const py::object& self) { return view_matrix(py::cast<const Subdivision&>(self).faces, self); },
          "(M, 3) int32, oriented as the coarse triangles; a view.")
      .def_property_readonly(
          "triangles", [](const py::object& self) { return view(py::cast<const Subdivision&>(self).triangles, self); },
          "(N,) int32: a coarse triangle that each vertex lies in; a view.")
      .def_property_readonly(
          "barycentrics",
          [](const py::object& self) { return view_matrix(py::cast<const Subdivision&>(self).barycentrics, self); },
          "(N, 3): its coordinates there; a view.")
      .def_property_readonly(
          "source", [](const py::object& self) { return view(py::cast<const Subdivision&>(self).source, self); },
          "(M,) int32: the coarse triangle that each face is part of; a view.")
      .def_property_readonly(
          "corners",
          [](const Subdivision& self) {
            const auto count = std::int32_t(self.faces.rows());
            py::array_t<double> out({py::ssize_t(count), py::ssize_t(3), py::ssize_t(3)});
            double* to = out.mutable_data();
            for (std::int32_t f = 0; f < count; ++f)
              for (int k = 0; k < 3; ++k)
                for (const double share : self.corner(f, k)) *to++ = share;
            return out;
          },
          "(M, 3, 3): coordinates of each face's corners in its own coarse triangle.\n\n"
          "For values that differ between the triangles of a vertex, such as texture coordinates at seams.");

  m.def(
      "edge_levels",
      [](const Mesh& mesh, const ArrayLike& positions, const py::object& packed, double target_edge, int limit) {
        const Array3 points = input_positions(mesh, positions);
        require_positions(mesh, points);
        const PackedInput wrinkles(packed);
        return copy([&] {
          const Unlocked unlocked;
          require_packed(wrinkles.packed(), mesh.triangle_count());
          return PathDetail(mesh, points, wrinkles.packed(), ShapeParams{}.profile, 1.0)
              .edge_levels(target_edge, limit);
        }());
      },
      py::arg("mesh"), py::arg("positions"), py::arg("packed"), py::arg("target_edge"), py::kw_only(),
      py::arg("limit") = 64,
      R"(Number of pieces (e,) int32 that drawing divides each edge of `mesh` into.

As many as make the pieces no longer than `target_edge`, but `limit` at most; 1 where no wrinkle overlaps a triangle of
the edge. Raises ValueError as `WrinkledSurface.evaluate` does, and for a target or a limit that is not positive.)");
}

}  // namespace pucker::bindings
