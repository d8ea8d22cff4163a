#include "image.h"

#include <stb_image.h>
#include <stb_image_write.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "pucker/errors.h"

namespace pucker::viewer {

Image decode_texture(std::span<const std::uint8_t> content, const std::string& what) {
  constexpr int channels = 4;
  constexpr std::int64_t most_pixels = std::int64_t(1) << 26;
  Image picture{.channels = channels, .pixels = {}};
  // What a picture claims may be a thousand times what it holds.
  if (stbi_info_from_memory(content.data(), int(content.size()), &picture.width, &picture.height, nullptr) != 0 &&
      std::int64_t(picture.width) * picture.height > most_pixels)
    throw Error(message(what, " has ", picture.width, " x ", picture.height, " pixels, more than ", most_pixels));
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(content.data(), int(content.size()), &picture.width, &picture.height, nullptr, channels),
      stbi_image_free);
  if (!decoded) throw Error(message(what, " cannot be decoded: ", stbi_failure_reason()));
  const std::size_t row = std::size_t(picture.width) * channels;
  picture.pixels.resize(row * std::size_t(picture.height));
  for (std::size_t y = 0; y < std::size_t(picture.height); ++y)
    std::copy_n(decoded.get() + y * row, row, picture.pixels.end() - std::ptrdiff_t((y + 1) * row));
  return picture;
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
