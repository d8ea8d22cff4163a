#include "pickling.h"

#include <pybind11/stl.h>

#include "pucker/errors.h"

namespace pucker::bindings {
namespace {

template <class Array>
Array unpack_rows(const py::handle& state) {
  const auto numbers = unpack<typename Array::Scalar>(state);
  constexpr std::int64_t columns = Array::ColsAtCompileTime;
  require(std::int64_t(numbers.size()) % columns == 0, "a pickled clip holds ", numbers.size(), " numbers for rows of ",
          columns);
  return Eigen::Map<const Array>(numbers.data(), std::int64_t(numbers.size()) / columns, columns);
}

py::tuple pack_surface(const io::StoredSurface& surface) {
  return py::make_tuple(
      pack(surface.faces.data(), std::size_t(surface.faces.size())),
      pack(surface.uv.data(), std::size_t(surface.uv.size())), pack(surface.materials.data(), surface.materials.size()),
      pack(surface.weld.data(), surface.weld.size()), pack(surface.normals.data(), std::size_t(surface.normals.size())),
      pack(surface.normal_pose.data(), std::size_t(surface.normal_pose.size())),
      pack(surface.other_sides.data(), surface.other_sides.size()));
}

io::StoredSurface unpack_surface(const py::handle& state) {
  const auto parts = state.cast<py::tuple>();
  require(parts.size() == 7, "a pickled surface has 7 parts, got ", parts.size());
  return {unpack_rows<Index3>(parts[0]),  unpack_rows<UvArray>(parts[1]), unpack<std::int32_t>(parts[2]),
          unpack<std::int32_t>(parts[3]), unpack_rows<Array3>(parts[4]),  unpack_rows<Array3>(parts[5]),
          unpack<std::int32_t>(parts[6])};
}

py::object pack_skin(const std::optional<io::Skin>& skin) {
  if (!skin) return py::none();
  const auto packed = [](const auto& numbers) { return pack(numbers.data(), numbers.size()); };
  return py::make_tuple(skin->joints, packed(skin->inverse_binds), packed(skin->matrices), packed(skin->first),
                        packed(skin->joint), packed(skin->weight), packed(skin->nodes));
}

std::optional<io::Skin> unpack_skin(const py::handle& state) {
  if (state.is_none()) return std::nullopt;
  const auto parts = state.cast<py::tuple>();
  require(parts.size() == 7, "a pickled skin has 7 parts, got ", parts.size());
  return io::Skin{.joints = parts[0].cast<std::vector<std::string>>(),
                  .inverse_binds = unpack<double>(parts[1]),
                  .matrices = unpack<double>(parts[2]),
                  .first = unpack<std::int32_t>(parts[3]),
                  .joint = unpack<std::int32_t>(parts[4]),
                  .weight = unpack<double>(parts[5]),
                  .nodes = unpack<std::int32_t>(parts[6])};
}

py::tuple pack_skeleton(const io::Skeleton& skeleton) {
  return py::make_tuple(skeleton.nodes, pack(skeleton.parents.data(), skeleton.parents.size()),
                        pack(skeleton.matrices.data(), skeleton.matrices.size()));
}

io::Skeleton unpack_skeleton(const py::handle& state) {
  const auto parts = state.cast<py::tuple>();
  require(parts.size() == 3, "a pickled skeleton has 3 parts, got ", parts.size());
  return {.nodes = parts[0].cast<std::vector<std::string>>(),
          .parents = unpack<std::int32_t>(parts[1]),
          .matrices = unpack<double>(parts[2])};
}

py::object pack_whole(const std::optional<io::Whole>& whole) {
  if (!whole) return py::none();
  return py::make_tuple(whole->height, pack(whole->shared.data(), whole->shared.size()),
                        pack(whole->shared_with.data(), whole->shared_with.size()));
}

std::optional<io::Whole> unpack_whole(const py::handle& state) {
  if (state.is_none()) return std::nullopt;
  const auto parts = state.cast<py::tuple>();
  require(parts.size() == 3, "a pickled whole clip has 3 parts, got ", parts.size());
  return io::Whole{.height = parts[0].cast<double>(),
                   .shared = unpack<std::int32_t>(parts[1]),
                   .shared_with = unpack<std::int32_t>(parts[2])};
}

}  // namespace

py::tuple pack_clip(const io::Clip& clip) {
  const io::ClipData& data = clip.data();
  py::list materials;
  for (const io::Material& material : data.materials)
    materials.append(py::make_tuple(material.name, material.color, material.texture_name,
                                    pack(material.texture.data(), material.texture.size()),
                                    std::int32_t(material.alpha.mode), material.alpha.cutoff));
  py::list clips;
  for (const io::ClipInfo& info : data.clips) clips.append(py::make_tuple(info.name, info.duration));
  py::object rest = py::none();
  if (data.rest) rest = pack(data.rest->data(), std::size_t(data.rest->size()));
  py::object standing = py::none();
  if (data.standing)
    standing = py::make_tuple(data.standing->from,
                              pack(data.standing->garment.data(), std::size_t(data.standing->garment.size())),
                              pack(data.standing->body.data(), std::size_t(data.standing->body.size())));
  return py::make_tuple(data.name, pack(data.times.data(), data.times.size()), data.vertices,
                        pack(data.positions.data(), data.positions.size()), pack_surface(data.garment),
                        pack(data.body_positions.data(), data.body_positions.size()), pack_surface(data.body),
                        materials, data.parts, clips, rest, pack_skin(data.skin),
                        pack(data.body_rest.data(), std::size_t(data.body_rest.size())), pack_whole(data.whole),
                        standing, pack_skin(data.body_skin), pack_skeleton(data.skeleton), data.front);
}

io::Clip unpack_clip(const py::tuple& state) {
  require(state.size() == 18, "a pickled clip has 18 parts, got ", state.size());
  io::ClipData data{.name = state[0].cast<std::string>(),
                    .times = unpack<double>(state[1]),
                    .vertices = state[2].cast<std::int64_t>(),
                    .positions = unpack<double>(state[3]),
                    .rest = std::nullopt,
                    .body_rest = unpack_rows<Array3>(state[12]),
                    .skin = unpack_skin(state[11]),
                    .body_skin = unpack_skin(state[15]),
                    .skeleton = unpack_skeleton(state[16]),
                    .front = state[17].cast<std::optional<double>>(),
                    .garment = unpack_surface(state[4]),
                    .body_positions = unpack<double>(state[5]),
                    .body = unpack_surface(state[6]),
                    .materials = {},
                    .parts = state[8].cast<std::vector<std::string>>(),
                    .clips = {},
                    .whole = unpack_whole(state[13])};
  if (!state[10].is_none()) data.rest = unpack_rows<Array3>(state[10]);
  if (!state[14].is_none()) {
    const auto parts = state[14].cast<py::tuple>();
    require(parts.size() == 3, "a pickled standing pose has 3 parts, got ", parts.size());
    data.standing = {parts[0].cast<std::string>(), unpack_rows<Array3>(parts[1]), unpack_rows<Array3>(parts[2])};
  }
  for (const py::handle& material : state[7]) {
    const auto parts = material.cast<py::tuple>();
    require(parts.size() == 6, "a pickled material has 6 parts, got ", parts.size());
    data.materials.push_back({.name = parts[0].cast<std::string>(),
                              .color = parts[1].cast<std::array<double, 4>>(),
                              .texture_name = parts[2].cast<std::string>(),
                              .texture = unpack<std::uint8_t>(parts[3]),
                              .alpha = {AlphaMode(parts[4].cast<std::int32_t>()), parts[5].cast<double>()}});
  }
  for (const py::handle& info : state[9]) {
    const auto parts = info.cast<py::tuple>();
    data.clips.push_back({parts[0].cast<std::string>(), parts[1].cast<double>()});
  }
  return io::Clip(std::move(data));
}

py::tuple pack_info(const io::FileInfo& info) {
  py::list clips;
  for (const io::ClipInfo& clip : info.clips) clips.append(py::make_tuple(clip.name, clip.duration));
  const auto pack_parts = [](const std::vector<io::PartInfo>& parts) {
    py::list result;
    for (const io::PartInfo& part : parts) result.append(py::make_tuple(part.name, part.triangles));
    return result;
  };
  return py::make_tuple(info.format, clips, pack_parts(info.materials), pack_parts(info.nodes), pack_parts(info.meshes),
                        pack_parts(info.joints), info.stored_vertices, info.triangles,
                        info.prefixes ? py::make_tuple(info.prefixes->own, info.prefixes->motion) : py::tuple());
}

io::FileInfo unpack_info(const py::tuple& state) {
  require(state.size() == 9, "a pickled FileInfo has 9 parts, got ", state.size());
  const auto unpack_parts = [](const py::handle& list) {
    std::vector<io::PartInfo> parts;
    for (const auto& [name, triangles] : list.cast<std::vector<std::pair<std::string, std::int64_t>>>())
      parts.push_back({name, triangles});
    return parts;
  };
  io::FileInfo info{.format = state[0].cast<std::string>(),
                    .clips = {},
                    .materials = unpack_parts(state[2]),
                    .nodes = unpack_parts(state[3]),
                    .meshes = unpack_parts(state[4]),
                    .joints = unpack_parts(state[5]),
                    .stored_vertices = state[6].cast<std::int64_t>(),
                    .triangles = state[7].cast<std::int64_t>()};
  if (const auto prefixes = state[8].cast<py::tuple>(); !prefixes.empty())
    info.prefixes = {prefixes[0].cast<std::string>(), prefixes[1].cast<std::string>()};
  for (const auto& [name, duration] : state[1].cast<std::vector<std::pair<std::string, double>>>())
    info.clips.push_back({name, duration});
  return info;
}

}  // namespace pucker::bindings
