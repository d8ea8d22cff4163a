#include "image.h"

#include <stb_image.h>
#include <stb_image_write.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

constexpr std::int64_t kMostPixels = std::int64_t(1) << 26;

/// What a picture claims may be a thousand times what it holds.
void require_size(const std::string& what, int width, int height) {
  if (std::int64_t(width) * height > kMostPixels)
    throw Error(message(what, " has ", width, " x ", height, " pixels, more than ", kMostPixels));
}

template <class Pixel>
using Decoded = std::unique_ptr<Pixel, void (*)(void*)>;

template <class Pixel>
Decoded<Pixel> decoded(Pixel* pixels, const std::string& what) {
  if (pixels == nullptr) throw Error(message(what, " cannot be decoded: ", stbi_failure_reason()));
  return {pixels, stbi_image_free};
}

/// Of a pixel of three bytes, in whole numbers as Pillow has it.
int grey_of(const stbi_uc* pixel) {
  constexpr int red = 19595;  // 0.299 · 2¹⁶
  constexpr int green = 38470;
  constexpr int blue = 7471;
  return (pixel[0] * red + pixel[1] * green + pixel[2] * blue + 0x8000) >> 16;
}

}  // namespace

Image decode_texture(std::span<const std::uint8_t> content, const std::string& what) {
  constexpr int channels = 4;
  Image picture{.channels = channels, .pixels = {}};
  if (stbi_info_from_memory(content.data(), int(content.size()), &picture.width, &picture.height, nullptr) != 0)
    require_size(what, picture.width, picture.height);
  const auto pixels = decoded(
      stbi_load_from_memory(content.data(), int(content.size()), &picture.width, &picture.height, nullptr, channels),
      what);
  const std::size_t row = std::size_t(picture.width) * channels;
  picture.pixels.resize(row * std::size_t(picture.height));
  for (std::size_t y = 0; y < std::size_t(picture.height); ++y)
    std::copy_n(pixels.get() + y * row, row, picture.pixels.end() - std::ptrdiff_t((y + 1) * row));
  return picture;
}

NamedArray read_grey(const std::string& path) {
  int columns = 0;
  int rows = 0;
  int channels = 0;
  if (stbi_info(path.c_str(), &columns, &rows, &channels) == 0)
    throw Error(message(path, " is no picture: ", stbi_failure_reason()));
  require_size(path, columns, rows);
  // Its light has another scale.
  if (stbi_is_hdr(path.c_str()) != 0) throw Error(message(path, " is no picture of up to 16 bits"));
  NamedArray out{.shape = {rows, columns}, .values = {}, .text = {}};
  out.values.reserve(std::size_t(rows) * std::size_t(columns));
  const std::size_t count = std::size_t(rows) * std::size_t(columns);
  if (channels == 1 && stbi_is_16_bit(path.c_str()) != 0) {
    const auto pixels = decoded(stbi_load_16(path.c_str(), &columns, &rows, nullptr, STBI_grey), path);
    for (std::size_t k = 0; k < count; ++k) out.values.push_back(pixels.get()[k] / 65535.0);
    return out;
  }
  const bool coloured = channels > 2;
  const auto pixels = decoded(stbi_load(path.c_str(), &columns, &rows, nullptr, coloured ? STBI_rgb : STBI_grey), path);
  for (std::size_t k = 0; k < count; ++k)
    out.values.push_back((coloured ? grey_of(pixels.get() + 3 * k) : pixels.get()[k]) / 255.0);
  return out;
}

std::vector<char> encode_png(const Image& picture) {
  std::vector<char> content;
  const auto append = [](void* to, void* bytes, int count) {
    const char* const begin = static_cast<const char*>(bytes);
    static_cast<std::vector<char>*>(to)->insert(static_cast<std::vector<char>*>(to)->end(), begin, begin + count);
  };
  // stb's own writing to a file takes no notice of a disk that is full.
  if (stbi_write_png_to_func(append, &content, picture.width, picture.height, picture.channels, picture.pixels.data(),
                             picture.width * picture.channels) == 0)
    throw Error("there is no memory for a picture");
  return content;
}

}  // namespace pucker::viewer
