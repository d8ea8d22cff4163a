#include "pucker/draw/picture.h"

#include <pybind11/functional.h>

#include <algorithm>
#include <list>
#include <set>
#include <tuple>

#include "draw.h"
#include "pucker/draw/shaders.h"

namespace pucker::bindings {

namespace {

using namespace draw;

py::dict constants_of(const Step& step) {
  py::dict out;
  for (const Constant& constant : step.constants) out[py::str(std::string(constant.name))] = constant.value;
  return out;
}

/// Ends (k, 2, 3) of lines.
Lines make_lines(const ArrayLike& ends, const Colour& colour, double width) {
  const auto array = input<double>(ends, "ends of lines");
  require_shape(array, {-1, 2, 3}, "ends of lines");
  Lines made{Eigen::Map<const Array3>(array.data(), 2 * array.shape(0), 3), colour, width};
  require_lines(made);
  return made;
}

Lines loops(const ArrayLike& corners, const Colour& colour, double width) {
  const auto array = input<double>(corners, "corners");
  require_shape(array, {-1, -1, 3}, "corners");
  const Eigen::Map<const Array3> rows(array.data(), array.shape(0) * array.shape(1), 3);
  Lines made = rows.rows() == 0 ? Lines{Array3(0, 3), colour, width}
                                : closed_lines(rows, Eigen::Index(array.shape(1)), colour, width);
  require_lines(made);
  return made;
}

void register_lines(py::module_& m) {
  py::class_<Lines>(m, "Lines",
                    R"(Straight lines in space, by both ends of each, (k, 2, 3); one of no length is a square dot.

`colour` is sRGB in [0, 1], `width` in pixels. Raises ValueError for another shape, an end that is not finite, or a width
that is not positive.)")
      .def(py::init(&make_lines), py::arg("ends"), py::arg("colour"), py::arg("width") = kLineWidth)
      .def_static("loops", &loops, py::arg("corners"), py::arg("colour"), py::arg("width") = kLineWidth,
                  "Closed polygons of c corners each, (k, c, 3).")
      .def_property_readonly(
          "ends",
          [](const Lines& self) {
            return py::array_t<double>({py::ssize_t(self.ends.rows() / 2), py::ssize_t(2), py::ssize_t(3)},
                                       self.ends.data());
          },
          "Both ends of each, (k, 2, 3).")
      .def_property_readonly(
          "colour", [](const Lines& self) { return tuple_of(vector_of(self.colour)); }, "sRGB in [0, 1].")
      .def_readonly("width", &Lines::width, "Pixels.");
}

void register_picture(py::module_& m) {
  py::class_<Step>(m, "Step", "Draws, or runs, of one program over one surface.")
      .def_readonly("program", &Step::program, "Name of the program.")
      .def_property_readonly("constants", &constants_of,
                             "Whole numbers by name that the program is compiled with in the place of uniforms.");
  py::class_<Batch>(m, "Batch", "Steps of a pass, one after the other, that draw into the same.")
      .def_property_readonly(
          "timed_as", [](const Batch& self) { return kPassNames[std::size_t(self.pass)]; }, "Name of the pass.")
      .def_property_readonly(
          "into", [](const Batch& self) { return int(self.into); },
          "Number in MAPS of the texture that they draw into, -1 for the picture.");
  py::class_<Picture>(m, "Picture", "What is to be drawn of one picture, in order.")
      .def_readonly("background", &Picture::background, "Colour that the picture is cleared to.")
      .def_property_readonly(
          "frames",
          [](const Picture& self) {
            constexpr auto numbers = py::ssize_t(std::tuple_size_v<FrameBlock>);
            py::array_t<float> out({py::ssize_t(self.frames.size()), numbers});
            float* next = out.mutable_data();
            for (const FrameBlock& frame : self.frames) next = std::ranges::copy(frame, next).out;
            return out;
          },
          "Uniform blocks Frame (k, 128) float32, the last numbers of which are room: of the camera, and of the light, "
          "for each origin.")
      .def_property_readonly(
          "line_ends",
          [](const Picture& self) {
            py::list out;
            for (const std::vector<float>& ends : self.line_ends) out.append(copy(ends));
            return out;
          },
          "Both ends of the lines of each group, (6 k,) float32.")
      .def_readonly("steps", &Picture::steps, "What is done, one after the other.")
      .def_property_readonly("batches", &batches, "All steps, in batches.")
      .def_property_readonly(
          "map_sizes", [](const Picture& self) { return py::tuple(py::cast(self.map_sizes)); },
          "(width, height) of each texture of MAPS, (0, 0) for one that is not drawn.");
  py::list maps;
  for (const MapFormat& map : kMaps) maps.append(py::make_tuple(map.name, map.unit, map.numbers, map.has_depth));
  m.attr("MAPS") = py::tuple(maps);
  m.attr("EFFECTS") = py::dict(py::arg("shadowed") = kShadowed, py::arg("occluded") = kOccluded,
                               py::arg("fabric") = kFabric, py::arg("round") = kRound);
  m.def(
      "picture",
      [](const std::vector<std::shared_ptr<Surface>>& surfaces, const Camera& camera, const Style& style,
         const Size& size, Output output, const std::vector<Lines>& lines) {
        std::vector<Surface*> pointers;
        pointers.reserve(surfaces.size());
        for (const auto& surface : surfaces) {
          if (!surface) throw py::type_error("surfaces must hold Surface, got None");
          pointers.push_back(surface.get());
        }
        std::list<Changing> calls;
        for (Surface* surface : std::set(pointers.begin(), pointers.end())) calls.emplace_back(*surface, kSurface);
        return picture(pointers, camera, style, size, output, lines);
      },
      py::arg("surfaces"), py::arg("camera"), py::arg("style"), py::arg("size"), py::arg("output"), py::arg("lines"),
      "The list of a picture (width, height) of surfaces; what one needs once for its detail is listed once.");
  m.def(
      "refinement",
      [](Surface& surface, std::int32_t index) {
        const Changing call(surface, kSurface);
        return refinement(surface, index);
      },
      py::arg("surface"), py::arg("index") = 0,
      "The steps that run the programs of a surface's detail, none if that was done since it was set.");
  m.def(
      "capture_step",
      [](Surface& surface) {
        const Changing call(surface, kSurface);
        return patch_step(surface, 0, Pass::wrinkled, "capture", surface.target_edge());
      },
      py::arg("surface"), "The step that appends the tessellated points of a surface to the block Captured.");
}

void register_shaders(py::module_& m) {
  py::class_<Source>(m, "Source", "A shader stage with its includes put in.")
      .def_property_readonly("text", &Source::text, "What the compiler gets.")
      .def("explain", &Source::explain, py::arg("log"),
           "The compiler's log with the author's files and lines in place of those of the expanded source.");
  py::class_<StorageLimits>(m, "StorageLimits", "Numbers of storage blocks.")
      .def(py::init<int, std::map<std::string, int>, int>(), py::arg("bindings"), py::arg("stages"),
           py::arg("combined"))
      .def_readonly("bindings", &StorageLimits::bindings, "Blocks bound at once.")
      .def_readonly("stages", &StorageLimits::stages, "Blocks of one stage, by its name.")
      .def_readonly("combined", &StorageLimits::combined, "Blocks of all stages of a program.");
  py::class_<ShaderLibrary>(m, "ShaderLibrary", "The shader files: which make up a program, with their includes.")
      .def(py::init([](const py::function& read) { return ShaderLibrary(py::cast<ShaderLibrary::ReadFile>(read)); }),
           py::arg("read"))
      .def("programs", &ShaderLibrary::programs, "Names of all programs.")
      .def(
          "stages",
          [](const ShaderLibrary& self, const std::string& program,
             const std::map<std::string, std::int32_t>& numbers) {
            std::vector<Constant> constants;
            constants.reserve(numbers.size());
            for (const auto& [name, value] : numbers) constants.push_back({name, value});
            std::map<std::string, Source> out;
            for (ShaderStage& stage : self.stages(program, constants)) out.emplace(stage.name, std::move(stage.source));
            return out;
          },
          py::arg("program"), py::arg("constants") = py::dict(),
          "The stages of a program, by name, with constants in the place of uniforms; what it has no uniform for is "
          "left out. Raises pucker.Error for a file there is not.")
      .def("expand", &ShaderLibrary::expand, py::arg("path"), py::arg("detail") = "",
           "A file with its includes put in.")
      .def("needed_storage", &ShaderLibrary::needed_storage, "What a device must offer for all programs.");
  m.def("missing_storage", &missing_storage, py::arg("needed"), py::arg("offered"),
        "The sentence for a device that offers less than is needed; empty for one that is enough.");
}

}  // namespace

void register_draw_camera(py::module_& m);
void register_draw_execution(py::module_& m);
void register_draw_style(py::module_& m);
void register_draw_surface(py::module_& m);

void register_draw(py::module_& parent) {
  py::module_ m = parent.def_submodule("draw", "What is to be drawn, without OpenGL.");
  register_draw_camera(m);
  register_draw_style(m);
  register_draw_surface(m);
  register_lines(m);
  register_picture(m);
  register_draw_execution(m);
  register_shaders(m);
}

}  // namespace pucker::bindings
