#include "pucker/dynamic/shape.h"

#include "dynamic.h"
#include "pucker/dynamic/widths.h"

namespace pucker::bindings {

namespace {

using Ends = std::array<double, 2>;

EndHeights end_heights(const Ends& ends) {
  for (const double height : ends)
    require(std::isfinite(height) && height >= 0, "heights of ends must be finite and at least 0, got ", height);
  return {ends[0], ends[1]};
}

}  // namespace

void register_shape(py::module_& m) {
  py::class_<PathCurve>(m, "PathCurve", "A path in space, as drawing and distances need it; a snapshot.")
      .def_property_readonly("points", vectors(&PathCurve::points), "(k, 3).")
      .def_property_readonly("tangents", vectors(&PathCurve::tangents),
                             "(k, 3), unit: mean tangent of the two segments at the point.")
      .def_property_readonly("normals", vectors(&PathCurve::normals), "(k-1, 3), unit: of each segment's triangle.")
      .def_property_readonly("arc_lengths", numbers(&PathCurve::arc_lengths), "(k,): from the first point.");
  m.def(
      "path_curve",
      [](const OwnedField& field, const PlacedWrinkle& wrinkle) { return curve_of(field, wrinkle.wrinkle); },
      py::arg("field"), py::arg("wrinkle"), "The path as it lies in `field` (Gillette 2015, section 6.2).");

  py::class_<CurveSamples>(m, "CurveSamples", "A smoothed wrinkle as a polyline, 8 straight parts of each segment.")
      .def_property_readonly("points", vectors(&CurveSamples::points), "(s, 3), s = 8 (k-1) + 1.")
      .def_property_readonly("tangents", vectors(&CurveSamples::tangents),
                             "(s, 3), unit: mean tangent of the two segments; at path points the path's.")
      .def_property_readonly("widths", numbers(&CurveSamples::widths), "(s,): full widths.")
      .def_property_readonly("heights", numbers(&CurveSamples::heights), "(s,).");
  m.def(
      "sample_curve",
      [](const OwnedField& field, const PlacedWrinkle& wrinkle) {
        CurveSamples out;
        sample_curve(curve_of(field, wrinkle.wrinkle), wrinkle.wrinkle, out);
        return out;
      },
      py::arg("field"), py::arg("wrinkle"),
      "The smooth curve through the path as it lies in `field`: a cubic Bezier curve a segment; widths and heights are "
      "interpolated monotonically over arc length. What is drawn.");

  m.def(
      "wrinkle_widths",
      [](const Mesh& mesh, const ArrayLike& rest, const Params& params) {
        const Array3 pose = input_array3(rest, mesh.vertex_count(), "rest");
        std::vector<double> out;
        {
          const Unlocked unlocked;
          out = wrinkle_widths(mesh, pose, params);
          if (out.empty()) out.assign(std::size_t(mesh.triangle_count()), 1.0);
        }
        return copy(out);
      },
      py::arg("mesh"), py::arg("rest"), py::arg("params"),
      "(m,): width of a flat wrinkle in each triangle, in flat widths of the parameters: at most params.thickness "
      "times\n"
      "how thick the garment is there in its rest pose (n, 3). 0, for no wrinkles, where that would be less than a "
      "fifth,\n"
      "and on connected parts that fit into a ball a flat width across, as buttons. 1 everywhere for params.thickness "
      "= "
      "0\n"
      "and with params.verbatim. Raises ValueError for a rest pose of another shape and unless params.min_width is "
      "given.");

  py::class_<Shaper>(m, "Shaper",
                     "Widths and heights that keep the cloth's length across a wrinkle (Gillette 2015, 6.1).")
      .def(py::init<const Params&>(), py::arg("params"))
      .def(
          "target",
          [](const Shaper& self, double length, double compression, double along, const Ends& ends, double flat_width) {
            require(std::isfinite(length) && length >= 0, "length must be finite and at least 0, got ", length);
            require(compression >= 1, "compression must be at least 1, got ", compression);
            require(along >= 0 && along <= 1, "along must lie in [0, 1], got ", along);
            require(flat_width > 0 && flat_width <= 1, "flat_width must lie in (0, 1], got ", flat_width);
            const Size size = self.target(length, compression, along, end_heights(ends), flat_width);
            return py::make_tuple(size.width, size.height);
          },
          py::arg("length"), py::arg("compression"), py::arg("along"), py::arg("end_heights") = Ends{},
          py::arg("flat_width") = 1.0,
          "(width, height) aimed at, at the share `along` of a path of `length` with the largest `compression`. "
          "`end_heights`: heights that its ends keep, as `junctions` finds them; `flat_width`: of a flat wrinkle "
          "there, "
          "in flat widths of the parameters.")
      .def(
          "step",
          [](const Shaper& self, const PlacedWrinkle& wrinkle, const OwnedField& field, double dt, const Ends& ends) {
            require_duration(dt);
            const EndHeights kept = end_heights(ends);
            Wrinkle out = wrinkle.wrinkle;
            const Unlocked unlocked;
            self.step(curve_of(field, wrinkle.wrinkle), field.compression, dt, kept, out,
                      field.field().mean_width(wrinkle.wrinkle.triangles));
            return placed(std::move(out), field.positions);
          },
          py::arg("wrinkle"), py::arg("field"), py::arg("dt"), py::arg("end_heights") = Ends{},
          "The wrinkle `dt` seconds later: sizes follow their targets, those of a dying wrinkle sink, both at most at "
          "the rates of the parameters; with params.verbatim at once. The path stays. `end_heights`: heights that its "
          "ends keep, as `junctions` finds them. Raises ValueError for dt <= 0.");
}

}  // namespace pucker::bindings
