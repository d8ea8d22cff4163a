/// Light, colours and defaults of pictures: the file `appearance.json`, shared with the Python renderer.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pucker/types.h"

namespace pucker::viewer {

using Rgba8 = std::array<std::uint8_t, 4>;

/// A key light, a weaker fill light from the other side, and a sky; directions are towards the light and turn with the
/// camera (x right, y up, z towards the viewer), colours are linear.
struct Light {
  Vector3 key_direction, key_colour, fill_direction, fill_colour, sky_colour, ground_colour;
  double specular, exponent;
};

struct Appearance {
  Light light;
  Vector3 background, path_colour, wire_colour, tessellation_colour, reached_colour;  ///< sRGB in [0, 1]
  double reached_left;      ///< share of its colour that each wrinkle leaves a triangle it reaches
  double path_width_share;  ///< of a picture's height
  double wire_width;        ///< pixels
  double least_edge;        ///< shortest tessellated edge, in pixels at the camera's target
  Vector3 ellipse_colour, reference_colour, seed_colour;  ///< sRGB in [0, 1]
  double line_width, seed_width;                          ///< pixels
  Rgba8 surface_colour;                                   ///< sRGB, of a triangle without a material
  std::array<Rgba8, 3> label_tints;  ///< contraction, rest, stretching; sRGB with the share as alpha
  double target_edge_share;          ///< wanted length of tessellated edges, of the smallest wrinkle width
  double max_level;                  ///< most pieces of an edge
  std::int64_t max_draw_vertices;    ///< Mesa's software rasteriser is forty times slower beyond
  std::string view;
  double field_of_view, near, far, margin;
  std::map<std::string, std::array<double, 2>> views;  ///< azimuth and elevation in degrees
  std::array<int, 2> size;
  int samples;
  double min_width_share;  ///< of a character's height
};

/// Reads `appearance.json` of the shader folder. Throws Error if it is missing or lacks a value.
Appearance read_appearance(const std::filesystem::path& shader_folder);

/// 8-bit sRGB (IEC 61966-2-1) of linear RGBA in [0, 1]. Throws InvalidArgument outside.
Rgba8 srgb_from_linear(const std::array<double, 4>& colour);
/// Linear light of sRGB in [0, 1].
Vector3 linear_from_srgb(const Vector3& colour);

}  // namespace pucker::viewer
