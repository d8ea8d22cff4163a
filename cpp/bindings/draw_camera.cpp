#include "pucker/draw/camera.h"

#include <optional>
#include <tuple>
#include <utility>

#include "draw.h"
#include "pucker/draw/picking.h"
#include "record.h"

namespace pucker::bindings {

using namespace draw;

Angles input_angles(const py::object& view) {
  if (py::isinstance<py::str>(view)) return named_view(py::cast<std::string>(view));
  if (view.is_none()) throw py::type_error("view must be a name or two angles, got None");
  const auto angles = input<double>(view, "view");
  require_shape(angles, {2}, "view");
  return {angles.at(0), angles.at(1)};
}

void register_draw_camera(py::module_& m) {
  py::dict views;
  for (const View& view : kViews) views[py::str(std::string(view.name))] = py::cast(view.angles);
  m.attr("VIEWS") = views;
  m.attr("USUAL_VIEW") = std::string(kUsualView);

  py::class_<Camera> camera(m, "Camera", R"(A perspective camera: `eye` looks at `target`.

`field_of_view` is the vertical opening angle in degrees; there is a picture between the planes at the distances `near` and
`far`. y is up and characters look along +z. Raises ValueError for an eye at its target, an opening angle outside (0, 180),
and planes that are not 0 < near < far.)");
  camera
      .def(py::init([](const Colour& eye, const Colour& target, double field_of_view, double near, double far) {
             const Camera made{vector_of(eye), vector_of(target), field_of_view, near, far};
             require_camera(made);
             return made;
           }),
           py::arg("eye"), py::arg("target"), py::arg("field_of_view") = kFieldOfView, py::arg("near") = Camera().near,
           py::arg("far") = Camera().far)
      .def_property_readonly(
          "eye", [](const Camera& self) { return tuple_of(self.eye); }, "Where it stands, (x, y, z).")
      .def_property_readonly(
          "target", [](const Camera& self) { return tuple_of(self.target); }, "What it looks at, (x, y, z).")
      .def_readonly("field_of_view", &Camera::field_of_view, "Vertical opening angle in degrees.")
      .def_readonly("near", &Camera::near, "Distance from which on there is a picture.")
      .def_readonly("far", &Camera::far, "Distance up to which there is a picture.")
      .def_static(
          "orbit",
          [](const Colour& target, double distance, double azimuth, double elevation, double field_of_view) {
            return orbit({vector_of(target), distance, {azimuth, elevation}}, field_of_view);
          },
          py::arg("target"), py::arg("distance"), py::arg("azimuth"), py::arg("elevation"), py::kw_only(),
          py::arg("field_of_view") = kFieldOfView,
          "A camera on a sphere round `target`; angles in degrees, azimuth 0 looks from +z, 90 from +x.")
      .def_static(
          "fit",
          [](const ArrayLike& points, const py::object& view, double aspect, double field_of_view, double margin) {
            return fit(input_points(points, "points"), input_angles(view), aspect, field_of_view, margin);
          },
          py::arg("points"), py::arg("view") = std::string(kUsualView), py::kw_only(),
          py::arg("aspect") = double(kPictureSize[0]) / kPictureSize[1], py::arg("field_of_view") = kFieldOfView,
          py::arg("margin") = kMargin, R"(The nearest camera of a view that sees all points (…, 3).

`view` is a name of `VIEWS` or (azimuth, elevation) in degrees; `aspect` is width over height; `margin` is the share by
which the picture is wider than what it shows.)")
      .def(
          "holding",
          [](const Camera& self, const ArrayLike& points) { return holding(self, input_points(points, "points")); },
          py::arg("points"),
          "The same with planes so far apart that no point (…, 3) before it is cut off; what is nearer than a fiftieth "
          "of the distance to the target may be.")
      .def("turned", &turned, py::arg("azimuth"), py::arg("elevation"),
           "Gone round its target by angles in degrees, no higher or lower than 89 degrees over the horizon.")
      .def("shifted", &shifted, py::arg("right"), py::arg("up"), py::arg("picture_height"),
           "Moved in its own plane, by what so many pixels are at its target.")
      .def("zoomed", &zoomed, py::arg("factor"), "At `factor` times its distance from its target.")
      .def("pixel_size", &Camera::pixel_size, py::arg("picture_height"),
           "Length that one pixel covers at the target, in the units of the scene.")
      .def_property_readonly(
          "axes", [](const Camera& self) { return Eigen::Matrix3d(self.axes().transpose()); },
          "(3, 3): unit vectors to the right, up and towards the viewer.")
      .def("view_projection", &Camera::view_projection, py::arg("aspect"),
           "World to clip space, (4, 4), for column vectors.")
      .def(
          "to_json",
          [](const Camera& self, const py::object& path) {
            py::module_::import("pucker.io.files").attr("write_text")(path, camera_to_json(self));
          },
          py::arg("path"), "Writes the camera as a JSON object of its fields, which the native viewer reads too.")
      .def_static(
          "from_json",
          [](const py::object& path) {
            const py::object text = py::module_::import("pathlib").attr("Path")(path).attr("read_text")("utf-8");
            return camera_from_json(py::cast<std::string>(text), "camera " + std::string(py::str(path)));
          },
          py::arg("path"), R"(A camera from a file of `to_json`; fields but `eye` and `target` may be left out.

Raises ValueError for anything else than such an object, and for what the constructor refuses.)");
  define_record(camera, {"eye", "target", "field_of_view", "near", "far"});
  m.def(
      "seen_at",
      [](const Camera& seen_from, const Size& size, double x, double y, const ArrayLike& faces,
         const ArrayLike& positions, const MaybeArray& other_faces,
         const MaybeArray& other_positions) -> std::optional<std::tuple<std::int32_t, Colour, double>> {
        const auto [triangles, points] = input_surface(faces, positions);
        const auto [others, other_points] =
            other_faces.is_none() ? std::pair(Index3(0, 3), Array3(0, 3)) : input_surface(other_faces, other_positions);
        const auto hit = seen_at(seen_from, size, x, y, triangles, points, others, other_points);
        if (!hit) return std::nullopt;
        return std::tuple(hit->triangle, Colour{hit->barycentrics[0], hit->barycentrics[1], hit->barycentrics[2]},
                          hit->distance);
      },
      py::arg("camera"), py::arg("size"), py::arg("x"), py::arg("y"), py::arg("faces"), py::arg("positions"),
      py::arg("other_faces") = py::none(), py::arg("other_positions") = py::none(),
      "The triangle (m, 3) that is seen in the middle of a pixel of a picture (width, height), barycentric coordinates "
      "of the place, and its distance from the eye; None if there is none, or if others lie before it. `x` and `y` are "
      "column and row from the upper left corner. The mesh is hit from either side (Möller and Trumbore 1997).");
}

}  // namespace pucker::bindings
