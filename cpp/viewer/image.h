/// Pictures from files and to files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pucker::viewer {

/// Rows from top to bottom of `channels` bytes a pixel.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<std::uint8_t> pixels;
};

/// An encoded picture (PNG, JPEG …) as RGBA with its lowest row first, as OpenGL wants it. Throws Error naming `what`.
Image decode_texture(std::span<const std::uint8_t> content, const std::string& what);

/// The bytes of a PNG file.
std::vector<char> encode_png(const Image& picture);

}  // namespace pucker::viewer
