#include "pucker/waves/painting.h"

#include <pybind11/stl.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arrays.h"
#include "pucker/io/npz.h"

namespace pucker::bindings {

using namespace pybind11::literals;
using waves::Dab;
using waves::Painting;

void register_painting(py::module_& m);

namespace {

constexpr const char* kKind = "painting";

Vector3 input_vector(const py::object& object, const char* name) {
  const auto array = input<double>(object, name);
  require_shape(array, {3}, name);
  return Eigen::Map<const Vector3>(array.data());
}

Dab dab_of(std::int32_t triangle, const ArrayLike& barycentric, double radius, double strength) {
  return {.triangle = triangle,
          .barycentric = input_vector(barycentric, "barycentric"),
          .radius = radius,
          .strength = strength};
}

py::dict arrays_of(const Painting& painting) {
  py::dict out;
  for (const auto& [name, array] : painting.arrays()) {
    if (array.is_text) {
      out[name.c_str()] = array.text;
      continue;
    }
    const py::array_t<double> numbers(std::vector<py::ssize_t>(array.shape.begin(), array.shape.end()),
                                      array.values.data());
    out[name.c_str()] = array.is_whole ? py::object(numbers.attr("astype")("int32")) : py::object(numbers);
  }
  return out;
}

template <class Read>
auto reading(Read read) {
  return [read](const Painting& self) {
    const Reading call(self, kKind);
    return read(self);
  };
}

template <class Result>
auto changing(Result (Painting::*change)()) {
  return [change](Painting& self) {
    const Changing call(self, kKind);
    return (self.*change)();
  };
}

}  // namespace

void register_painting(py::module_& m) {
  py::class_<Painting>(
      m, "PaintingBase",
      R"(A vector p a vertex, across its wrinkle in the rest pose's tangent plane and shorter than 1, zero at first.

`Crush.paint` says what waves make of it: those of cloth that was shortened along p before. Only the methods of
`Painting` make several changes one and write files.

Args:
    mesh: The Mesh.
    rest: (n, 3), the pose without wrinkles.
    path: A file of a painting to go on with.

Raises:
    ValueError: For a rest pose of another shape or that is not finite, and for a painting of another mesh or rest pose,
        saying what differs.
    pucker.Error: For a file that is no painting.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& rest, const std::optional<std::string>& path) {
             const Array3 pose = input_positions(mesh, rest, "rest");
             if (!path) return Painting(mesh.shared_from_this(), pose);
             const Unlocked unlocked;
             return Painting::read(*path, mesh.shared_from_this(), pose,
                                   [](const std::string& file, std::span<const std::string_view> names) {
                                     return io::read_npz(file, names);
                                   });
           }),
           "mesh"_a, "rest"_a, "path"_a = py::none())
      .def_property_readonly(
          "mesh", [](const Painting& self) { return std::const_pointer_cast<Mesh>(self.mesh()); },
          "The Mesh that was given.")
      .def_property_readonly("vectors", reading([](const Painting& self) { return copy_matrix(self.vectors()); }),
                             "(n, 3): p of each vertex; a copy.")
      .def_property_readonly("arrays", reading(&arrays_of), "What a file keeps, by name: a dict.")
      .def("begin", changing(&Painting::begin),
           "What is painted until the `end` of the first `begin` is undone together.")
      .def("end", changing(&Painting::end), "Raises ValueError without a `begin`.")
      .def(
          "stroke",
          [](Painting& self, std::int32_t triangle, const ArrayLike& barycentric, const ArrayLike& direction,
             double radius, double strength) {
            const Dab dab = dab_of(triangle, barycentric, radius, strength);
            const Vector3 along = input_vector(direction, "direction");
            const Changing call(self, kKind);
            self.stroke(dab, along);
          },
          "triangle"_a, "barycentric"_a, "direction"_a, py::kw_only(), "radius"_a, "strength"_a,
          R"(Blends wrinkles across `direction` in, around a point of the mesh.

A vertex takes them up by its share w = (1 - (d/radius)²)², d its distance from the point in the rest pose, if edges lead
to it over vertices that are within the radius: p becomes (1 - w) p ± w strength t, t the direction in its tangent
plane, of the sign that is nearer to p, as wrinkles across t and -t are the same. No vector gets longer than `strength`
or than it was.

Args:
    triangle: Its number.
    barycentric: (3,), the point in it.
    direction: (3,) in the rest pose; see `carried`.
    radius: In the unit of the rest pose.
    strength: In [0, 1).

Raises:
    ValueError: For a triangle out of range, a point outside of it, a direction that is not finite or zero, a radius
        that is not finite and positive, and a strength outside of [0, 1). Nothing has changed then.)")
      .def(
          "erase",
          [](Painting& self, std::int32_t triangle, const ArrayLike& barycentric, double radius, double strength) {
            const Dab dab = dab_of(triangle, barycentric, radius, strength);
            const Changing call(self, kKind);
            self.erase(dab);
          },
          "triangle"_a, "barycentric"_a, py::kw_only(), "radius"_a, "strength"_a = 1.0,
          "Shortens vectors around a point to the share 1 - w `strength`, w as of `stroke`; raises what it does. "
          "`strength` lies in [0, 1].")
      .def(
          "random",
          [](Painting& self, std::uint64_t seed, double strength, std::int32_t smoothing) {
            const Changing call(self, kKind);
            self.random(seed, strength, smoothing);
          },
          "seed"_a, py::kw_only(), "strength"_a = 0.5, "smoothing"_a = 4,
          R"(Paints everything anew at random: directions and lengths of a normal distribution, smoothed over neighbours.

Args:
    seed: The same seed gives the same painting.
    strength: Length of the longest vector, in [0, 1).
    smoothing: How often each vertex takes the mean of itself and its neighbours.

Raises:
    ValueError: For a strength outside of [0, 1) and a smoothing below 0. Nothing has changed then.)")
      .def("clear", changing(&Painting::clear), "Erases everything.")
      .def("undo", changing(&Painting::undo),
           "Takes the last change back, between `begin` and `end` all of it so far; whether there was one.")
      .def(
          "carried",
          [](const Painting& self, std::int32_t triangle, const ArrayLike& positions, const ArrayLike& direction) {
            const Array3 points = input_positions(*self.mesh(), positions);
            const Vector3 carried = self.carried(triangle, points, input_vector(direction, "direction"));
            return py::array_t<double>(3, carried.data());
          },
          "triangle"_a, "positions"_a, "direction"_a,
          R"(A direction (3,) seen in a frame, as it lies in the rest pose: the part of it in the triangle moves with the cloth.

Args:
    triangle: Its number.
    positions: (n, 3) of the frame.
    direction: (3,) in the frame.

Raises:
    ValueError: For a triangle out of range, and positions or a direction of another shape.)")
      .def("__repr__", reading([](const Painting& self) {
             const auto painted = (self.vectors().array() != 0).rowwise().any().count();
             return message("<Painting, ", painted, " of ", self.vectors().rows(), " vertices>");
           }));
}

}  // namespace pucker::bindings
