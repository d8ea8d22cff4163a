// MD3, the vertex-animated format of Quake III Arena: a header, bones' frames and tags (not needed here), then
// surfaces, each with triangles, shader names, texture coordinates and the positions of all frames. Little endian
// throughout.
#include <array>
#include <bit>
#include <cstring>

#include "files.h"
#include "formats.h"

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

// Checked access to the bytes of the file.
class Reader {
 public:
  Reader(const std::filesystem::path& path, const Bytes& bytes) : path_(path), bytes_(bytes) {}

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
  const std::filesystem::path& path_;
  const Bytes& bytes_;
};

struct Header {
  std::int32_t frames;
  std::int32_t surfaces;
  std::int64_t first_surface;
};

Header read_header(const Reader& reader) {
  reader.expect(0, 1, kHeaderSize, "header");
  if (reader.number<std::array<char, 4>>(0) != std::array{'I', 'D', 'P', '3'})
    fail(reader.path(), "is no MD3 file: it does not start with IDP3");
  if (const auto version = reader.number<std::int32_t>(4); version != kVersion)
    fail(reader.path(), "has MD3 version ", version, ", expected ", kVersion);
  const Header header{reader.number<std::int32_t>(76), reader.number<std::int32_t>(84),
                      reader.number<std::int32_t>(100)};
  if (header.frames < 1) fail(reader.path(), "has ", header.frames, " frames");
  if (header.surfaces < 1) fail(reader.path(), "has ", header.surfaces, " surfaces");
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

Material read_material(const Reader& reader, const SurfaceHeader& surface) {
  Material material;
  material.name = surface.name;
  if (surface.shaders == 0) return material;
  material.texture_name = reader.name(surface.shaders_at);
  material.texture = read_texture(reader.path(), material.texture_name);
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
void read_positions(const Reader& reader, const SurfaceHeader& surface, std::int64_t first_vertex,
                    std::vector<Array3>& frames) {
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    for (std::int64_t vertex = 0; vertex < surface.vertices; ++vertex) {
      const std::int64_t at = surface.positions_at + (std::int64_t(frame) * surface.vertices + vertex) * kVertexSize;
      const auto stored = reader.number<std::array<std::int16_t, 3>>(at);
      frames[frame].row(first_vertex + vertex) << kUnit * stored[1], kUnit * stored[2], kUnit * stored[0];
    }
  }
}

void read_uv(const Reader& reader, const SurfaceHeader& surface, std::int64_t first_vertex, UvArray& uv) {
  for (std::int64_t vertex = 0; vertex < surface.vertices; ++vertex) {
    const auto stored =
        reader.number<std::array<float, 2>>(surface.texture_coordinates_at + vertex * kTextureCoordinateSize);
    // The format counts v from the top.
    uv.row(first_vertex + vertex) << double(stored[0]), 1.0 - double(stored[1]);
  }
}

}  // namespace

std::unique_ptr<Source> open_md3(const std::filesystem::path& path) {
  const Bytes bytes = read_bytes(path);
  const Reader reader(path, bytes);
  const Header header = read_header(reader);
  const std::vector<SurfaceHeader> surfaces = read_surface_headers(reader, header);

  FrameAnimation animation;
  animation.format = "md3";
  animation.rate = kRate;
  Character& character = animation.character;
  std::int64_t triangles = 0;
  for (const SurfaceHeader& surface : surfaces) {
    character.vertices += surface.vertices;
    triangles += surface.triangles;
  }
  character.faces.resize(triangles, 3);
  character.uv.resize(character.vertices, 2);
  animation.frames.assign(std::size_t(header.frames), Array3(character.vertices, 3));

  std::int64_t first_vertex = 0;
  std::int64_t face = 0;
  for (const SurfaceHeader& surface : surfaces) {
    character.face_pieces.insert(character.face_pieces.end(), std::size_t(surface.triangles),
                                 std::int32_t(character.pieces.size()));
    character.face_materials.insert(character.face_materials.end(), std::size_t(surface.triangles),
                                    std::int32_t(character.materials.size()));
    character.pieces.push_back({surface.name, {}});
    character.materials.push_back(read_material(reader, surface));
    read_faces(reader, surface, first_vertex, character.faces, face);
    read_positions(reader, surface, first_vertex, animation.frames);
    read_uv(reader, surface, first_vertex, character.uv);
    first_vertex += surface.vertices;
  }
  return open_frames(path, std::move(animation));
}

}  // namespace pucker::io
