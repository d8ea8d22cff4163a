/// How a picture is drawn: light, colours, line widths, and the defaults of all of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "pucker/types.h"

namespace pucker::draw {

/// Numbers in [0, 1]: sRGB where not said otherwise.
using Colour = std::array<double, 3>;
/// sRGB of 8 bits, and alpha or the share of a tint.
using Rgba8 = std::array<std::uint8_t, 4>;
using Size = std::array<int, 2>;  ///< width and height in pixels

inline constexpr Size kPictureSize{1280, 720};
inline constexpr int kSamples = 4;  ///< a pixel
/// Wanted length of tessellated edges as a share of the smallest feature: four triangles across a wrinkle and a little
/// more (Gillette 2015, section 7.3).
inline constexpr double kTargetEdgeShare = 0.375;
/// Most pieces of an edge: the level that every implementation of OpenGL offers at least.
inline constexpr int kMaxLevel = 64;

/// A key light, a weaker fill light from the other side, and a sky; directions are towards the light, colours linear.
struct Light {
  Colour key_direction{-0.55, 0.75, 0.50};
  Colour key_colour{1.08, 1.05, 1.00};
  Colour fill_direction{0.80, 0.05, 0.45};
  Colour fill_colour{0.17, 0.185, 0.21};
  Colour sky_colour{0.18, 0.19, 0.21};
  Colour ground_colour{0.09, 0.088, 0.085};
  double specular = 0.07;
  double exponent = 18.0;
  /// Degrees between the key light and the mean normal of the cloth in view, from above the camera's left; none:
  /// key_direction. See ClipStyle.
  std::optional<double> grazing = std::nullopt;
  /// Key and fill turn with the camera (x right, y up, z towards the viewer); otherwise they stand in the world.
  bool attached = true;
};

/// Of the pictures of a clip: a key light that grazes the cloth, which shows its folds, with a brighter sky and weaker
/// highlights.
inline constexpr Light kFoldLight{.key_direction = {-0.80, 0.62, 0.22},
                                  .key_colour = {1.45, 1.41, 1.34},
                                  .fill_colour = {0.20, 0.215, 0.24},
                                  .sky_colour = {0.30, 0.31, 0.33},
                                  .ground_colour = {0.12, 0.117, 0.113},
                                  .specular = 0.04,
                                  .exponent = 12.0,
                                  .grazing = 70.0};

/// What of the detail is drawn: bit 0 its normals, bit 1 its displacement; parallax: its normals, and textures shifted
/// by its height, of a detail that has shaders.
enum class Mode { base, normals, displacement, both, parallax };
constexpr bool has_normals(Mode mode) { return mode == Mode::parallax || (int(mode) & int(Mode::normals)) != 0; }
constexpr bool displaces(Mode mode) { return (int(mode) & int(Mode::displacement)) != 0; }

/// What a pixel holds: the shaded colour, or the surface's unit normal or position as floats.
enum class Output { shaded, normal, position };

/// Line widths are in pixels; a width of 0 draws no lines. What is none is left to the picture: ClipStyle says what
/// suits a clip.
struct Style {
  Mode mode = Mode::both;
  std::optional<Light> light = std::nullopt;      ///< none: the usual one, or kFoldLight for a clip
  std::optional<bool> shadows = std::nullopt;     ///< of the key light; none: no, or yes for a clip
  std::optional<bool> occlusion = std::nullopt;   ///< of the other light by what is near; none: no, or yes for a clip
  std::optional<bool> fabric = std::nullopt;      ///< weave and sheen of untextured cloth; none: no, or yes for a clip
  std::optional<double> exposure = std::nullopt;  ///< factor of all light; none: 1, or what suits the cloth of a clip
  Colour background{0.875, 0.88, 0.89};
  double least_edge = 3.0;    ///< shortest tessellated edge in pixels at the camera's target, 0 for no limit
  double stroke_width = 0.0;  ///< of the lines that a method's own program draws
  Colour stroke_colour{0.98, 0.86, 0.15};
  double wire_width = 0.0;
  Colour wire_colour{0.12, 0.12, 0.14};
  bool reached = false;  ///< tints the triangles that detail reaches
  Colour reached_colour{0.922, 0.588, 0.078};
  double reached_left = 0.55;  ///< share of its colour that each piece of detail leaves a triangle
  bool tessellation = false;   ///< draws the edges of the tessellated triangles
  Colour tessellation_colour{0.05, 0.30, 0.70};
};

// Widths of lines that are asked for without saying which, in pixels.
inline constexpr double kStrokeShare = 0.003125;  ///< of the method's own lines: a share of the picture's height
inline constexpr double kWireWidth = 1.0;
inline constexpr double kLineWidth = 1.0;

/// Of a triangle without a material.
inline constexpr Rgba8 kSurfaceColour{178, 170, 158, 255};
/// 8-bit sRGB (IEC 61966-2-1) of linear colour in [0, 1]. Throws InvalidArgument outside.
std::uint8_t srgb_from_linear(double linear);
/// Alpha is a share and stays one. Throws InvalidArgument outside [0, 1].
Rgba8 srgb_from_linear(const std::array<double, 4>& colour);
/// Linear light of sRGB in [0, 1].
double linear_from_srgb(double encoded);
Colour linear_from_srgb(const Colour& colour);

}  // namespace pucker::draw
