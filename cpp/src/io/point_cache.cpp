// Point caches over an OBJ file. MDD, of LightWave: big endian; int32 frames, int32 points, then a float32 time in
// seconds for each frame, then the float32 positions frame by frame. PC2, of 3ds Max: little endian; "POINTCACHE2\0",
// int32 version 1, int32 points, float32 first frame, float32 frames per sample, int32 samples, then the float32
// positions.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "files.h"
#include "formats.h"
#include "mtl.h"
#include "obj.h"

namespace pucker::io {
namespace {

constexpr std::int64_t kMddHeaderSize = 8;
constexpr std::int64_t kPc2HeaderSize = 32;
constexpr std::int64_t kPointSize = 12;
constexpr std::array<char, 12> kPc2Magic{'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
constexpr std::int32_t kPc2Version = 1;

// Four-byte numbers of either order.
class NumberReader {
 public:
  NumberReader(const Bytes& bytes, std::endian order) : bytes_(bytes), order_(order) {}

  // The caller has checked that the file reaches that far.
  template <class Number>
  Number number(std::int64_t offset) const {
    static_assert(sizeof(Number) == 4);
    std::array<std::uint8_t, 4> stored{};
    std::memcpy(stored.data(), bytes_.data() + offset, stored.size());
    if (order_ != std::endian::native) std::ranges::reverse(stored);
    return std::bit_cast<Number>(stored);
  }

 private:
  const Bytes& bytes_;
  std::endian order_;
};

// Where a cache's frames lie.
struct CacheLayout {
  std::int64_t frames = 0;
  std::int64_t points = 0;
  std::int64_t first_point = 0;  // byte of the first position
};

void expect_header(const std::filesystem::path& path, const Bytes& bytes, std::int64_t size) {
  if (std::int64_t(bytes.size()) < size)
    fail(path, "is truncated: its header takes ", size, " bytes, the file has ", bytes.size());
}

// `frame_size`: what a frame adds to the file beside its points.
void expect_frames(const std::filesystem::path& path, const Bytes& bytes, const CacheLayout& layout,
                   std::int64_t header, std::int64_t frame_size) {
  if (layout.frames < 1) fail(path, "has ", layout.frames, " frames");
  if (layout.points < 1) fail(path, "has ", layout.points, " points");
  const std::int64_t rest = std::int64_t(bytes.size()) - header;
  const std::int64_t frame = frame_size + layout.points * kPointSize;
  // A quotient, as a damaged header may promise more bytes than a number can count.
  if (rest % layout.frames != 0 || rest / layout.frames != frame)
    fail(path, "is truncated or damaged: its ", layout.frames, " frames of ", layout.points, " points take ", frame,
         " bytes each after a header of ", header, ", the file has ", bytes.size(), " bytes");
}

CacheLayout read_mdd(const std::filesystem::path& path, const Bytes& bytes, const NumberReader& reader,
                     FrameAnimation& animation) {
  expect_header(path, bytes, kMddHeaderSize);
  CacheLayout layout{reader.number<std::int32_t>(0), reader.number<std::int32_t>(4), kMddHeaderSize};
  expect_frames(path, bytes, layout, kMddHeaderSize, sizeof(float));
  for (std::int64_t frame = 0; frame < layout.frames; ++frame, layout.first_point += std::int64_t(sizeof(float))) {
    const double time = double(reader.number<float>(layout.first_point));
    if (!std::isfinite(time)) fail(path, "time ", frame, " must be finite, got ", time);
    if (frame > 0 && time <= animation.times.back())
      fail(path, "times must strictly increase, got ", time, " after ", animation.times.back(), " for frame ", frame);
    animation.times.push_back(time);
  }
  return layout;
}

CacheLayout read_pc2(const std::filesystem::path& path, const Bytes& bytes, const NumberReader& reader,
                     FrameAnimation& animation) {
  expect_header(path, bytes, kPc2HeaderSize);
  if (std::memcmp(bytes.data(), kPc2Magic.data(), kPc2Magic.size()) != 0)
    fail(path, "is no PC2 file: it does not start with POINTCACHE2");
  if (const auto version = reader.number<std::int32_t>(12); version != kPc2Version)
    fail(path, "has PC2 version ", version, ", expected ", kPc2Version);
  animation.frames_per_interval = double(reader.number<float>(24));
  if (!(std::isfinite(animation.frames_per_interval) && animation.frames_per_interval > 0.0))
    fail(path, "must have frames per sample that are finite and > 0, got ", animation.frames_per_interval);
  const CacheLayout layout{reader.number<std::int32_t>(28), reader.number<std::int32_t>(16), kPc2HeaderSize};
  expect_frames(path, bytes, layout, kPc2HeaderSize, 0);
  return layout;
}

}  // namespace

std::unique_ptr<Source> open_point_cache(const std::filesystem::path& obj, const OpenOptions& options) {
  const std::filesystem::path& cache = *options.motion;
  // The OBJ beside a cache is none that was named; one that was is its own model.
  if (obj.stem() == cache.stem()) require_beside(cache, obj, options.anywhere);
  const Bytes text = read_bytes(obj, options.limits);
  const Obj shape = read_obj(text_of(text), obj.string());
  const Bytes bytes = read_bytes(cache, options.limits);

  FrameAnimation animation;
  animation.format = lower_extension(cache);
  animation.character = shape.character;
  read_libraries(
      shape.libraries,
      [&](const std::string& name) { return read_texture(obj, name, options.anywhere, options.limits); },
      options.limits, animation.character.materials);
  animation.rest = shape.points(shape.vertex_rows, Eigen::all);
  const bool is_mdd = animation.format == "mdd";
  if (!is_mdd && animation.format != "pc2")
    fail(cache, "unknown point cache '", animation.format, "'; known are mdd and pc2");
  const NumberReader reader(bytes, is_mdd ? std::endian::big : std::endian::little);
  const CacheLayout layout =
      is_mdd ? read_mdd(cache, bytes, reader, animation) : read_pc2(cache, bytes, reader, animation);
  if (layout.points != shape.points.rows())
    fail(cache, "moves ", layout.points, " points, but ", obj.string(), " has ", shape.points.rows(), " vertices");

  check_frames(cache, double(layout.frames), shape.character.vertices, options.limits);
  Array3 points(layout.points, 3);
  for (std::int64_t frame = 0; frame < layout.frames; ++frame) {
    const std::int64_t start = layout.first_point + frame * layout.points * kPointSize;
    for (std::int64_t k = 0; k < points.size(); ++k)
      points.data()[k] = double(reader.number<float>(start + k * std::int64_t(sizeof(float))));
    animation.frames.emplace_back(points(shape.vertex_rows, Eigen::all));
  }
  return open_frames(cache, std::move(animation));
}

}  // namespace pucker::io
