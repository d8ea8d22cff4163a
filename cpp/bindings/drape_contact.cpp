#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "method.h"
#include "params.h"
#include "pucker/drape/drape.h"
#include "pucker/reuse.h"

namespace pucker::bindings {

using namespace pucker::drape;

namespace {

/// A Contact with its body, all of whose calls are one at a time.
struct BoundContact {
  Contact core;

  BoundContact(const std::shared_ptr<const Body>& body, const LoopSubdivision& subdivision, const Array3& cut,
               const drape::Params& params)
      : core(made(body, Levels(subdivision.shared_from_this()), cut, params)) {}

  static Contact made(const std::shared_ptr<const Body>& body, const Levels& levels, const Array3& cut,
                      const drape::Params& params) {
    const double extent = lengths_of(levels, cut, params).extent;
    return {body, levels, cut, params.clearance * extent, kReach * extent};
  }
};

std::shared_ptr<Body> body_of(const ArrayLike& faces, const ArrayLike& positions, const MaybeArray& cut) {
  auto frames = input<double>(positions, "positions");
  require_shape(frames, {-1, -1, 3}, "positions");
  require(frames.shape(0) > 0, "positions must have a frame");
  Array3 pose;
  if (cut.is_none()) {
    pose = Eigen::Map<const Array3>(frames.data(), frames.shape(1), 3);
  } else {
    pose = input_array3(cut, frames.shape(1), "cut");
  }
  return std::make_shared<Body>(input_index3(faces, "faces"),
                                std::vector<double>(frames.data(), frames.data() + frames.size()), std::move(pose));
}

py::array_t<double> frames_of(const Body& body) {
  py::array_t<double> out({py::ssize_t(body.frame_count()), py::ssize_t(body.cut().rows()), py::ssize_t(3)});
  std::ranges::copy(body.all_positions(), out.mutable_data());
  return out;
}

}  // namespace

void register_drape_contact(py::module_& m) {
  py::class_<Body, std::shared_ptr<Body>>(m, "Body", R"(What of a character is not the garment, in all frames of a clip.

Args:
    faces: (m, 3), counterclockwise seen from outside. Vertices in one place should be one: only what is closed has an inside.
    positions: (frames, nb, 3).
    cut: (nb, 3) in the pose that the garment was cut for; None: the first frame.

Raises:
    ValueError: For other shapes, a triangle out of range, and positions that are not finite.)")
      .def(py::init([](const ArrayLike& faces, const ArrayLike& positions, const MaybeArray& cut) {
             return body_of(faces, positions, cut);
           }),
           py::arg("faces"), py::arg("positions"), py::arg("cut") = py::none())
      .def_property_readonly(
          "faces", [](const Body& self) { return copy_matrix(self.faces()); }, "(m, 3).")
      .def_property_readonly("positions", &frames_of, "(frames, nb, 3).")
      .def_property_readonly(
          "cut", [](const Body& self) { return copy_matrix(self.cut()); }, "(nb, 3).")
      .def("__len__", &Body::frame_count)
      .def("__repr__",
           [](const Body& self) {
             return message("<Body, ", self.cut().rows(), " vertices, ", self.frame_count(), " frames>");
           })
      .def(py::pickle(
          [](const Body& self) {
            return py::make_tuple(copy_matrix(self.faces()), frames_of(self), copy_matrix(self.cut()));
          },
          [](const py::tuple& state) {
            require(state.size() == 3, "a pickled body has 3 parts, got ", state.size());
            return body_of(state[0], state[1], state[2]);
          }));

  py::class_<BoundContact>(m, "Contact", R"(Distances of fine vertices from a body, and what takes them out of it.

Solid is what of the body has a back, and all of a connected piece most of which has one: capes and strands of hair do not count. A
vertex has contact where its nearest place is solid and it has not come in by an opening, such as the wrist of a hand, or where its
straight way from the guide, once that is set in the frame, goes in through the surface. The room that it keeps is
`params.clearance`, or less where the coarse surface is nearer or inside in the cut pose.

Args:
    body: A Body.
    subdivision: The LoopSubdivision of the garment.
    cut: (n, 3), the pose that the garment was cut for.
    params: A Params of this module.

Raises:
    ValueError: For shapes that do not fit, and a garment without extent.)")
      .def(py::init([](const std::shared_ptr<Body>& body, const LoopSubdivision& subdivision, const ArrayLike& cut,
                       const drape::Params& params) {
             const Array3 points = input_positions(*subdivision.coarse(), cut, "cut");
             const Unlocked unlocked;
             return std::make_unique<BoundContact>(body, subdivision, points, params);
           }),
           py::arg("body").none(false), py::arg("subdivision"), py::arg("cut"), py::arg("params") = drape::Params{})
      .def_property_readonly(
          "room", [](const BoundContact& self) { return copy(self.core.room()); },
          "(N,): what each fine vertex keeps from the body in the frame; negative where it is cut within it.")
      .def_property_readonly(
          "solid", [](const BoundContact& self) { return self.core.solid_count(); }, "Triangles that are solid.")
      .def(
          "step",
          [](BoundContact& self, std::int64_t frame) {
            const Changing call(self, "Contact");
            const Unlocked unlocked;
            self.core.step(frame);
          },
          py::arg("frame"),
          "Takes the body to a frame, and the room to that of the cut pose. Raises ValueError for one that it has not.")
      .def(
          "set_guide",
          [](BoundContact& self, const ArrayLike& guide, const ArrayLike& normals) {
            const auto count = py::ssize_t(self.core.room().size());
            const Array3 x = input_array3(guide, count, "guide");
            const Array3 n = input_array3(normals, count, "normals");
            const Changing call(self, "Contact");
            const Unlocked unlocked;
            self.core.set_guide(x, n);
          },
          py::arg("guide"), py::arg("normals"),
          R"(Changes `room` by the guide in the frame.

A vertex that was cut in the body, and whose guide is within 3 % of the garment's extent of its surface, keeps to that, or as deep
as the guide is where that is less deep than where it was cut. And the body pierces the cloth where it pierces the guide, as cloth
cannot be stretched over it: in a connected region of the guide that is in the body let d be its largest depth, beyond that of the
cut pose, and c the mean cosine between the normals of guide and body; as d goes from 0.75 to 1.5 % of the garment's extent and c
from 0.7 to 0.4, `room` goes to the guide's own distance.

Args:
    guide: (N, 3), fine positions of the guide.
    normals: (N, 3), of unit length, there.

Raises:
    ValueError: For another shape.)")
      .def(
          "distances",
          [](BoundContact& self, const ArrayLike& fine) {
            const Array3 x = input_array3(fine, py::ssize_t(self.core.room().size()), "fine");
            const Changing call(self, "Contact");
            std::vector<double> out;
            {
              const Unlocked unlocked;
              out = self.core.distances(x);
            }
            return copy(out);
          },
          py::arg("fine"),
          "(N,) of fine positions (N, 3) from the body, negative inside; infinite where it is not near. Raises "
          "ValueError "
          "for another shape.")
      .def(
          "lift",
          [](BoundContact& self, const ArrayLike& fine) {
            Array3 x = input_array3(fine, py::ssize_t(self.core.room().size()), "fine");
            const Changing call(self, "Contact");
            {
              const Unlocked unlocked;
              self.core.lift(x);
            }
            return copy_matrix(x);
          },
          py::arg("fine"),
          "Fine positions (N, 3), those that are too near the body taken to the nearest place where they have their "
          "room. "
          "Raises ValueError for another shape.")
      .def("__repr__",
           [](const BoundContact& self) { return message("<Contact, ", self.core.solid_count(), " triangles>"); });
}

}  // namespace pucker::bindings
