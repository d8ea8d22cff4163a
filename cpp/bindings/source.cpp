#include "pucker/io/source.h"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <map>

#include "arrays.h"
#include "pucker/io/clip_arrays.h"
#include "pucker/io/load.h"
#include "pucker/io/npz.h"

namespace pucker::bindings {
namespace {

using namespace pybind11::literals;
using Names = std::optional<std::vector<std::string>>;

// Three arrays (k,) of the vertex, the joint and the weight of each influence, as one list a vertex.
std::vector<std::vector<io::Influence>> input_influences(const py::object& influences, std::int64_t vertices) {
  std::vector<std::vector<io::Influence>> result;
  result.resize(std::size_t(vertices));
  const auto lists = py::cast<std::array<py::object, 3>>(influences);
  const auto owners = input_list<std::int32_t>(lists[0], -1, "influence vertices");
  const auto joints = input_list<std::int32_t>(lists[1], py::ssize_t(owners.size()), "influence joints");
  const auto weights = input_list<double>(lists[2], py::ssize_t(owners.size()), "influence weights");
  for (std::size_t k = 0; k < owners.size(); ++k) {
    require(owners[k] >= 0 && owners[k] < vertices, "influence vertices must be in [0, ", vertices, "), got ",
            owners[k]);
    result[std::size_t(owners[k])].push_back({joints[k], weights[k]});
  }
  return result;
}

io::Character character(std::int64_t vertices, const ArrayLike& faces, const MaybeArray& uv,
                        const MaybeArray& face_pieces, const std::vector<std::array<std::string, 2>>& pieces,
                        const MaybeArray& face_materials, std::vector<io::Material> materials,
                        std::vector<std::string> joints, const py::object& influences, const MaybeArray& normals) {
  io::Character result;
  result.vertices = vertices;
  result.faces = input_index3(faces, "faces");
  const auto triangles = py::ssize_t(result.faces.rows());
  const auto per_triangle = [&](const py::object& indices, const char* name) {
    return indices.is_none() ? std::vector<std::int32_t>(std::size_t(triangles), 0)
                             : input_list<std::int32_t>(indices, triangles, name);
  };
  result.face_pieces = per_triangle(face_pieces, "face_pieces");
  result.face_materials = per_triangle(face_materials, "face_materials");
  for (const auto& [node, mesh] : pieces) result.pieces.push_back({node, mesh});
  if (pieces.empty()) result.pieces.emplace_back();
  result.materials = std::move(materials);
  if (result.materials.empty()) result.materials.emplace_back();
  result.uv.resize(0, 2);
  if (!uv.is_none()) {
    const auto rows = input<double>(uv, "uv");
    require_shape(rows, {py::ssize_t(vertices), 2}, "uv");
    result.uv = Eigen::Map<const UvArray>(rows.data(), rows.shape(0), 2);
  }
  result.joints = std::move(joints);
  if (!influences.is_none()) result.influences = input_influences(influences, vertices);
  if (!normals.is_none()) result.normals = input_array3(normals, py::ssize_t(vertices), "normals");
  return result;
}

std::unique_ptr<io::Source> from_frames(const std::filesystem::path& path, const std::string& format,
                                        const io::Character& character, const ArrayLike& positions,
                                        const MaybeArray& times) {
  const auto points = input<double>(positions, "positions");
  require_shape(points, {-1, py::ssize_t(character.vertices), 3}, "positions");
  io::FrameAnimation animation;
  animation.format = format;
  animation.character = character;
  for (py::ssize_t frame = 0; frame < points.shape(0); ++frame)
    animation.frames.emplace_back(
        Eigen::Map<const Array3>(points.data() + 3 * frame * character.vertices, character.vertices, 3));
  if (!times.is_none()) animation.times = input_list<double>(times, points.shape(0), "times");
  return io::open_frames(path, std::move(animation));
}

std::unique_ptr<io::Source> from_poses(
    const std::filesystem::path& path, const std::string& format, const io::Character& character, const ArrayLike& rest,
    const std::vector<std::tuple<std::string, double, std::function<Array3(double)>>>& clips,
    const MaybeArray& bind_pose) {
  io::PosedAnimation animation;
  animation.format = format;
  animation.character = character;
  animation.rest = input_array3(rest, py::ssize_t(character.vertices), "rest");
  if (!bind_pose.is_none()) animation.bind_pose = input_array3(bind_pose, py::ssize_t(character.vertices), "bind_pose");
  for (const auto& [name, duration, pose] : clips) {
    if (!pose) throw py::type_error(message("the pose of clip '", name, "' must be a function, got None"));
    animation.clips.push_back({{name, duration}, pose});
  }
  return io::open_poses(path, std::move(animation));
}

}  // namespace

void register_source(py::module_& m) {
  py::module_ sources = m.def_submodule(
      "sources", "Open files, and how an animation that was read elsewhere becomes one: what `pucker.io` builds on.");

  py::class_<io::Character>(sources, "Character", "The fixed part of a character: everything but its motion.")
      .def(py::init(&character), "vertices"_a, "faces"_a, py::kw_only(), "uv"_a = py::none(),
           "face_pieces"_a = py::none(), "pieces"_a = std::vector<std::array<std::string, 2>>(),
           "face_materials"_a = py::none(), "materials"_a = std::vector<io::Material>(),
           "joints"_a = std::vector<std::string>(), "influences"_a = py::none(), "normals"_a = py::none(),
           R"(A character of `vertices` stored vertices, N.

Args:
    faces: (m, 3) stored vertices.
    uv: (N, 2), (0, 0) in the lower left corner of the picture.
    face_pieces: (m,) index into `pieces`; None: 0.
    pieces: Names of the node and the mesh of triangles, empty where there is none; no pieces: one without names.
    face_materials: (m,) index into `materials`; None: 0.
    materials: No materials: one without name.
    joints: Distinct names.
    influences: Three arrays (k,): vertex, joint and weight; the weights of a vertex sum to 1.
    normals: (N, 3) in the pose beside the clips, zero for a vertex without.

Raises:
    ValueError: For a wrong shape; indices are checked when the character is given a motion.)");

  py::class_<io::Source>(sources, "Source", "An open file.")
      .def(
          "load",
          [](const io::Source& source, std::optional<std::string> clip, Names parts, double fps, int loops, int smooth,
             std::int64_t memory, std::int64_t frames, std::optional<std::int64_t> beginning) {
            const Unlocked unlocked;
            return io::load(source, {std::move(clip),
                                     std::move(parts).value_or(std::vector<std::string>()),
                                     fps,
                                     loops,
                                     smooth,
                                     {memory, frames},
                                     beginning});
          },
          py::kw_only(), "clip"_a = py::none(), "parts"_a = py::none(), "fps"_a = 30.0, "loops"_a = 1, "smooth"_a = 0,
          "memory"_a = io::Limits{}.memory, "frames"_a = io::Limits{}.frames, "beginning"_a = py::none(),
          R"(One clip of the file; see `pucker.load`.

With `beginning`, at least 1, so many of its first frames: the bits of `Clip.beginning`, without the memory of the others.)")
      .def(
          "inspect", [](const io::Source& source) { return io::inspect(source); },
          "What the file holds; see `pucker.inspect`.")
      .def(
          "select",
          [](const io::Source& source, const std::vector<std::string>& parts) {
            const std::vector<bool> chosen = io::select(source, parts);
            py::array_t<bool> result(py::ssize_t(chosen.size()));
            std::ranges::copy(chosen, result.mutable_data());
            return result;
          },
          "parts"_a,
          "Which triangles `parts` means, (m,) bool, in the order of the file: that of `Clip.faces` of the whole "
          "character,\n"
          "with `Clip.other_sides` among them.\n\n"
          "Raises ValueError for a name that chooses none.")
      .def(
          "part_numbers",
          [](const io::Source& source, const std::string& kind) {
            return py::array_t<std::int32_t>(py::cast(io::part_numbers(source, kind)));
          },
          "kind"_a,
          "Which part of a kind, 'materials', 'nodes', 'meshes' or 'joints', each triangle is of, (m,) int32, in the\n"
          "order of `select`: its number in the order of `FileInfo`'s, -1 for one without a name or joint.\n\n"
          "Raises ValueError for another kind.");

  sources.def(
      "open_file",
      [](const std::filesystem::path& path, std::optional<std::filesystem::path> motion,
         const std::map<std::filesystem::path, py::bytes>& contents, bool anywhere, std::int64_t memory,
         std::int64_t frames) {
        io::OpenOptions options{.motion = std::move(motion), .anywhere = anywhere, .limits = {memory, frames}};
        for (const auto& [file, content] : contents) options.contents.emplace(file, content);
        const Unlocked unlocked;
        return io::open_source(path, options);
      },
      "path"_a, "motion"_a = py::none(), py::kw_only(), "contents"_a = std::map<std::filesystem::path, py::bytes>(),
      "anywhere"_a.none(false) = false, "memory"_a = io::Limits{}.memory, "frames"_a = io::Limits{}.frames,
      R"(A file of a format the core reads; see `pucker.load`.

Args:
    contents: By `path` or `motion`, if it is a glTF, FBX or Collada file: the bytes that are read in place of those on
        disk, of the same format or, for glTF, a GLB. Pictures are looked for beside the file, and errors name it.

Raises:
    pucker.Error: As `pucker.load`.
    ValueError: For contents of another file.)");
  sources.def(
      "pack_clip",
      [](const io::Clip& clip) {
        std::string content;
        {
          const Unlocked unlocked;
          content = io::pack_npz(io::arrays_of(clip));
        }
        return py::bytes(content);
      },
      "clip"_a, "The bytes of a .npz that `read_clip`, and the native viewer, make the same clip of.");
  sources.def(
      "read_clip",
      [](const std::filesystem::path& path, std::int64_t memory, std::int64_t frames) {
        return io::read_clip(path, {memory, frames});
      },
      "path"_a, py::kw_only(), "memory"_a = io::Limits{}.memory, "frames"_a = io::Limits{}.frames,
      py::call_guard<Unlocked>(), "The clip of a file with the bytes of `pack_clip`. Raises pucker.Error.");
  sources.def("from_frames", &from_frames, "path"_a, "format"_a, "character"_a, "positions"_a, "times"_a = py::none(),
              R"(A character that is stored frame by frame.

Args:
    path: Names the source in clips and errors.
    format: `FileInfo.format`.
    positions: (frames, N, 3).
    times: (frames,) seconds, strictly increasing; None: as many frames per second as are asked for.

Raises:
    ValueError: Unless the arrays fit each other.)");
  sources.def("from_poses", &from_poses, "path"_a, "format"_a, "character"_a, "rest"_a, "clips"_a, py::kw_only(),
              "bind_pose"_a = py::none(),
              R"(A character whose pose at any time is computed.

Args:
    path: Names the source in clips and errors.
    format: `FileInfo.format`.
    rest: (N, 3), the pose beside the clips.
    clips: Name, duration in seconds, and a function from a time in [0, duration] to positions (N, 3) float64.
    bind_pose: (N, 3), the pose the skin was bound in, at the scale of the clips; see `Clip.rest`.

Raises:
    ValueError: Unless the arrays fit each other.)");
}

}  // namespace pucker::bindings
