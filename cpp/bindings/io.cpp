#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>

#include "arrays.h"
#include "enums.h"
#include "pickling.h"
#include "pucker/errors.h"
#include "pucker/io/libraries.h"
#include "pucker/io/load.h"
#include "pucker/io/smoothed.h"
#include "pucker/io/texture.h"
#include "pucker/mesh/weld.h"

namespace pucker::bindings {
namespace {

using namespace pybind11::literals;
using io::Clip;

py::dict durations(const std::vector<io::ClipInfo>& clips) {
  py::dict result;
  for (const io::ClipInfo& clip : clips) result[py::str(clip.name)] = clip.duration;
  return result;
}

py::dict counts(const std::vector<io::PartInfo>& parts) {
  py::dict result;
  for (const io::PartInfo& part : parts) result[py::str(part.name)] = part.triangles;
  return result;
}

/// One frame of a clip; keeps the clip alive.
struct Frame {
  py::object clip;
  std::int64_t index;

  const Clip& data() const { return clip.cast<const Clip&>(); }
};

Frame frame_at(const py::object& self, std::int64_t index) {
  const std::int64_t count = self.cast<const Clip&>().frame_count();
  const std::int64_t place = index < 0 ? index + count : index;
  if (place < 0 || place >= count) throw py::index_error(message("frame ", index, " of a clip of ", count));
  return {self, place};
}

Clip clip_from_arrays(const ArrayLike& faces, const ArrayLike& positions, const ArrayLike& times, const MaybeArray& uv,
                      bool weld, const MaybeArray& rest) {
  std::vector<double> moments = input_list<double>(times, -1, "times");
  const auto points = input<double>(positions, "positions");
  require_shape(points, {py::ssize_t(moments.size()), -1, 3}, "positions");
  std::optional<UvArray> coordinates;
  if (!uv.is_none()) {
    const auto rows = input<double>(uv, "uv");
    require_shape(rows, {points.shape(1), 2}, "uv");
    coordinates = Eigen::Map<const UvArray>(rows.data(), rows.shape(0), 2);
  }
  std::optional<Array3> pose;
  if (!rest.is_none()) pose = input_array3(rest, points.shape(1), "rest");
  Index3 indices = input_index3(faces, "faces");
  std::vector<double> values(points.data(), points.data() + points.size());
  const Unlocked unlocked;
  return Clip::from_arrays(std::move(indices), std::move(values), std::move(moments), std::move(coordinates), weld,
                           pose);
}

py::tuple weld_arrays(const ArrayLike& positions, double tolerance) {
  auto points = input<double>(positions, "positions");
  if (points.ndim() == 2) points = points.reshape({py::ssize_t(1), points.shape(0), points.shape(1)});
  require_shape(points, {-1, -1, 3}, "positions");
  Weld result;
  {
    const Unlocked unlocked;
    result = weld(std::span(points.data(), std::size_t(points.size())), points.shape(1), tolerance);
  }
  return py::make_tuple(copy(result.welded), copy(result.representatives));
}

void register_records(py::module_& m) {
  bind_int_enum<AlphaMode>(m, "AlphaMode",
                           "What the alpha of a material says, as in glTF 2.0: nothing (opaque); that there is no "
                           "surface where it is less than the cutoff (mask); the material's share of what is seen "
                           "(blend).");
  py::class_<io::Material>(m, "Material", "How a triangle is painted.")
      .def(py::init([](std::string name, const std::array<double, 4>& color, std::string texture_name,
                       const py::bytes& texture, AlphaMode alpha_mode, double alpha_cutoff) {
             const std::string_view bytes = texture;
             require(std::isfinite(alpha_cutoff) && alpha_cutoff >= 0.0,
                     "alpha_cutoff must be finite and at least 0, not ", alpha_cutoff);
             return io::Material{.name = std::move(name),
                                 .color = color,
                                 .texture_name = std::move(texture_name),
                                 .texture = {bytes.begin(), bytes.end()},
                                 .alpha = {alpha_mode, alpha_cutoff}};
           }),
           py::kw_only(), "name"_a = "", "color"_a = io::Material().color, "texture_name"_a = "",
           "texture"_a = py::bytes(), py::arg_v("alpha_mode", AlphaMode::opaque, "AlphaMode.opaque").none(false),
           "alpha_cutoff"_a.none(false) = Alpha().cutoff,
           "For the meaning see the properties of the same names. Raises ValueError for a cutoff that is negative or "
           "not finite.")
      .def_readonly("name", &io::Material::name, "Name in the file.")
      .def_readonly("color", &io::Material::color, "Linear RGBA, four floats; multiplies the texture.")
      .def_readonly("texture_name", &io::Material::texture_name,
                    "The texture as the file names it, empty if there is none.")
      .def_property_readonly(
          "texture",
          [](const io::Material& material) { return pack(material.texture.data(), material.texture.size()); },
          "The encoded picture (PNG, JPEG ...) as bytes, empty if it was not found.")
      .def_property_readonly(
          "alpha_mode", [](const io::Material& material) { return material.alpha.mode; },
          "What the alpha of `color` times that of the texture says.")
      .def_property_readonly(
          "alpha_cutoff", [](const io::Material& material) { return material.alpha.cutoff; },
          "The least alpha at which a mask has a surface; other modes ignore it.")
      .def("__repr__", [](const io::Material& material) { return message("<Material '", material.name, "'>"); });

  py::class_<io::ClipReport>(m, "ClipReport", "What a clip holds.")
      .def_readonly("stored_vertices", &io::ClipReport::stored_vertices, "Vertices of the garment as stored.")
      .def_readonly("welded_vertices", &io::ClipReport::welded_vertices, "Vertices of the garment after welding.")
      .def_readonly("triangles", &io::ClipReport::triangles, "Triangles of the garment.")
      .def_readonly("zero_area_triangles", &io::ClipReport::zero_area_triangles,
                    "Garment triangles without area in the first frame.")
      .def_readonly("duplicate_faces", &io::ClipReport::duplicate_faces,
                    "Garment triangles with the same three welded vertices as an earlier one.")
      .def_readonly("other_sides", &io::ClipReport::other_sides,
                    "Triangles of the file, of garment and body, that were left out as the other side of another one.")
      .def_readonly("body_vertices", &io::ClipReport::body_vertices, "Stored vertices of the body.")
      .def_readonly("body_triangles", &io::ClipReport::body_triangles, "Triangles of the body.")
      .def_readonly("frames", &io::ClipReport::frames, "Frames of the clip.")
      .def_readonly("duration", &io::ClipReport::duration, "Seconds from the first frame to the last.")
      .def_readonly("mesh", &io::ClipReport::mesh, "Report of the garment's connectivity.")
      .def("__repr__", [](const io::ClipReport& report) {
        return message("<ClipReport ", report.stored_vertices, " stored, ", report.welded_vertices,
                       " welded vertices, ", report.triangles, " triangles, ", report.frames, " frames>");
      });

  py::class_<io::FileInfo>(m, "FileInfo", "What can be asked of a file.")
      .def_readonly("format", &io::FileInfo::format, "The extension of the file; 'obj' for a sequence.")
      .def_property_readonly(
          "clips", [](const io::FileInfo& info) { return durations(info.clips); },
          "Duration in seconds by name. Frames without a rate of their own are taken at 30 frames per second.")
      .def_property_readonly(
          "materials", [](const io::FileInfo& info) { return counts(info.materials); }, "Triangles by material.")
      .def_property_readonly(
          "nodes", [](const io::FileInfo& info) { return counts(info.nodes); },
          "Triangles by node; by surface of an MD3, by object or group of an OBJ.")
      .def_property_readonly(
          "meshes", [](const io::FileInfo& info) { return counts(info.meshes); }, "Triangles by mesh.")
      .def_property_readonly(
          "joints", [](const io::FileInfo& info) { return counts(info.joints); },
          "Triangles by the joint that governs them.")
      .def(py::pickle(&pack_info, &unpack_info))
      .def_readonly("stored_vertices", &io::FileInfo::stored_vertices, "Vertices as stored.")
      .def_readonly("triangles", &io::FileInfo::triangles, "Triangles, polygons cut into fans.")
      .def_property_readonly(
          "prefixes",
          [](const io::FileInfo& info) {
            return info.prefixes ? std::optional(std::pair(info.prefixes->own, info.prefixes->motion)) : std::nullopt;
          },
          "What is taken off the names of nodes, this file's and those of the file that moves it, where they agree "
          "without it only; else None.")
      .def("__repr__", [](const io::FileInfo& info) {
        return message("<FileInfo ", info.format, ", ", info.clips.size(), " clips, ", info.triangles, " triangles>");
      });
}

void register_frame(py::module_& m) {
  py::class_<Frame>(m, "Frame", "One frame of a clip; its arrays are read-only views of the clip's.")
      .def_readonly("index", &Frame::index, "Number of the frame in the clip.")
      .def_property_readonly(
          "time", [](const Frame& frame) { return frame.data().data().times[std::size_t(frame.index)]; }, "Seconds.")
      .def_property_readonly(
          "positions",
          [](const Frame& frame) {
            const auto positions = frame.data().positions(frame.index);
            return view(positions.data(), {positions.rows(), 3}, frame.clip);
          },
          "Garment, (n, 3) float64, welded.")
      .def_property_readonly(
          "body_positions",
          [](const Frame& frame) {
            const auto positions = frame.data().body_positions(frame.index);
            return view(positions.data(), {positions.rows(), 3}, frame.clip);
          },
          "Body, (nb, 3) float64.")
      .def("__repr__", [](const Frame& frame) {
        return message("<Frame ", frame.index, " at ", frame.data().data().times[std::size_t(frame.index)], " s>");
      });
}

void register_garment(py::class_<Clip>& clip) {
  clip.def_property_readonly(
          "faces", [](const py::object& self) { return view_matrix(self.cast<const Clip&>().mesh()->faces(), self); },
          "Garment triangles, (m, 3) int32 welded vertices.")
      .def_property_readonly(
          "positions",
          [](const py::object& self) {
            const auto& c = self.cast<const Clip&>();
            return view(c.data().positions.data(), {c.frame_count(), c.vertex_count(), 3}, self);
          },
          "Garment, (frames, n, 3) float64, welded vertices, in the file's unit of length, y up.")
      .def_property_readonly(
          "shared_vertices",
          [](const py::object& self) { return view(self.cast<const Clip&>().shared_vertices(), self); },
          R"(Garment vertices that are in the same place as a body vertex in every frame, int32, ascending.

There the garment is sewn to the rest of the character, at its border or at seams inside it, and wrinkles fade out.)")
      .def_property_readonly("has_authored_normals", &Clip::has_authored_normals,
                             "Whether the file has normals of its own, for the garment or the body.")
      .def(
          "shading_normals",
          [](const Clip& c, std::int64_t frame, bool authored) {
            require(frame >= 0 && frame < c.frame_count(), "frame must lie in [0, ", c.frame_count(), "), not ", frame);
            const auto normals = [&] {
              const Unlocked unlocked;
              return c.shading_normals(frame, authored);
            }();
            return py::make_tuple(copy_matrix(normals.garment), copy_matrix(normals.body));
          },
          py::arg("frame"), py::arg("authored").none(false) = true,
          R"(Unit normals to shade a frame by: of the garment (N, 3) and of the body (nb, 3), stored vertices.

They are the mean of the triangles' normals round a vertex, weighted by area, of garment and body together where they are
sewn to each other. With `authored` they are the file's where it has some, carried by the triangles from the pose that it
gives them in: by the inverse transpose of the map of a triangle's plane, along whose normal lengths go as the root of the
area, and the mean over a stored vertex's triangles, weighted by area. (0, 1, 0) where nothing has area. Raises
ValueError for a frame there is not.)")
      .def_property_readonly(
          "rest",
          [](const py::object& self) -> std::optional<py::array_t<double>> {
            const auto& c = self.cast<const Clip&>();
            if (!c.rest()) return std::nullopt;
            return view_matrix(*c.rest(), self);
          },
          "The pose the garment was bound to its joints in, (n, 3) float64, welded vertices; None if the file has no\n"
          "skin. In the space and at the scale of `positions`: the skin's topmost joint is where the pose stored "
          "beside\n"
          "the clips has it, the others are to it as their bind transforms say, and what has no skin follows its "
          "nodes.")
      .def_property_readonly(
          "body_rest",
          [](const py::object& self) -> std::optional<py::array_t<double>> {
            const auto& c = self.cast<const Clip&>();
            if (!c.rest()) return std::nullopt;
            return view_matrix(c.data().body_rest, self);
          },
          "The body in the pose `rest`, (nb, 3) float64, stored vertices; None if the file has no skin.")
      .def_property_readonly(
          "standing",
          [](const py::object& self) -> std::optional<py::array_t<double>> {
            const auto& c = self.cast<const Clip&>();
            if (!c.standing()) return std::nullopt;
            return view_matrix(c.standing()->garment, self);
          },
          R"(A pose in which the character stands upright with its arms low, as clothes are cut, (n, 3) float64, or None.

It is the first frame of a clip of the file whose name has the word idle, stand, standing, relaxed or apose in it, the name of
fewest words first; else of one with walk or walking; else, if the bind pose is a T-pose, at least 0.8 times as wide or deep
as high, of any clip, or a frame of this one: that whose vertices are nearest to their vertical. Upright is what is at least 0.9
times as high as the bind pose, 0.97 times where no name decides, and arms are low where the vertices are less than 0.9 times as
far, root mean square, from the vertical through their middle. None if there is no such pose, if a file without
skin has one clip only, and of a clip from no file.)")
      .def_property_readonly(
          "standing_body",
          [](const py::object& self) -> std::optional<py::array_t<double>> {
            const auto& c = self.cast<const Clip&>();
            if (!c.standing()) return std::nullopt;
            return view_matrix(c.standing()->body, self);
          },
          "The body in the pose `standing`, (nb, 3) float64, stored vertices; None without.")
      .def_property_readonly(
          "standing_from",
          [](const Clip& c) { return c.standing() ? std::optional(c.standing()->from) : std::nullopt; },
          "Where `standing` is from, as \"the first frame of Idle\"; None without.")
      .def_property_readonly(
          "skin", [](const Clip& c) -> const io::Skin* { return c.skin() ? &*c.skin() : nullptr; },
          py::return_value_policy::reference_internal,
          "The garment's linear blend skin, with all its influences; None if the file has none, or frames instead.")
      .def_property_readonly(
          "body_skin", [](const Clip& c) -> const io::Skin* { return c.body_skin() ? &*c.body_skin() : nullptr; },
          py::return_value_policy::reference_internal,
          "That of the body's stored vertices; None without a skin, and where morph targets move the body.")
      .def_property_readonly(
          "skeleton",
          [](const Clip& c) -> const io::Skeleton* { return c.skeleton().nodes.empty() ? nullptr : &c.skeleton(); },
          py::return_value_policy::reference_internal, "The nodes that the joints of both are; None without a skin.")
      .def_property_readonly(
          "mesh", [](const Clip& c) { return c.mesh(); }, "Connectivity of the welded garment.")
      .def_property_readonly(
          "weld", [](const py::object& self) { return view(self.cast<const Clip&>().data().garment.weld, self); },
          "Welded vertex of each stored garment vertex, (N,) int32.")
      .def_property_readonly(
          "stored_faces",
          [](const py::object& self) { return view_matrix(self.cast<const Clip&>().data().garment.faces, self); },
          "Garment triangles, (m, 3) int32 stored vertices: vertices are split at seams of texture or normal.")
      .def_property_readonly(
          "uv", [](const py::object& self) { return view_matrix(self.cast<const Clip&>().data().garment.uv, self); },
          "Texture coordinates of the stored garment vertices, (N, 2) float64; (0, 0) is the lower left corner of the\n"
          "picture, as in OpenGL. (0, 2) if the file has none; 0 for vertices without, if others have some.")
      .def_property_readonly(
          "materials",
          [](const py::object& self) { return view(self.cast<const Clip&>().data().garment.materials, self); },
          "Index into `material_list` of each garment triangle, (m,) int32.")
      .def_property_readonly(
          "other_sides",
          [](const py::object& self) { return view(self.cast<const Clip&>().data().garment.other_sides, self); },
          "Triangles of the garment that were left out as the other side of another one, (k,) int32, rising: their\n"
          "numbers among the garment's triangles in the file, those left out included.");
}

void register_body(py::class_<Clip>& clip) {
  clip.def_property_readonly(
          "body_faces",
          [](const py::object& self) { return view_matrix(self.cast<const Clip&>().data().body.faces, self); },
          "Triangles of the rest of the character, (mb, 3) int32 stored body vertices.")
      .def_property_readonly(
          "body_positions",
          [](const py::object& self) {
            const auto& c = self.cast<const Clip&>();
            return view(c.data().body_positions.data(), {c.frame_count(), c.body_vertex_count(), 3}, self);
          },
          "Body, (frames, nb, 3) float64, stored vertices, not welded.")
      .def_property_readonly(
          "body_uv", [](const py::object& self) { return view_matrix(self.cast<const Clip&>().data().body.uv, self); },
          "Texture coordinates of the body, (nb, 2) float64, as `uv`.")
      .def_property_readonly(
          "body_materials",
          [](const py::object& self) { return view(self.cast<const Clip&>().data().body.materials, self); },
          "Index into `material_list` of each body triangle, (mb,) int32.")
      .def_property_readonly(
          "body_weld", [](const py::object& self) { return view(self.cast<const Clip&>().data().body.weld, self); },
          "(nb,) int32: body vertices with the same number are one point, for normals that are smooth over seams.");
}

void register_clip(py::module_& m) {
  py::class_<Clip> clip(
      m, "Clip",
      "One animated character, cut into the garment that wrinkles and the body that is only drawn.\n\n"
      "Made by `load` and `Clip.from_arrays`. All arrays are read-only views that keep the clip alive.\n"
      "`len(clip)` is the number of frames; `clip[i]` and iteration give `Frame` objects.");
  clip.def_static(
          "from_arrays", &clip_from_arrays, "faces"_a, "positions"_a, "times"_a, py::kw_only(), "uv"_a = py::none(),
          "weld"_a.none(false) = true, "rest"_a = py::none(),
          "A clip of a garment alone.\n\n"
          "faces: (m, 3) vertex numbers. positions: (frames, n, 3). times: (frames,) seconds, strictly\n"
          "increasing. uv: (n, 2), (0, 0) in the lower left corner of the picture. Any dtype of integers or\n"
          "floats and any memory order. With `weld`, vertices that coincide in every frame, and in `rest` if it\n"
          "is given, become one. rest: (n, 3), see the property of that name.\n\n"
          "Raises ValueError if a shape is wrong, a number is not finite, a face names a vertex out of range,\n"
          "or times do not increase.")
      .def(
          "with_texture",
          [](const Clip& self, const ArrayLike& corners) {
            const auto numbers = input<double>(corners, "corners");
            require_shape(numbers, {self.data().garment.faces.rows(), 3, 2}, "corners");
            return io::with_texture(self, {numbers.data(), std::size_t(numbers.size())});
          },
          "corners"_a,
          R"(The clip with other texture coordinates (m, 3, 2) of the corners of the garment's triangles.

Stored vertices are those of before, each as often as it has different coordinates; all else stays.

Raises ValueError for another shape and for coordinates that are not finite.)")
      .def("beginning", &Clip::beginning, "frames"_a,
           R"(The first frames of the clip, so many, and all else as it is.

Rest pose, skin, body and materials stay, and so do `height` and `shared_vertices`, which are those of the whole clip: a
run over the beginning gives the same bits as the first frames of a run over all of it. Raises ValueError for less than
one frame or more than there are.)")
      .def("smoothed", &io::smoothed, "levels"_a = 1,
           R"(The clip with garment and body subdivided by Loop's rules (1987), both as one mesh.

So no crack opens where they are sewn to each other. Each triangle becomes 4**levels, whose facets are no longer seen;
the surface lies within the coarse one. Edges stay sharp at which the file has two normals and which bend by more than 60
degrees in their pose.

Stored vertices keep their numbers and those on edges and inside follow; they stay split where the file splits them, and
texture coordinates are interpolated linearly. So positions and `rest` are fixed sparse combinations of this clip's. Left
out are triangles that name a vertex twice; the file's normals, which are those of the coarse shape; and the skin, which
the smooth surface does not follow. No level changes nothing. Raises ValueError for levels outside of 0 to 4.)")
      .def("with_smooth_body", &io::with_smooth_body, "levels"_a = 1,
           R"(The clip with its body alone subdivided as by `smoothed`, and the garment as it is.

For methods that make a smooth surface of the garment's own triangles, as by example. Where it is sewn to the garment the
body stays on the coarse edges, as such a surface does; its normals and skin are left out. Raises ValueError as that does.)")
      .def("__len__", &Clip::frame_count)
      .def("__getitem__", &frame_at, "index"_a, "The frame; negative numbers count from the end.")
      .def("__iter__",
           [](const py::object& self) {
             py::list frames;
             for (std::int64_t k = 0; k < self.cast<const Clip&>().frame_count(); ++k) frames.append(Frame{self, k});
             return py::iter(frames);
           })
      .def("__repr__",
           [](const Clip& c) {
             return message("<Clip '", c.data().name, "', ", c.frame_count(), " frames, ", c.vertex_count(),
                            " vertices, ", c.mesh()->triangle_count(), " triangles>");
           })
      .def(py::pickle(&pack_clip, &unpack_clip))
      .def_property_readonly(
          "times", [](const py::object& self) { return view(self.cast<const Clip&>().data().times, self); },
          "(frames,) float64 seconds, strictly increasing.")
      .def_property_readonly(
          "height", &Clip::height,
          "The size of the character: the extent along y of garment and body in the first frame; of what lies\n"
          "flat there, less than a tenth as high as wide, the longest side of the box round any frame.")
      .def_property_readonly(
          "name", [](const Clip& c) { return c.data().name; }, "The file's name without extension, and the clip's.")
      .def_property_readonly(
          "parts", [](const Clip& c) { return c.data().parts; }, "The names that chose the garment; empty: all of it.")
      .def_property_readonly(
          "clips", [](const Clip& c) { return durations(c.data().clips); },
          "Duration in seconds by name of all clips of the file.")
      .def_property_readonly(
          "material_list", [](const Clip& c) { return c.data().materials; }, "The character's materials.")
      .def_property_readonly("report", &Clip::report, "What the clip holds.");
  register_garment(clip);
  register_body(clip);
}

py::dict library_versions() {
  py::dict result;
  for (const io::Library& library : io::libraries()) result[py::str(library.name)] = library.version;
  result["pybind11"] = message(PYBIND11_VERSION_MAJOR, '.', PYBIND11_VERSION_MINOR, '.', PYBIND11_VERSION_MICRO);
  return result;
}

}  // namespace

void register_io(py::module_& m) {
  register_records(m);
  register_frame(m);
  register_clip(m);
  m.def("libraries", &library_versions, "Versions by name of the libraries the core was built with.");
  m.def(
      "weld", &weld_arrays, "positions"_a, "tolerance"_a = 1e-6,
      "Finds the vertices that have the same position in every frame.\n\n"
      "positions: (frames, n, 3) or (n, 3). tolerance: the largest distance of 'the same position', as a share of the\n"
      "diagonal of the frame's bounding box; vertices within it of a common vertex are one too.\n"
      "Returns the welded vertex of each stored one, (N,) int32, and the first stored vertex of each welded one, (n,)\n"
      "int32; welded vertices are numbered in the order of their first stored vertex.\n\n"
      "Raises ValueError if the shape is wrong, a position is not finite, or the tolerance is not in [0, 1).");
}

}  // namespace pucker::bindings
