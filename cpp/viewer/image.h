/// Pictures from files and to files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pucker/named_arrays.h"

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

/// The grey values of a picture file, (rows, columns) from top to bottom, white as 1: 8 bits by the weights of ITU-R
/// BT.601, 16 bits where the file has them in grey. Throws Error naming the file.
NamedArray read_grey(const std::string& path);

/// The bytes of a PNG file.
std::vector<char> encode_png(const Image& picture);

}  // namespace pucker::viewer
