#include "pucker/io/clip_arrays.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/io/npz.h"

namespace pucker::io {

namespace {

constexpr std::int64_t kAxes = 3;

/// Puts the fields of a clip into arrays.
class FieldWriter {
 public:
  NamedArrays out;

  void text(std::string_view name, const std::string& value) {
    out[std::string(name)] = {.shape = {}, .values = {}, .text = value, .is_text = true};
  }
  void texts(std::string_view name, const std::vector<std::string>& values) {
    std::string joined;
    std::vector<double> sizes;
    for (const std::string& value : values) {
      joined += value;
      sizes.push_back(double(value.size()));
    }
    text(name, joined);
    numbers(std::string(name) + ".sizes", sizes);
  }
  template <class Values>
  void numbers(std::string_view name, const Values& values) {
    using Number = std::decay_t<decltype(*values.data())>;
    const auto count = std::int64_t(values.size());
    out[std::string(name)] = {.shape = {count},
                              .values = std::vector<double>(values.data(), values.data() + count),
                              .text = {},
                              .is_whole = std::is_integral_v<Number>};
  }
  void surface(const std::string& name, const StoredSurface& surface) {
    numbers(name + ".faces", surface.faces);
    numbers(name + ".uv", surface.uv);
    numbers(name + ".materials", surface.materials);
    numbers(name + ".weld", surface.weld);
    numbers(name + ".normals", surface.normals);
    numbers(name + ".normal_pose", surface.normal_pose);
    numbers(name + ".other_sides", surface.other_sides);
  }
};

/// Takes them out again.
class FieldReader {
 public:
  FieldReader(const std::filesystem::path& path, const Limits& limits) : path_(path), limits_(limits) {}

  std::string text(std::string_view name) const {
    NamedArray array = found(name);
    if (!array.is_text) refuse(name, "is no text");
    return std::move(array.text);
  }
  std::vector<std::string> texts(std::string_view name) const {
    const std::string joined = text(name);
    std::vector<std::string> out;
    std::size_t at = 0;
    for (const auto size : numbers<std::size_t>(std::string(name) + ".sizes")) {
      if (size > joined.size() - at) refuse(name, "is shorter than its parts");
      out.push_back(joined.substr(at, size));
      at += size;
    }
    return out;
  }
  template <class Number>
  std::vector<Number> numbers(std::string_view name) const {
    const NamedArray array = found(name);
    if constexpr (std::is_integral_v<Number>)
      for (const double value : array.values)
        if (!(value >= double(std::numeric_limits<std::int32_t>::min()) &&
              value <= double(std::numeric_limits<std::int32_t>::max())))
          refuse(name, "has a number that is none of 32 bits");
    return {array.values.begin(), array.values.end()};
  }
  template <class Array>
  Array rows(std::string_view name) const {
    const auto values = numbers<typename Array::Scalar>(name);
    constexpr std::int64_t columns = Array::ColsAtCompileTime;
    if (std::int64_t(values.size()) % columns != 0) refuse(name, "is cut off within a row");
    return Eigen::Map<const Array>(values.data(), std::int64_t(values.size()) / columns, columns);
  }
  StoredSurface surface(const std::string& name) const {
    return {.faces = rows<Index3>(name + ".faces"),
            .uv = rows<UvArray>(name + ".uv"),
            .materials = numbers<std::int32_t>(name + ".materials"),
            .weld = numbers<std::int32_t>(name + ".weld"),
            .normals = rows<Array3>(name + ".normals"),
            .normal_pose = rows<Array3>(name + ".normal_pose"),
            .other_sides = numbers<std::int32_t>(name + ".other_sides")};
  }

 private:
  NamedArray found(std::string_view name) const {
    const std::array names{name};
    NamedArrays arrays = read_npz(path_, names, limits_);
    if (arrays.empty()) refuse(name, "is missing");
    return std::move(arrays.begin()->second);
  }
  [[noreturn]] void refuse(std::string_view name, const char* what) const {
    throw Error(message(path_.string(), " is no clip of pucker: ", name, " ", what));
  }

  const std::filesystem::path& path_;
  const Limits& limits_;
};

/// Without a skin no `first`.
void write_skin(FieldWriter& fields, const std::string& name, const std::optional<Skin>& skin) {
  const Skin some = skin.value_or(Skin());
  fields.texts(name + ".joints", some.joints);
  fields.numbers(name + ".inverse_binds", some.inverse_binds);
  fields.numbers(name + ".matrices", some.matrices);
  fields.numbers(name + ".first", some.first);
  fields.numbers(name + ".joint", some.joint);
  fields.numbers(name + ".weight", some.weight);
  fields.numbers(name + ".nodes", some.nodes);
}

std::optional<Skin> read_skin(const FieldReader& fields, const std::string& name) {
  Skin out{.joints = fields.texts(name + ".joints"),
           .inverse_binds = fields.numbers<double>(name + ".inverse_binds"),
           .matrices = fields.numbers<double>(name + ".matrices"),
           .first = fields.numbers<std::int32_t>(name + ".first"),
           .joint = fields.numbers<std::int32_t>(name + ".joint"),
           .weight = fields.numbers<double>(name + ".weight"),
           .nodes = fields.numbers<std::int32_t>(name + ".nodes")};
  if (out.first.empty()) return std::nullopt;
  return out;
}

void write_skeleton(FieldWriter& fields, const Skeleton& skeleton) {
  fields.texts("skeleton.nodes", skeleton.nodes);
  fields.numbers("skeleton.parents", skeleton.parents);
  fields.numbers("skeleton.matrices", skeleton.matrices);
}

Skeleton read_skeleton(const FieldReader& fields) {
  return {.nodes = fields.texts("skeleton.nodes"),
          .parents = fields.numbers<std::int32_t>("skeleton.parents"),
          .matrices = fields.numbers<double>("skeleton.matrices")};
}

/// Without a whole no height.
void write_whole(FieldWriter& fields, const std::optional<Whole>& whole) {
  const Whole some = whole.value_or(Whole());
  fields.numbers("whole.height", whole ? std::vector<double>{some.height} : std::vector<double>());
  fields.numbers("whole.shared", some.shared);
  fields.numbers("whole.shared_with", some.shared_with);
}

std::optional<Whole> read_whole(const FieldReader& fields) {
  const auto height = fields.numbers<double>("whole.height");
  if (height.empty()) return std::nullopt;
  return Whole{.height = height.front(),
               .shared = fields.numbers<std::int32_t>("whole.shared"),
               .shared_with = fields.numbers<std::int32_t>("whole.shared_with")};
}

/// Without a standing pose none says where it is from.
void write_standing(FieldWriter& fields, const std::optional<Standing>& standing) {
  const Standing some = standing.value_or(Standing());
  fields.text("standing.from", some.from);
  fields.numbers("standing.garment", some.garment);
  fields.numbers("standing.body", some.body);
}

std::optional<Standing> read_standing(const FieldReader& fields) {
  Standing out{.from = fields.text("standing.from"),
               .garment = fields.rows<Array3>("standing.garment"),
               .body = fields.rows<Array3>("standing.body")};
  if (out.from.empty()) return std::nullopt;
  return out;
}

void write_materials(FieldWriter& fields, const std::vector<Material>& materials) {
  std::vector<std::string> names;
  std::vector<std::string> pictures;
  std::vector<double> colours;
  std::vector<std::int32_t> bytes;
  std::vector<double> sizes;
  std::vector<std::int32_t> modes;
  std::vector<double> cutoffs;
  for (const Material& material : materials) {
    names.push_back(material.name);
    pictures.push_back(material.texture_name);
    colours.insert(colours.end(), material.color.begin(), material.color.end());
    bytes.insert(bytes.end(), material.texture.begin(), material.texture.end());
    sizes.push_back(double(material.texture.size()));
    modes.push_back(std::int32_t(material.alpha.mode));
    cutoffs.push_back(material.alpha.cutoff);
  }
  fields.texts("materials.names", names);
  fields.texts("materials.texture_names", pictures);
  fields.numbers("materials.colors", colours);
  fields.numbers("materials.textures", bytes);
  fields.numbers("materials.texture_sizes", sizes);
  fields.numbers("materials.alpha_modes", modes);
  fields.numbers("materials.alpha_cutoffs", cutoffs);
}

std::vector<Material> read_materials(const FieldReader& fields) {
  const auto names = fields.texts("materials.names");
  const auto pictures = fields.texts("materials.texture_names");
  const auto colours = fields.numbers<double>("materials.colors");
  const auto bytes = fields.numbers<std::uint8_t>("materials.textures");
  const auto sizes = fields.numbers<std::size_t>("materials.texture_sizes");
  const auto modes = fields.numbers<std::int32_t>("materials.alpha_modes");
  const auto cutoffs = fields.numbers<double>("materials.alpha_cutoffs");
  constexpr std::size_t channels = std::tuple_size_v<decltype(Material::color)>;
  require(pictures.size() == names.size() && sizes.size() == names.size() && colours.size() == channels * names.size(),
          "materials must have a colour and a texture each");
  require(modes.size() == names.size() && cutoffs.size() == names.size(),
          "materials must have a mode and a cutoff of their alpha each");
  std::vector<Material> out(names.size());
  std::size_t at = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    require(sizes[k] <= bytes.size() - at, "textures are shorter than the materials say");
    out[k].name = names[k];
    out[k].texture_name = pictures[k];
    std::copy_n(colours.begin() + std::ptrdiff_t(channels * k), channels, out[k].color.begin());
    out[k].texture.assign(bytes.begin() + std::ptrdiff_t(at), bytes.begin() + std::ptrdiff_t(at + sizes[k]));
    at += sizes[k];
    out[k].alpha = {AlphaMode(modes[k]), cutoffs[k]};
  }
  return out;
}

}  // namespace

NamedArrays arrays_of(const Clip& clip) {
  const ClipData& data = clip.data();
  FieldWriter fields;
  fields.text("name", data.name);
  fields.numbers("times", data.times);
  fields.numbers("positions", data.positions);
  fields.numbers("vertices", std::vector<std::int32_t>{std::int32_t(data.vertices)});
  fields.numbers("rest", data.rest.value_or(Array3(0, kAxes)));
  fields.numbers("body_rest", data.body_rest);
  fields.numbers("body_positions", data.body_positions);
  fields.surface("garment", data.garment);
  fields.surface("body", data.body);
  fields.texts("parts", data.parts);
  write_materials(fields, data.materials);
  write_skin(fields, "skin", data.skin);
  write_skin(fields, "body_skin", data.body_skin);
  write_skeleton(fields, data.skeleton);
  write_whole(fields, data.whole);
  write_standing(fields, data.standing);
  fields.numbers("front", data.front ? std::vector<double>{*data.front} : std::vector<double>());
  std::vector<std::string> names;
  std::vector<double> durations;
  for (const ClipInfo& info : data.clips) {
    names.push_back(info.name);
    durations.push_back(info.duration);
  }
  fields.texts("clips.names", names);
  fields.numbers("clips.durations", durations);
  return std::move(fields.out);
}

Clip read_clip(const std::filesystem::path& path, const Limits& limits) {
  const FieldReader fields(path, limits);
  ClipData data{.name = fields.text("name"),
                .times = fields.numbers<double>("times"),
                .positions = fields.numbers<double>("positions"),
                .rest = fields.rows<Array3>("rest"),
                .body_rest = fields.rows<Array3>("body_rest"),
                .standing = read_standing(fields),
                .skin = read_skin(fields, "skin"),
                .body_skin = read_skin(fields, "body_skin"),
                .skeleton = read_skeleton(fields),
                .garment = fields.surface("garment"),
                .body_positions = fields.numbers<double>("body_positions"),
                .body = fields.surface("body"),
                .materials = {},
                .parts = fields.texts("parts"),
                .clips = {},
                .whole = read_whole(fields)};
  if (data.rest->rows() == 0) data.rest.reset();
  const auto front = fields.numbers<double>("front");
  const auto names = fields.texts("clips.names");
  const auto durations = fields.numbers<double>("clips.durations");
  const auto vertices = fields.numbers<std::int32_t>("vertices");
  try {
    require(vertices.size() == 1, "there must be one number of vertices, not ", vertices.size());
    require(names.size() == durations.size(), "clips must have a duration each");
    require(front.size() <= 1, "there may be one azimuth that it faces, not ", front.size());
    if (!front.empty()) data.front = front.front();
    data.vertices = vertices.front();
    data.materials = read_materials(fields);
    for (std::size_t k = 0; k < names.size(); ++k) data.clips.push_back({names[k], durations[k]});
    return Clip(std::move(data));
  } catch (const InvalidArgument& error) {
    throw Error(message(path.string(), " is no clip of pucker: ", error.what()));
  }
}

}  // namespace pucker::io
