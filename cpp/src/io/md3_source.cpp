// MD3, the vertex-animated format of Quake III Arena: a header, a record a frame, tags, which are places that other
// models are joined to, then surfaces, each with triangles, shader names, texture coordinates and the positions of all
// frames. Little endian throughout. A player is three models, lower, upper and head; a .skin file beside a model names
// the picture of each surface.
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>

#include "files.h"
#include "formats.h"
#include "player_clips.h"

namespace pucker::io {
namespace {

static_assert(std::endian::native == std::endian::little, "MD3 numbers are copied as they are stored");

constexpr std::size_t kNameLength = 64;
constexpr std::int32_t kVersion = 15;
constexpr double kUnit = 1.0 / 64.0;  // positions are 16-bit fixed point
constexpr double kRate = 15.0;        // the rate most of the game's clips are played at; the format stores none
constexpr std::int64_t kHeaderSize = 108;
constexpr std::int64_t kSurfaceHeaderSize = 108;
constexpr std::int64_t kTriangleSize = 12;
constexpr std::int64_t kShaderSize = 68;
constexpr std::int64_t kTextureCoordinateSize = 8;
constexpr std::int64_t kVertexSize = 8;
constexpr std::int64_t kFrameSize = 56;
constexpr std::int64_t kTagSize = 112;
constexpr std::string_view kSkinBlank = " \t\r\"";

// Checked access to the bytes of the file.
class Reader {
 public:
  Reader(std::filesystem::path path, const Bytes& bytes) : path_(std::move(path)), bytes_(bytes) {}

  const std::filesystem::path& path() const { return path_; }

  // Throws unless `count` items of `size` bytes lie inside the file.
  void expect(std::int64_t offset, std::int64_t count, std::int64_t size, const char* what) const {
    const std::int64_t end = std::int64_t(bytes_.size());
    if (offset < 0 || count < 0 || offset > end || count > (end - offset) / size)
      fail(path_, "is truncated or damaged: ", count, " ", what, " at byte ", offset, " do not fit its ", end,
           " bytes");
  }

  // The caller has checked the range with `expect`.
  template <class Number>
  Number number(std::int64_t offset) const {
    Number value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(Number));
    return value;
  }

  std::string name(std::int64_t offset) const {
    const auto* start = reinterpret_cast<const char*>(bytes_.data() + offset);
    return {start, strnlen(start, kNameLength)};
  }

 private:
  std::filesystem::path path_;
  const Bytes& bytes_;
};

struct Header {
  std::int32_t frames;
  std::int32_t tags;
  std::int32_t surfaces;
  std::int64_t first_tag;
  std::int64_t first_surface;
};

Header read_header(const Reader& reader) {
  reader.expect(0, 1, kHeaderSize, "header");
  if (reader.number<std::array<char, 4>>(0) != std::array{'I', 'D', 'P', '3'})
    fail(reader.path(), "is no MD3 file: it does not start with IDP3");
  if (const auto version = reader.number<std::int32_t>(4); version != kVersion)
    fail(reader.path(), "has MD3 version ", version, ", expected ", kVersion);
  const Header header{.frames = reader.number<std::int32_t>(76),
                      .tags = reader.number<std::int32_t>(80),
                      .surfaces = reader.number<std::int32_t>(84),
                      .first_tag = reader.number<std::int32_t>(96),
                      .first_surface = reader.number<std::int32_t>(100)};
  if (header.frames < 1) fail(reader.path(), "has ", header.frames, " frames");
  if (header.surfaces < 1) fail(reader.path(), "has ", header.surfaces, " surfaces");
  if (header.tags < 0) fail(reader.path(), "has ", header.tags, " tags");
  reader.expect(reader.number<std::int32_t>(92), header.frames, kFrameSize, "frames");
  reader.expect(header.first_tag, std::int64_t(header.frames) * header.tags, kTagSize, "tags");
  return header;
}

// A surface's header; offsets are from the start of the surface.
struct SurfaceHeader {
  std::string name;
  std::int32_t shaders;
  std::int32_t vertices;
  std::int32_t triangles;
  std::int64_t triangles_at;
  std::int64_t shaders_at;
  std::int64_t texture_coordinates_at;
  std::int64_t positions_at;
  std::int64_t end;
};

SurfaceHeader read_surface_header(const Reader& reader, std::int64_t start, std::int32_t frames) {
  reader.expect(start, 1, kSurfaceHeaderSize, "surface header");
  if (reader.number<std::array<char, 4>>(start) != std::array{'I', 'D', 'P', '3'})
    fail(reader.path(), "is damaged: no surface starts at byte ", start);
  const auto field = [&](std::int64_t offset) { return reader.number<std::int32_t>(start + offset); };
  SurfaceHeader surface{.name = reader.name(start + 4),
                        .shaders = field(76),
                        .vertices = field(80),
                        .triangles = field(84),
                        .triangles_at = start + field(88),
                        .shaders_at = start + field(92),
                        .texture_coordinates_at = start + field(96),
                        .positions_at = start + field(100),
                        .end = start + field(104)};
  if (field(72) != frames)
    fail(reader.path(), "surface '", surface.name, "' has ", field(72), " frames, the file has ", frames);
  if (surface.end < start + kSurfaceHeaderSize)
    fail(reader.path(), "surface '", surface.name, "' ends inside its own header");
  const auto expect = [&](std::int64_t at, std::int64_t count, std::int64_t size, const char* what) {
    if (at < start + kSurfaceHeaderSize)
      fail(reader.path(), "the ", what, " of surface '", surface.name, "' start outside it, at byte ", at);
    reader.expect(at, count, size, what);
  };
  expect(surface.triangles_at, surface.triangles, kTriangleSize, "triangles");
  expect(surface.shaders_at, surface.shaders, kShaderSize, "shaders");
  expect(surface.texture_coordinates_at, surface.vertices, kTextureCoordinateSize, "texture coordinates");
  expect(surface.positions_at, std::int64_t(surface.vertices) * frames, kVertexSize, "positions");
  return surface;
}

std::vector<SurfaceHeader> read_surface_headers(const Reader& reader, const Header& header) {
  std::vector<SurfaceHeader> surfaces;
  std::int64_t start = header.first_surface;
  for (std::int32_t k = 0; k < header.surfaces; ++k) {
    surfaces.push_back(read_surface_header(reader, start, header.frames));
    start = surfaces.back().end;
  }
  return surfaces;
}

// One file, its ranges checked.
struct Model {
  Model(const std::filesystem::path& path, const Limits& limits)
      : bytes(read_bytes(path, limits)),
        reader(path, bytes),
        header(read_header(reader)),
        surfaces(read_surface_headers(reader, header)) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Bytes bytes;
  Reader reader;
  Header header;
  std::vector<SurfaceHeader> surfaces;
};

// The .skin file of a model: MODEL_default.skin beside it, else the first MODEL_*.skin by name.
std::optional<std::filesystem::path> find_skin(const std::filesystem::path& model) {
  const std::string start = lower(model.stem().string()) + "_";
  std::optional<std::filesystem::path> first;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(model.parent_path().empty() ? "." : model.parent_path(), error)) {
    const std::string name = lower(entry.path().filename().string());
    if (!name.starts_with(start) || !name.ends_with(".skin")) continue;
    if (name == start + "default.skin") return entry.path();
    if (!first || entry.path() < *first) first = entry.path();
  }
  return first;
}

// The picture of each surface a .skin file names, by the surface's name in lower case, as the game compares them. A
// line is SURFACE,PICTURE; one of a tag has no picture.
std::map<std::string, std::string> read_skin(const std::filesystem::path& model, const OpenOptions& options) {
  std::map<std::string, std::string> pictures;
  const std::optional<std::filesystem::path> path = find_skin(model);
  if (!path) return pictures;
  require_beside(model, *path, options.anywhere);
  const Bytes bytes = read_bytes(*path, options.limits);
  std::string_view text = text_of(bytes);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) continue;
    const std::string_view picture = trimmed(line.substr(comma + 1), kSkinBlank);
    if (!picture.empty()) pictures[lower(trimmed(line.substr(0, comma), kSkinBlank))] = picture;
  }
  return pictures;
}

// The game takes a .jpg where a .tga is named and missing, and names without extension are either.
Bytes read_picture(const std::filesystem::path& model, const std::string& name, const OpenOptions& options) {
  Bytes bytes = read_texture(model, name, options.anywhere, options.limits);
  for (const char* extension : {".tga", ".jpg", ".png"})
    if (bytes.empty())
      bytes = read_texture(model, std::filesystem::path(name).replace_extension(extension).string(), options.anywhere,
                           options.limits);
  return bytes;
}

Material read_material(const Reader& reader, const SurfaceHeader& surface,
                       const std::map<std::string, std::string>& skin, const OpenOptions& options) {
  Material material;
  material.name = surface.name;
  if (const auto named = skin.find(lower(surface.name)); named != skin.end())
    material.texture_name = named->second;
  else if (surface.shaders > 0)
    material.texture_name = reader.name(surface.shaders_at);
  if (!material.texture_name.empty()) material.texture = read_picture(reader.path(), material.texture_name, options);
  return material;
}

void read_faces(const Reader& reader, const SurfaceHeader& surface, std::int64_t first_vertex, Index3& faces,
                std::int64_t& face) {
  for (std::int64_t k = 0; k < surface.triangles; ++k, ++face) {
    for (int corner = 0; corner < 3; ++corner) {
      const auto vertex = reader.number<std::int32_t>(surface.triangles_at + k * kTriangleSize + 4 * corner);
      if (vertex < 0 || vertex >= surface.vertices)
        fail(reader.path(), "triangle ", k, " of surface '", surface.name, "' names vertex ", vertex, " of ",
             surface.vertices);
      // The game draws clockwise triangles; here the front is counterclockwise.
      faces(face, 2 - corner) = std::int32_t(first_vertex) + vertex;
    }
  }
}

// The game's x is forward, y left, z up; here y is up and the character faces +z.
Vector3 turned(const Vector3& game) { return {game.y(), game.z(), game.x()}; }

Vector3 read_position(const Reader& reader, const SurfaceHeader& surface, std::int32_t frame, std::int64_t vertex) {
  const std::int64_t at = surface.positions_at + (std::int64_t(frame) * surface.vertices + vertex) * kVertexSize;
  const auto stored = reader.number<std::array<std::int16_t, 3>>(at);
  return {kUnit * stored[0], kUnit * stored[1], kUnit * stored[2]};
}

void read_uv(const Reader& reader, const SurfaceHeader& surface, std::int64_t first_vertex, UvArray& uv) {
  for (std::int64_t vertex = 0; vertex < surface.vertices; ++vertex) {
    const auto stored =
        reader.number<std::array<float, 2>>(surface.texture_coordinates_at + vertex * kTextureCoordinateSize);
    // The format counts v from the top.
    uv.row(first_vertex + vertex) << double(stored[0]), 1.0 - double(stored[1]);
  }
}

// The number of a tag, which is the same in every frame; none without it.
std::optional<std::int32_t> find_tag(const Model& model, std::string_view name) {
  for (std::int32_t tag = 0; tag < model.header.tags; ++tag)
    if (model.reader.name(model.header.first_tag + tag * kTagSize) == name) return tag;
  return std::nullopt;
}

// Where a tag is in a frame, in the game's axes: its origin, then its three axes.
Eigen::Affine3d read_tag(const Model& model, std::int32_t tag, std::int32_t frame) {
  const std::int64_t at = model.header.first_tag + (std::int64_t(frame) * model.header.tags + tag) * kTagSize + 64;
  const auto numbers = model.reader.number<std::array<float, 12>>(at);
  Eigen::Affine3d place = Eigen::Affine3d::Identity();
  for (int axis = 0; axis < 3; ++axis) {
    place.translation()(axis) = double(numbers[std::size_t(axis)]);
    for (int row = 0; row < 3; ++row)
      place.linear()(row, axis) = double(numbers[3 + 3 * std::size_t(axis) + std::size_t(row)]);
  }
  return place;
}

// A model, and the tag of the one before that it is joined to.
struct Joined {
  std::unique_ptr<Model> model;
  std::int32_t tag = kNone;
};

// What a player is made of, and the tag of each that the next is joined to.
struct Part {
  const char* name;
  const char* tag;
};
constexpr std::array<Part, 3> kPlayer{{{"lower", "tag_torso"}, {"upper", "tag_head"}, {"head", ""}}};

// The models of a player round one of them, from the lowest; only the one given if it is none of a player, or has no
// neighbours that can be joined. `given` is its place among them.
std::vector<Joined> read_models(const std::filesystem::path& path, const OpenOptions& options, std::size_t& given) {
  const auto part = std::ranges::find(kPlayer, lower(path.stem().string()), &Part::name);
  std::vector<Joined> models;
  models.push_back({std::make_unique<Model>(path, options.limits)});
  given = 0;
  if (part == kPlayer.end()) return models;
  const auto beside = [&](const char* name) -> std::unique_ptr<Model> {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(path.parent_path().empty() ? "." : path.parent_path(), error))
      if (entry.is_regular_file(error) && lower(entry.path().filename().string()) == std::string(name) + ".md3") {
        require_beside(path, entry.path(), options.anywhere);
        return std::make_unique<Model>(entry.path(), options.limits);
      }
    return nullptr;
  };
  for (auto below = part; below != kPlayer.begin();) {
    --below;
    auto model = beside(below->name);
    const auto tag = model ? find_tag(*model, below->tag) : std::nullopt;
    if (!tag) break;
    models.front().tag = *tag;
    models.insert(models.begin(), {std::move(model)});
    ++given;
  }
  for (auto above = part; above + 1 != kPlayer.end(); ++above) {
    const auto tag = find_tag(*models.back().model, above->tag);
    auto model = tag ? beside((above + 1)->name) : nullptr;
    if (!model) break;
    models.push_back({std::move(model), *tag});
  }
  return models;
}

// The clips that `animation.cfg` beside a player's model lists for it; none where there is no such file.
std::vector<PlayerClip> read_clips(const std::filesystem::path& path, std::int64_t frames, const OpenOptions& options,
                                   std::vector<PlayerClip>& all) {
  const std::filesystem::path config = path.parent_path() / "animation.cfg";
  if (std::error_code error; !std::filesystem::is_regular_file(config, error)) return {};
  require_beside(path, config, options.anywhere);
  const Bytes bytes = read_bytes(config, options.limits);
  all = read_player_clips(text_of(bytes));
  return clips_of_model(all, lower(path.stem().string()), frames);
}

// The frame that another model of the player shows beside one of the model that was given: in a clip of one half only,
// the other half stands.
std::int32_t frame_beside(const std::vector<PlayerClip>& shown, const std::vector<PlayerClip>& all, std::int32_t frame,
                          bool has_legs) {
  const auto inside = [&](const PlayerClip& clip) {
    return clip.half != PlayerHalf::both && std::size_t(frame) >= clip.range.first &&
           std::size_t(frame) <= clip.range.last;
  };
  if (std::ranges::none_of(shown, inside)) return frame;
  const auto stands = std::ranges::find(all, has_legs ? "TORSO_STAND" : "LEGS_IDLE",
                                        [](const PlayerClip& clip) { return clip.range.name; });
  return stands == all.end() ? frame : std::int32_t(stands->range.first);
}

// The normal of a vertex: two angles of a 256th of a turn each, from z and about it.
Vector3 read_normal(const Reader& reader, const SurfaceHeader& surface, std::int32_t frame, std::int64_t vertex) {
  const std::int64_t at = surface.positions_at + (std::int64_t(frame) * surface.vertices + vertex) * kVertexSize + 6;
  const auto stored = reader.number<std::array<std::uint8_t, 2>>(at);
  constexpr double unit = 2.0 * std::numbers::pi / 256.0;
  const double from_z = unit * stored[0];
  const double about_z = unit * stored[1];
  return {std::cos(about_z) * std::sin(from_z), std::sin(about_z) * std::sin(from_z), std::cos(from_z)};
}

// Positions and normals of all models in the frames of these numbers; one that has fewer shows its last.
void read_positions(const std::vector<Joined>& models, std::span<const std::int32_t> frames, Array3& positions,
                    Array3& normals) {
  Eigen::Affine3d place = Eigen::Affine3d::Identity();
  std::int64_t row = 0;
  for (std::size_t k = 0; k < models.size(); ++k) {
    const Model& model = *models[k].model;
    if (k > 0) {
      const Model& below = *models[k - 1].model;
      place = place * read_tag(below, models[k].tag, std::min(frames[k - 1], below.header.frames - 1));
    }
    const std::int32_t own = std::min(frames[k], model.header.frames - 1);
    for (const SurfaceHeader& surface : model.surfaces)
      for (std::int64_t vertex = 0; vertex < surface.vertices; ++vertex, ++row) {
        const Vector3 position = read_position(model.reader, surface, own, vertex);
        positions.row(row) = turned(k == 0 ? position : place * position);
        const Vector3 normal = read_normal(model.reader, surface, own, vertex);
        normals.row(row) = turned(k == 0 ? normal : place.linear() * normal);
      }
  }
}

}  // namespace

std::unique_ptr<Source> open_md3(const std::filesystem::path& path, const OpenOptions& options) {
  std::size_t given = 0;
  const std::vector<Joined> models = read_models(path, options, given);

  FrameAnimation animation;
  animation.format = "md3";
  animation.rate = kRate;
  Character& character = animation.character;
  std::int64_t triangles = 0;
  for (const Joined& joined : models)
    for (const SurfaceHeader& surface : joined.model->surfaces) {
      character.vertices += surface.vertices;
      triangles += surface.triangles;
    }
  if (character.vertices > std::numeric_limits<std::int32_t>::max())
    fail(path, "has ", character.vertices, " vertices, more than a 32-bit number can count");
  check_frames(path, double(models[given].model->header.frames), character.vertices, options.limits);
  character.faces.resize(triangles, 3);
  character.uv.resize(character.vertices, 2);

  std::int64_t first_vertex = 0;
  std::int64_t face = 0;
  for (const Joined& joined : models) {
    const Reader& reader = joined.model->reader;
    const std::map<std::string, std::string> skin = read_skin(reader.path(), options);
    for (const SurfaceHeader& surface : joined.model->surfaces) {
      character.face_pieces.insert(character.face_pieces.end(), std::size_t(surface.triangles),
                                   std::int32_t(character.pieces.size()));
      character.face_materials.insert(character.face_materials.end(), std::size_t(surface.triangles),
                                      std::int32_t(character.materials.size()));
      character.pieces.push_back({surface.name, models.size() > 1 ? reader.path().stem().string() : std::string()});
      character.materials.push_back(read_material(reader, surface, skin, options));
      read_faces(reader, surface, first_vertex, character.faces, face);
      read_uv(reader, surface, first_vertex, character.uv);
      first_vertex += surface.vertices;
    }
  }
  std::vector<PlayerClip> all_clips;
  const std::vector<PlayerClip> clips = read_clips(path, models[given].model->header.frames, options, all_clips);
  for (const PlayerClip& clip : clips) animation.ranges.push_back(clip.range);
  const bool has_legs = lower(path.stem().string()) == "lower";
  std::vector<std::int32_t> shown(models.size());
  for (std::int32_t frame = 0; frame < models[given].model->header.frames; ++frame) {
    for (std::size_t k = 0; k < models.size(); ++k)
      shown[k] = k == given ? frame : frame_beside(clips, all_clips, frame, has_legs);
    animation.frames.emplace_back(character.vertices, 3);
    Array3 normals(character.vertices, 3);
    read_positions(models, shown, animation.frames.back(), normals);
    if (frame == 0) character.normals = std::move(normals);
  }
  return open_frames(path, std::move(animation));
}

}  // namespace pucker::io
