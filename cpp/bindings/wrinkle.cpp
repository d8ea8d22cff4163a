#include "pucker/dynamic/wrinkle.h"

#include "dynamic.h"
#include "enums.h"
#include "pucker/dynamic/shape.h"

namespace pucker::bindings {

namespace {

template <class Get>
auto wrinkle_list(Get get) {
  return [get](const PlacedWrinkle& self) { return get(self.wrinkle); };
}

py::array_t<std::int32_t> vertices_of(const Wrinkle& wrinkle) {
  py::array_t<std::int32_t> out({py::ssize_t(wrinkle.size()), py::ssize_t(2)});
  auto rows = out.mutable_unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    rows(i, 0) = wrinkle.points[std::size_t(i)].v0;
    rows(i, 1) = wrinkle.points[std::size_t(i)].v1;
  }
  return out;
}

template <class T, class Field>
py::array_t<T> point_field(const Wrinkle& wrinkle, Field PathPoint::*field) {
  py::array_t<T> out(py::ssize_t(wrinkle.size()));
  auto values = out.template mutable_unchecked<1>();
  for (py::ssize_t i = 0; i < values.shape(0); ++i) values(i) = wrinkle.points[std::size_t(i)].*field;
  return out;
}

py::array_t<double> at_points(const std::vector<double>& knots) {
  py::array_t<double> out(py::ssize_t(knots.size() / 2 + 1));
  auto values = out.mutable_unchecked<1>();
  for (py::ssize_t i = 0; i < values.shape(0); ++i) values(i) = knots[std::size_t(2 * i)];
  return out;
}

}  // namespace

void register_wrinkle(py::module_& m) {
  bind_enum<WalkEnd>(
      m, "WalkEnd",
      "Why a walk ended: below the threshold, at the border of the cloth, near a path (another, or its own), where "
      "no direction leads on, after the length asked for, or at the cap on points.");

  py::class_<PlacedWrinkle>(m, "Wrinkle",
                            "A wrinkle path with its widths and heights, as it was when handed out; it stays valid.")
      .def_property_readonly("id", wrinkle_list([](const Wrinkle& w) { return w.id; }), "Unique in a run, grows.")
      .def_property_readonly("age", wrinkle_list([](const Wrinkle& w) { return w.age; }),
                             "Seconds since it was traced.")
      .def_property_readonly("alive", wrinkle_list([](const Wrinkle& w) { return w.alive; }),
                             "False for a dying wrinkle, which only sinks where it lies.")
      .def_property_readonly(
          "points",
          [](const py::object& self) { return view_matrix(py::cast<const PlacedWrinkle&>(self).points, self); },
          "(k, 3): the path's points in space; a view.")
      .def_readonly("length", &PlacedWrinkle::length, "Length of the path.")
      .def_property_readonly("vertices", wrinkle_list(&vertices_of),
                             "(k, 2) int32: ends (v0, v1) of the crossed edges; p = t v0 + (1-t) v1.")
      .def_property_readonly("t", wrinkle_list([](const Wrinkle& w) { return point_field<double>(w, &PathPoint::t); }),
                             "(k,): where on its edge each point lies.")
      .def_property_readonly(
          "apex", wrinkle_list([](const Wrinkle& w) { return point_field<std::int32_t>(w, &PathPoint::apex); }),
          "(k,) int32: for an end inside a triangle its third vertex, else -1.")
      .def_property_readonly("depth",
                             wrinkle_list([](const Wrinkle& w) { return point_field<double>(w, &PathPoint::depth); }),
                             "(k,): share of `apex` in the point; 0 on an edge.")
      .def_property_readonly("triangles", wrinkle_list([](const Wrinkle& w) { return copy(w.triangles); }),
                             "(k-1,) int32: the triangle of each segment.")
      .def_property_readonly("widths", wrinkle_list([](const Wrinkle& w) { return at_points(w.knot_widths); }),
                             "(k,): full width at each point.")
      .def_property_readonly("heights", wrinkle_list([](const Wrinkle& w) { return at_points(w.knot_heights); }),
                             "(k,): height at each point.")
      .def_property_readonly("knot_widths", wrinkle_list([](const Wrinkle& w) { return copy(w.knot_widths); }),
                             "(2k-1,): full widths at the points and the middles of the segments.")
      .def_property_readonly("knot_heights", wrinkle_list([](const Wrinkle& w) { return copy(w.knot_heights); }),
                             "(2k-1,): heights at the points and the middles of the segments.")
      .def_property_readonly(
          "ends",
          [](const PlacedWrinkle& self) {
            std::optional<std::pair<WalkEnd, WalkEnd>> out;
            if (self.ends) out.emplace((*self.ends)[0], (*self.ends)[1]);
            return out;
          },
          "Of a wrinkle that Tracer.trace has returned: why the walks to its first and last point ended; None for any "
          "other.")
      .def_property_readonly("gone", wrinkle_list(&is_gone), "Dying and flat: nothing of it is left to see.")
      .def("__eq__",
           [](const PlacedWrinkle& a, const py::object& b) {
             return py::isinstance<PlacedWrinkle>(b) && a.wrinkle == py::cast<const PlacedWrinkle&>(b).wrinkle;
           })
      .def("__repr__", [](const PlacedWrinkle& self) {
        return message("<Wrinkle ", self.wrinkle.id, self.wrinkle.alive ? "" : " dying", ", ", self.wrinkle.size(),
                       " points, length ", self.length, ", age ", self.wrinkle.age, " s>");
      });
}

}  // namespace pucker::bindings
