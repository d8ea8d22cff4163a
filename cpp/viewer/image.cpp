#include "image.h"

#include <stb_image.h>
#include <stb_image_write.h>

#include <algorithm>
#include <memory>

#include "files.h"
#include "pucker/errors.h"

namespace pucker::viewer {

Picture decode_texture(std::span<const std::uint8_t> content, const std::string& what) {
  constexpr int channels = 4;
  Picture picture{.channels = channels, .pixels = {}};
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

void write_png(const std::filesystem::path& path, const Picture& picture) {
  write_complete(path, [&](const std::filesystem::path& temporary) {
    return stbi_write_png(temporary.c_str(), picture.width, picture.height, picture.channels, picture.pixels.data(),
                          picture.width * picture.channels) != 0;
  });
}

}  // namespace pucker::viewer
