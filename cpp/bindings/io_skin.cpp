#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "arrays.h"
#include "pucker/errors.h"
#include "pucker/io/skin.h"

namespace pucker::bindings {

using namespace pybind11::literals;
using io::CutSkin;
using io::Skeleton;
using io::Skin;

void register_io_skin(py::module_& m) {
  py::class_<CutSkin>(m, "CutSkin", "The largest influences of each vertex of a skin.")
      .def_property_readonly(
          "joints",
          [](const py::object& self) {
            const auto& skin = self.cast<const CutSkin&>();
            return view(skin.joint.data(), {py::ssize_t(skin.lost.size()), skin.most}, self);
          },
          "(n, most) int32; 0 where a vertex has fewer.")
      .def_property_readonly(
          "weights",
          [](const py::object& self) {
            const auto& skin = self.cast<const CutSkin&>();
            return view(skin.weight.data(), {py::ssize_t(skin.lost.size()), skin.most}, self);
          },
          "(n, most) float64, of a vertex sum 1; 0 where it has fewer.")
      .def_property_readonly(
          "lost", [](const py::object& self) { return view(self.cast<const CutSkin&>().lost, self); },
          "The weight each vertex had on what was cut, (n,) float64.")
      .def_readonly("vertices_cut", &CutSkin::vertices_cut, "How many vertices lost any weight.")
      .def("__repr__", [](const CutSkin& skin) {
        const double most = skin.lost.empty() ? 0.0 : *std::ranges::max_element(skin.lost);
        return message("<CutSkin of ", skin.most, " influences a vertex, ", skin.vertices_cut, " of ", skin.lost.size(),
                       " vertices cut, of weight ", most, " at most>");
      });

  py::class_<Skin>(m, "Skin",
                   "A linear blend skin: vertex v of frame f is the sum of weight * matrices[f, joint] @\n"
                   "inverse_binds[joint] @ (rest[v], 1) over its influences. What moves with a node and has no skin\n"
                   "follows that node as its one joint. Arrays are read-only views that keep the clip alive.")
      .def_readonly("joints", &Skin::joints, "Names, J of them; one may occur twice, where two meshes are bound to it.")
      .def_property_readonly(
          "inverse_binds",
          [](const py::object& self) {
            const auto& skin = self.cast<const Skin&>();
            return view(skin.inverse_binds.data(), {py::ssize_t(skin.joints.size()), 3, 4}, self);
          },
          "From the rest pose to each joint, (J, 3, 4) float64.")
      .def_property_readonly(
          "matrices",
          [](const py::object& self) {
            const auto& skin = self.cast<const Skin&>();
            const auto joints = py::ssize_t(skin.joints.size());
            const auto frames = joints == 0 ? 0 : py::ssize_t(skin.matrices.size()) / (12 * joints);
            return view(skin.matrices.data(), {frames, joints, 3, 4}, self);
          },
          "From each joint to the world in each frame, (frames, J, 3, 4) float64.")
      .def_property_readonly(
          "first", [](const py::object& self) { return view(self.cast<const Skin&>().first, self); },
          "Where the influences of each vertex begin, (n + 1,) int32.")
      .def_property_readonly(
          "influence_joints", [](const py::object& self) { return view(self.cast<const Skin&>().joint, self); },
          "The joint of each influence, (k,) int32.")
      .def_property_readonly(
          "influence_weights", [](const py::object& self) { return view(self.cast<const Skin&>().weight, self); },
          "The weight of each influence, (k,) float64; those of a vertex sum to 1.")
      .def_property_readonly(
          "nodes", [](const py::object& self) { return view(self.cast<const Skin&>().nodes, self); },
          "The node of `Clip.skeleton` that each joint is, (J,) int32.")
      .def("cut", &io::cut, "most"_a = 4,
           "The `most` largest influences of each vertex, scaled to sum 1, and what each vertex lost by it. Raises\n"
           "ValueError unless most >= 1.")
      .def("__repr__", [](const Skin& skin) {
        return message("<Skin of ", skin.joints.size(), " joints, ", skin.joint.size(), " influences on ",
                       skin.first.size() - 1, " vertices>");
      });

  py::class_<Skeleton>(m, "Skeleton",
                       "The nodes that move a character, garment and body, and all above them: parents come before\n"
                       "their children. Arrays are read-only views that keep the clip alive.")
      .def_readonly("nodes", &Skeleton::nodes, "Names, K of them.")
      .def_property_readonly(
          "parents", [](const py::object& self) { return view(self.cast<const Skeleton&>().parents, self); },
          "The node each hangs on, (K,) int32; -1 for none.")
      .def_property_readonly(
          "matrices",
          [](const py::object& self) {
            const auto& skeleton = self.cast<const Skeleton&>();
            const auto nodes = py::ssize_t(skeleton.nodes.size());
            const auto frames = nodes == 0 ? 0 : py::ssize_t(skeleton.matrices.size()) / (12 * nodes);
            return view(skeleton.matrices.data(), {frames, nodes, 3, 4}, self);
          },
          "From each node to the world in each frame, (frames, K, 3, 4) float64.")
      .def("__repr__",
           [](const Skeleton& skeleton) { return message("<Skeleton of ", skeleton.nodes.size(), " nodes>"); });
}

}  // namespace pucker::bindings
