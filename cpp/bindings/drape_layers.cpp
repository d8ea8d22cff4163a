#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "arrays.h"
#include "params.h"
#include "pucker/drape/layers.h"
#include "pucker/mesh/normals.h"

namespace pucker::bindings {

using namespace pucker::drape;

namespace {

Layers layers_of(const LoopSubdivision& subdivision, const Array3& cut, const drape::Params& params,
                 const std::vector<std::uint8_t>& pinned) {
  const Levels levels(subdivision.shared_from_this());
  const Lengths lengths = lengths_of(levels, cut, params);
  return {levels, cut, lengths, pinned, params.clearance * lengths.extent};
}

/// One number, or one row, of each covered vertex.
template <class T, class Of>
py::array_t<T> of_each(const Layers& self, py::ssize_t columns, const Of& of) {
  const std::vector<Covered>& covered = self.covered();
  py::array_t<T> out({py::ssize_t(covered.size()), columns});
  for (std::size_t k = 0; k < covered.size(); ++k)
    for (py::ssize_t c = 0; c < columns; ++c) out.mutable_at(py::ssize_t(k), c) = T(of(covered[k], std::size_t(c)));
  return columns == 1 ? out.reshape({py::ssize_t(covered.size())}) : out;
}

}  // namespace

void register_drape_layers(py::module_& m) {
  py::class_<Layers>(m, "Layers", R"(What keeps one layer of a garment under another.

A fine vertex is covered where a triangle of the garment lies less than 3 % of the garment's extent over it in the cut pose, facing
away from it, and hardly anything in front of the vertex is open. Or it is the other side of the same cloth, at most 1 % thick. Beside
what is covered, vertices are listed as well, with less of a share.

Args:
    subdivision: The LoopSubdivision of the garment.
    cut: (n, 3), the pose that the garment was cut for.
    params: A Params of this module.
    pinned: (N,) bool, fine vertices that stay on the guide; None for none.

Raises:
    ValueError: For shapes that do not fit, and a garment without extent.)")
      .def(py::init([](const LoopSubdivision& subdivision, const ArrayLike& cut, const drape::Params& params,
                       const MaybeArray& pinned) {
             const Array3 points = input_positions(*subdivision.coarse(), cut, "cut");
             std::vector<std::uint8_t> stays;
             if (!pinned.is_none()) stays = input_list<std::uint8_t>(pinned, -1, "pinned");
             const Unlocked unlocked;
             return std::make_unique<Layers>(layers_of(subdivision, points, params, stays));
           }),
           py::arg("subdivision"), py::arg("cut"), py::arg("params") = drape::Params{}, py::arg("pinned") = py::none())
      .def_property_readonly(
          "vertices",
          [](const Layers& self) {
            return of_each<std::int32_t>(self, 1, [](const Covered& each, std::size_t) { return each.vertex; });
          },
          "(k,): fine vertices that are covered, then those beside them.")
      .def_property_readonly(
          "corners",
          [](const Layers& self) {
            return of_each<std::int32_t>(self, 3, [&](const Covered& each, std::size_t c) {
              return self.mesh().faces()(each.over.triangle, Eigen::Index(c));
            });
          },
          "(k, 3): fine vertices of the triangle over each in the cut pose.")
      .def_property_readonly(
          "barycentrics",
          [](const Layers& self) {
            return of_each<double>(
                self, 3, [](const Covered& each, std::size_t c) { return each.over.shares[Eigen::Index(c)]; });
          },
          "(k, 3): of the place over each, in that triangle.")
      .def_property_readonly(
          "shares",
          [](const Layers& self) {
            return of_each<double>(self, 1, [](const Covered& each, std::size_t) { return each.share; });
          },
          "(k,): 1 for what is covered, less for what is beside it.")
      .def_property_readonly(
          "other_side",
          [](const Layers& self) {
            return of_each<bool>(self, 1, [](const Covered& each, std::size_t) { return each.other_side; });
          },
          "(k,): whether it is the other side of the same cloth.")
      .def(
          "over",
          [](const Layers& self, const ArrayLike& guide) {
            const Array3 at = input_array3(guide, self.mesh().vertex_count(), "guide");
            const std::vector<Covered>& covered = self.covered();
            Index3 corners(Eigen::Index(covered.size()), 3);
            Array3 shares(Eigen::Index(covered.size()), 3);
            for (std::size_t k = 0; k < covered.size(); ++k) {
              const Place place = self.over(covered[k], at);
              corners.row(Eigen::Index(k)) = self.mesh().faces().row(place.triangle);
              shares.row(Eigen::Index(k)) = place.shares;
            }
            return py::make_tuple(copy_matrix(corners), copy_matrix(shares));
          },
          py::arg("guide"),
          R"(The places over what is covered, on the guide of a frame.

A place is looked for from the one of the cut pose on, across edges, as far as the garment goes that is not covered itself. The other
side of the same cloth keeps the place that it has.

Args:
    guide: (N, 3), fine positions of the guide.

Returns:
    (k, 3) fine vertices of the triangle over each, and (k, 3) barycentric coordinates in it.

Raises:
    ValueError: For another shape.)")
      .def(
          "keep",
          [](const Layers& self, const ArrayLike& guide, const ArrayLike& fine) {
            const Array3 at = input_array3(guide, self.mesh().vertex_count(), "guide");
            Array3 x = input_array3(fine, self.mesh().vertex_count(), "fine");
            {
              const Unlocked unlocked;
              Array3 normals;
              RingNormals(self.mesh()).step(at, normals);
              self.keep(at, normals, x);
            }
            return copy_matrix(x);
          },
          py::arg("guide"), py::arg("fine"),
          R"(Fine positions, those that are covered taken under what covers them.

A vertex keeps `params.clearance` from the plane over it, or as far as the guide is if that is less, and four times as much farther as
it has slid along it; nearer, it is taken as far as needed towards where it is as the guide is from the layer. The other side of the
same cloth goes there always.

Args:
    guide: (N, 3), fine positions of the guide.
    fine: (N, 3).

Raises:
    ValueError: For another shape.)")
      .def("__repr__", [](const Layers& self) { return message("<Layers, ", self.covered().size(), " vertices>"); });
}

}  // namespace pucker::bindings
