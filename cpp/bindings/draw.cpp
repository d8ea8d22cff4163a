#include "pucker/draw/picture.h"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <list>
#include <set>

#include "arrays.h"
#include "colours.h"
#include "pucker/draw/camera.h"
#include "pucker/draw/shaders.h"
#include "pucker/draw/style.h"
#include "pucker/draw/surface.h"
#include "pucker/enum_names.h"
#include "record.h"

namespace pucker::bindings {

namespace {

using namespace draw;

constexpr const char* kSurface = "Surface";

Vector3 vector(const Colour& values) { return {values[0], values[1], values[2]}; }
Colour tuple_of(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

/// Positions (…, 3) as rows.
Array3 input_points(const py::handle& object, const char* name) {
  const auto array = input<double>(object, name);
  require(array.ndim() > 0 && array.shape(array.ndim() - 1) == 3, name, " must have shape (…, 3), got ",
          shape_of(array));
  return Eigen::Map<const Array3>(array.data(), array.size() / 3, 3);
}

Angles input_angles(const py::object& view) {
  if (py::isinstance<py::str>(view)) return named_view(py::cast<std::string>(view));
  if (view.is_none()) throw py::type_error("view must be a name or two angles, got None");
  const auto angles = input<double>(view, "view");
  require_shape(angles, {2}, "view");
  return {angles.at(0), angles.at(1)};
}

/// An attribute of an object, of the type that is wanted.
template <class T>
T attribute(const py::handle& object, const char* owner, const char* name) {
  if (object.is_none()) throw py::type_error(message(owner, " must not be None"));
  const py::object value = object.attr(name);
  try {
    return py::cast<T>(value);
  } catch (const py::cast_error&) {
    refuse(owner, ".", name, " must not be ", std::string(py::repr(value)));
  }
}

/// A member by its number.
template <class Enum>
Enum member_of(int number, const char* name) {
  require(is_member(Enum(number)), name, " must lie in [0, ", enum_names<Enum>().size(), "), not ", number);
  return Enum(number);
}

Light light_of(const py::handle& light) {
  const auto colour = [&](const char* name) { return attribute<Colour>(light, "light", name); };
  return {.key_direction = colour("key_direction"),
          .key_colour = colour("key_colour"),
          .fill_direction = colour("fill_direction"),
          .fill_colour = colour("fill_colour"),
          .sky_colour = colour("sky_colour"),
          .ground_colour = colour("ground_colour"),
          .specular = attribute<double>(light, "light", "specular"),
          .exponent = attribute<double>(light, "light", "exponent"),
          .attached = attribute<bool>(light, "light", "attached")};
}

/// Anything with the attributes of a style.
Style style_of(const py::handle& style) {
  const auto colour = [&](const char* name) { return attribute<Colour>(style, "style", name); };
  const auto number = [&](const char* name) { return attribute<double>(style, "style", name); };
  return {.mode = member_of<Mode>(attribute<int>(style, "style", "mode"), "style.mode"),
          .light = light_of(attribute<py::object>(style, "style", "light")),
          .exposure = style.attr("exposure").is_none() ? 1.0 : number("exposure"),
          .background = colour("background"),
          .least_edge = number("least_edge"),
          .stroke_width = number("stroke_width"),
          .stroke_colour = colour("stroke_colour"),
          .wire_width = number("wire_width"),
          .wire_colour = colour("wire_colour"),
          .reached = attribute<bool>(style, "style", "reached"),
          .reached_colour = colour("reached_colour"),
          .reached_left = number("reached_left"),
          .tessellation = attribute<bool>(style, "style", "tessellation"),
          .tessellation_colour = colour("tessellation_colour")};
}

Lines lines_of(const py::handle& lines) {
  return {.ends = input_points(attribute<py::object>(lines, "lines", "ends"), "ends of lines"),
          .colour = attribute<Colour>(lines, "lines", "colour"),
          .width = attribute<double>(lines, "lines", "width")};
}

std::shared_ptr<Surface> make_surface(const py::object& faces, std::int64_t vertex_count, const py::object& colours,
                                      const py::object& texcoords, const py::object& textures,
                                      std::int32_t texture_count, const py::object& weld) {
  require_numbers(faces, "faces");
  const bool none = py::array::ensure(faces).size() == 0;
  SurfaceMesh mesh;
  mesh.mesh = std::make_shared<Mesh>(none ? Index3(0, 3) : input_index3(faces, "faces"), vertex_count);
  const auto count = py::ssize_t(mesh.mesh->triangle_count());
  if (!colours.is_none()) mesh.colours = input_colours(colours, count, "colours");
  if (!texcoords.is_none()) {
    const auto array = input<float>(texcoords, "texcoords");
    require_shape(array, {count, 3, 2}, "texcoords");
    mesh.texcoords.assign(array.data(), array.data() + array.size());
  }
  if (!textures.is_none()) mesh.textures = input_list<std::int32_t>(textures, count, "textures");
  mesh.texture_count = texture_count;
  if (!weld.is_none()) mesh.weld = input_list<std::int32_t>(weld, vertex_count, "weld");
  return std::make_shared<Surface>(std::move(mesh));
}

/// A detail that is an object of Python; see pucker.method.Detail.
class DetailOfPython final : public Detail {
 public:
  DetailOfPython(const Surface& surface, py::object detail)
      : Detail(surface.mesh(), surface.positions()), detail_(std::move(detail)) {}

  SurfacePoints evaluate(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const override {
    const py::array_t<std::int32_t> numbers(py::ssize_t(triangles.size()), triangles.data());
    const py::array_t<double> coordinates({py::ssize_t(barycentrics.rows()), py::ssize_t(3)}, barycentrics.data());
    return py::cast<SurfacePoints>(detail_.attr("evaluate")(numbers, coordinates));
  }
  std::vector<std::uint8_t> reached() const override {
    std::vector<std::uint8_t> out;
    for (const double size : feature_sizes()) out.push_back(std::isfinite(size));
    return out;
  }
  double feature_size() const override { return py::cast<double>(detail_.attr("feature_size")); }
  std::vector<double> feature_sizes() const override {
    return input_list<double>(detail_.attr("feature_sizes"), py::ssize_t(mesh().triangle_count()), "feature_sizes");
  }
  std::array<double, 2> offset_range() const override {
    return py::cast<std::array<double, 2>>(detail_.attr("offset_range"));
  }

 private:
  py::object detail_;
};

/// (binding, content, size) of what has changed; the contents are copies.
py::list uploads_of(Surface& surface) {
  const Changing call(surface, kSurface);
  py::list out;
  for (const Upload& upload : surface.take_uploads()) {
    const py::bytes content(reinterpret_cast<const char*>(upload.bytes.data()), upload.bytes.size());
    out.append(py::make_tuple(upload.binding, content, upload.size));
  }
  return out;
}

py::dict method_blocks_of(const Surface& surface) {
  py::dict out;
  for (const Buffer& buffer : surface.content().buffers)
    out[py::str(std::string(buffer.block))] = buffer.bytes.size() + buffer.room;
  return out;
}

py::dict uniforms_of(const Step& step) {
  py::dict out;
  for (const Uniform& uniform : step.uniforms)
    std::visit([&](const auto& value) { out[py::str(std::string(uniform.name))] = py::cast(value); }, uniform.value);
  return out;
}

py::list ranges_of(const Step& step) {
  py::list out;
  for (const Range& range : step.ranges) out.append(py::make_tuple(range.first, range.count, range.texture));
  return out;
}

void register_camera(py::module_& m) {
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
             const Camera made{vector(eye), vector(target), field_of_view, near, far};
             require_camera(made);
             return made;
           }),
           py::arg("eye"), py::arg("target"), py::arg("field_of_view") = kFieldOfView, py::arg("near") = Camera().near,
           py::arg("far") = Camera().far)
      .def_property_readonly(
          "eye", [](const Camera& self) { return py::tuple(py::cast(tuple_of(self.eye))); },
          "Where it stands, (x, y, z).")
      .def_property_readonly(
          "target", [](const Camera& self) { return py::tuple(py::cast(tuple_of(self.target))); },
          "What it looks at, (x, y, z).")
      .def_readonly("field_of_view", &Camera::field_of_view, "Vertical opening angle in degrees.")
      .def_readonly("near", &Camera::near, "Distance from which on there is a picture.")
      .def_readonly("far", &Camera::far, "Distance up to which there is a picture.")
      .def_static(
          "orbit",
          [](const Colour& target, double distance, double azimuth, double elevation, double field_of_view) {
            return orbit({vector(target), distance, {azimuth, elevation}}, field_of_view);
          },
          py::arg("target"), py::arg("distance"), py::arg("azimuth"), py::arg("elevation"), py::kw_only(),
          py::arg("field_of_view") = kFieldOfView,
          "A camera on a sphere round `target`; angles in degrees, azimuth 0 looks from +z, 90 from +x.")
      .def_static(
          "fit",
          [](const py::object& points, const py::object& view, double aspect, double field_of_view, double margin) {
            return fit(input_points(points, "points"), input_angles(view), aspect, field_of_view, margin);
          },
          py::arg("points"), py::arg("view") = std::string(kUsualView), py::kw_only(),
          py::arg("aspect") = double(kPictureSize[0]) / kPictureSize[1], py::arg("field_of_view") = kFieldOfView,
          py::arg("margin") = kMargin, R"(The nearest camera of a view that sees all points (…, 3).

`view` is a name of `VIEWS` or (azimuth, elevation) in degrees; `aspect` is width over height; `margin` is the share by
which the picture is wider than what it shows.)")
      .def(
          "holding",
          [](const Camera& self, const py::object& points) { return holding(self, input_points(points, "points")); },
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
}

/// The numbers that pictures have where nothing is said.
void register_defaults(py::module_& m) {
  const Light light;
  m.attr("LIGHT") = py::dict(py::arg("key_direction") = py::tuple(py::cast(light.key_direction)),
                             py::arg("key_colour") = py::tuple(py::cast(light.key_colour)),
                             py::arg("fill_direction") = py::tuple(py::cast(light.fill_direction)),
                             py::arg("fill_colour") = py::tuple(py::cast(light.fill_colour)),
                             py::arg("sky_colour") = py::tuple(py::cast(light.sky_colour)),
                             py::arg("ground_colour") = py::tuple(py::cast(light.ground_colour)),
                             py::arg("specular") = light.specular, py::arg("exponent") = light.exponent);
  const Style style;
  m.attr("STYLE") =
      py::dict(py::arg("background") = py::tuple(py::cast(style.background)), py::arg("least_edge") = style.least_edge,
               py::arg("stroke_colour") = py::tuple(py::cast(style.stroke_colour)),
               py::arg("wire_colour") = py::tuple(py::cast(style.wire_colour)),
               py::arg("reached_colour") = py::tuple(py::cast(style.reached_colour)),
               py::arg("reached_left") = style.reached_left,
               py::arg("tessellation_colour") = py::tuple(py::cast(style.tessellation_colour)),
               py::arg("surface_colour") =
                   py::make_tuple(kSurfaceColour[0] / 255.0, kSurfaceColour[1] / 255.0, kSurfaceColour[2] / 255.0));
  m.attr("OVERLAYS") =
      py::dict(py::arg("stroke_share") = kOverlay.stroke_share, py::arg("wire_width") = kOverlay.wire_width,
               py::arg("line_width") = kOverlay.line_width, py::arg("seed_width") = kOverlay.seed_width,
               py::arg("ellipse_colour") = py::tuple(py::cast(kOverlay.ellipse_colour)),
               py::arg("reference_colour") = py::tuple(py::cast(kOverlay.reference_colour)),
               py::arg("seed_colour") = py::tuple(py::cast(kOverlay.seed_colour)));
  m.attr("LABEL_TINTS") = copy_colours(kLabelTints);
  m.attr("PICTURE_SIZE") = py::tuple(py::cast(kPictureSize));
  m.attr("SAMPLES") = kSamples;
  m.attr("MAX_LEVEL") = kMaxLevel;
  m.attr("TARGET_EDGE_SHARE") = kTargetEdgeShare;
  m.attr("EDGE_OFFSET") = py::tuple(py::cast(kEdgeOffset));
  py::dict bindings;
  for (std::size_t block = 0; block < kBlockNames.size(); ++block)
    bindings[py::str(std::string(kBlockNames[block]))] = block;
  bindings["Captured"] = kCapturedBinding;
  bindings["Lines"] = kLinesBinding;
  m.attr("STORAGE_BINDINGS") = bindings;
  m.attr("METHOD_BINDING") = kMethodBinding;
  m.attr("SURFACE_BINDINGS") = kSurfaceBindings;
  m.attr("FRAME_BINDING") = kFrameBinding;
  m.def(
      "label_tints",
      [](const py::object& labels) { return copy_colours(label_tints(input_list<std::int8_t>(labels, -1, "labels"))); },
      py::arg("labels"),
      "Tints (m, 4) uint8 of labels (m,): red for contraction (0), grey for rest (1), blue for stretching (2). Raises "
      "ValueError for any other label.");
  m.def(
      "srgb_from_linear",
      [](const py::object& colours) {
        return py::vectorize([](double linear) { return srgb_from_linear(linear); })(input<double>(colours, "colours"));
      },
      py::arg("colours"),
      "8-bit sRGB (IEC 61966-2-1) of linear colour in [0, 1]; any shape. Raises ValueError outside.");
  m.def(
      "linear_from_srgb",
      [](const py::object& colours) {
        return py::vectorize([](double encoded) { return linear_from_srgb(encoded); })(
            input<double>(colours, "colours"));
      },
      py::arg("colours"), "Linear light of sRGB colour in [0, 1]; any shape.");
}

void register_surface_buffers(py::module_& m) {
  py::class_<Surface, std::shared_ptr<Surface>>(m, "Surface", "What a mesh is for the shaders, as bytes.")
      .def(py::init(&make_surface), py::arg("faces"), py::arg("vertex_count"), py::arg("colours") = py::none(),
           py::arg("texcoords") = py::none(), py::arg("textures") = py::none(), py::arg("texture_count") = 0,
           py::arg("weld") = py::none())
      .def_property_readonly("triangle_count", &Surface::triangle_count, "Number m of triangles.")
      .def_property_readonly("target_edge", &Surface::target_edge,
                             "Wanted length of tessellated edges; 0 without detail.")
      .def_property_readonly(
          "method", [](const Surface& self) { return std::string(self.method()); },
          "Folder of the shaders that draw it.")
      .def_property_readonly("method_blocks", &method_blocks_of, "Sizes of the blocks of its detail's method, by name.")
      .def_property_readonly("displaced", &Surface::displaced, "Whether shaders displace some of it.")
      .def_property_readonly(
          "mesh", [](const Surface& self) { return std::const_pointer_cast<Mesh>(self.mesh().shared_from_this()); },
          "The mesh.")
      .def_property_readonly(
          "positions", [](const Surface& self) { return copy_matrix(self.positions()); },
          "The vertices (n, 3), as they were set.")
      .def_property_readonly(
          "origin", [](const Surface& self) { return py::tuple(py::cast(tuple_of(self.origin()))); },
          "The point that positions on the GPU are relative to, (x, y, z).")
      .def(
          "set_positions",
          [](Surface& self, const py::object& positions, const py::object& normals, const std::optional<Colour>& origin,
             const py::object& corner_normals) {
            const auto rows = py::ssize_t(self.mesh().vertex_count());
            const Array3 points = input_array3(positions, rows, "positions");
            std::optional<Array3> given;
            if (!normals.is_none()) given = input_array3(normals, rows, "normals");
            std::optional<Array3> corners;
            if (!corner_normals.is_none()) {
              const auto array = input<double>(corner_normals, "corner_normals");
              require_shape(array, {py::ssize_t(self.triangle_count()), 3, 3}, "corner_normals");
              corners = Eigen::Map<const Array3>(array.data(), 3 * array.shape(0), 3);
            }
            const Changing call(self, kSurface);
            self.set_positions(points, given, origin ? std::optional(vector(*origin)) : std::nullopt, corners);
          },
          py::arg("positions"), py::arg("normals") = py::none(), py::arg("origin") = py::none(),
          py::arg("corner_normals") = py::none(),
          "Moves the vertices (n, 3); normals (n, 3) and origin are found where they are None. corner_normals\n"
          "(m, 3, 3): what is lit by; None: the vertices' normals.")
      .def(
          "set_detail",
          [](Surface& self, const py::object& detail, int number) {
            const auto mode = member_of<Mode>(number, "mode");
            const Changing call(self, kSurface);
            if (detail.is_none()) {
              self.clear_detail();
            } else if (py::isinstance<Detail>(detail)) {
              self.set_detail(py::cast<const Detail&>(detail), mode);
            } else {
              self.set_detail(DetailOfPython(self, detail), mode);
            }
          },
          py::arg("detail") = py::none(), py::arg("mode") = int(Mode::both),
          "Puts the detail of a frame, None for none, over the mesh, which shows what `mode` says.")
      .def(
          "set_tints",
          [](Surface& self, const py::object& tints) {
            const std::vector<Rgba8> rows = tints.is_none()
                                                ? std::vector<Rgba8>{}
                                                : input_colours(tints, py::ssize_t(self.triangle_count()), "tints");
            const Changing call(self, kSurface);
            self.set_tints(rows);
          },
          py::arg("tints") = py::none(), "Lays colours (m, 4) over the triangles; None takes them off.")
      .def(
          "exposure",
          [](const Surface& self, const std::vector<std::tuple<int, int, py::bytes>>& textures) {
            std::vector<Texels> texels;
            for (const auto& [width, height, content] : textures) {
              const std::string_view bytes = content;
              require(width >= 1 && height >= 1 && bytes.size() == 4 * std::size_t(width) * std::size_t(height),
                      "a texture of ", width, " x ", height, " pixels cannot have ", bytes.size(), " bytes");
              texels.push_back({width, height, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}});
            }
            return self.exposure(texels);
          },
          py::arg("textures"), "The factor of light that suits the surface; textures are (width, height, RGBA).")
      .def("take_uploads", &uploads_of, "(binding, content, size) of each buffer that has changed since the last call.")
      .def(
          "report",
          [](Surface& self, double target_edge) {
            const Changing call(self, kSurface);
            const Tessellation& cut = self.tessellation(target_edge);
            return py::make_tuple(cut.patches, self.triangle_count() - cut.patches,
                                  self.ranges().size() + self.patch_ranges(target_edge).size(), cut.limited_edges);
          },
          py::arg("target_edge"),
          "Tessellated triangles, plain ones, draws, and edges that wanted more pieces than there can be.");
  m.def(
      "vertex_normals",
      [](const py::object& positions, const py::object& faces, const py::object& weld) {
        const Array3 points = input_array3(positions, -1, "positions");
        const Mesh mesh(input_index3(faces, "faces"), points.rows());
        const auto numbers =
            weld.is_none() ? std::vector<std::int32_t>{} : input_list<std::int32_t>(weld, points.rows(), "weld");
        for (const std::int32_t number : numbers)
          require(number >= 0 && number < points.rows(), "weld must lie in [0, ", points.rows(), "), got ", number);
        Array3 normals;
        drawn_normals(mesh.faces(), points, numbers, normals);
        return normals;
      },
      py::arg("positions"), py::arg("faces"), py::arg("weld") = py::none(),
      R"(Unit vertex normals (n, 3): the sum of the adjacent triangles' normals, weighted by their areas.

`weld` (n,) gives the same number to vertices that are one for the surface, which smooths over seams. A vertex whose sum
vanishes, of no triangle or of triangles that cancel, gets (0, 1, 0).)");
}

void register_picture(py::module_& m) {
  py::class_<Step>(m, "Step", "Draws, or runs, of one program over one surface.")
      .def_property_readonly(
          "timed_as", [](const Step& self) { return kPassNames[std::size_t(self.pass)]; },
          "Name of the pass that it belongs to.")
      .def_readonly("program", &Step::program, "Name of the program.")
      .def_property_readonly(
          "is_compute", [](const Step& self) { return self.primitive == Primitive::compute; },
          "Whether the program computes and draws nothing.")
      .def_property_readonly(
          "is_patches", [](const Step& self) { return self.primitive == Primitive::patches; },
          "Whether the program tessellates.")
      .def_readonly("surface", &Step::surface, "Number of the surface whose buffers are bound, -1 for none.")
      .def_readonly("lines", &Step::lines, "Number of the group of lines that is bound, -1 for none.")
      .def_readonly("frame", &Step::frame, "Number of the block Frame that is bound, -1 for none.")
      .def_readonly("edges", &Step::edges, "Whether only outlines are drawn, over what is there.")
      .def_readonly("textures", &Step::textures, "Whether each range has its texture.")
      .def_property_readonly("uniforms", &uniforms_of, "Values of the program's uniforms by name.")
      .def_property_readonly("ranges", &ranges_of, "First entry, number of entries and texture of each draw.")
      .def_readonly("vertices_each", &Step::vertices_each, "Vertices of an entry of a range.")
      .def_readonly("instances", &Step::instances, "How often each range is drawn.");
  py::class_<Picture>(m, "Picture", "What is to be drawn of one picture, in order.")
      .def_readonly("background", &Picture::background, "Colour that the picture is cleared to.")
      .def_property_readonly(
          "frames",
          [](const Picture& self) {
            py::list out;
            for (const FrameBlock& frame : self.frames)
              out.append(py::array_t<float>(py::ssize_t(frame.size()), frame.data()));
            return out;
          },
          "Uniform blocks Frame (60,) float32, one for each origin of the surfaces.")
      .def_property_readonly(
          "line_ends",
          [](const Picture& self) {
            py::list out;
            for (const std::vector<float>& ends : self.line_ends) out.append(copy(ends));
            return out;
          },
          "Both ends of the lines of each group, (6 k,) float32.")
      .def_readonly("steps", &Picture::steps, "What is done, one after the other.");
  m.def(
      "picture",
      [](const std::vector<std::shared_ptr<Surface>>& surfaces, const Camera& camera, const py::object& style,
         const Size& size, int output, const py::iterable& lines) {
        std::vector<Surface*> pointers;
        pointers.reserve(surfaces.size());
        for (const auto& surface : surfaces) {
          if (!surface) throw py::type_error("surfaces must hold Surface, got None");
          pointers.push_back(surface.get());
        }
        std::vector<Lines> groups;
        for (const py::handle group : lines) groups.push_back(lines_of(group));
        const Style chosen = style_of(style);
        std::list<Changing> calls;
        for (Surface* surface : std::set(pointers.begin(), pointers.end())) calls.emplace_back(*surface, kSurface);
        return picture(pointers, camera, chosen, size, member_of<Output>(output, "output"), groups);
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
          [](const ShaderLibrary& self, const std::string& program) {
            std::map<std::string, Source> out;
            for (Stage& stage : self.stages(program)) out.emplace(stage.name, std::move(stage.source));
            return out;
          },
          py::arg("program"), "The stages of a program, by name. Raises pucker.Error for a file there is not.")
      .def("expand", &ShaderLibrary::expand, py::arg("path"), py::arg("detail") = "",
           "A file with its includes put in.")
      .def("needed_storage", &ShaderLibrary::needed_storage, "What a device must offer for all programs.");
  m.def("missing_storage", &missing_storage, py::arg("needed"), py::arg("offered"),
        "The sentence for a device that offers less than is needed; empty for one that is enough.");
}

}  // namespace

void register_draw(py::module_& parent) {
  py::module_ m = parent.def_submodule("draw", "What is to be drawn, without OpenGL.");
  register_camera(m);
  register_defaults(m);
  register_surface_buffers(m);
  register_picture(m);
  register_shaders(m);
}

}  // namespace pucker::bindings
