/// What is to be drawn of one picture, as plain data: a program that has OpenGL goes through the list and does it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/draw/camera.h"
#include "pucker/draw/lighting.h"
#include "pucker/draw/style.h"
#include "pucker/draw/surface.h"
#include "pucker/types.h"

namespace pucker::draw {

/// Straight lines in space.
struct Lines {
  Array3 ends;                ///< (2k, 3), both ends of each; a line of no length is a square dot
  Colour colour;              ///< sRGB
  double width = kLineWidth;  ///< pixels
};

/// Throws InvalidArgument for an odd number of ends, one that is not finite, and a width that is not positive.
void require_lines(const Lines& lines);

/// Closed polygons of `count` corners each, (k·count, 3).
Lines closed_lines(const ConstArray3& corners, Eigen::Index count, const Colour& colour, double width);
/// Points (k, 3) as dots.
Lines dots(const ConstArray3& points, const Colour& colour, double width);

/// The uniform block Frame: twenty vec4 laid out by std140, then zeros, so that of blocks one behind the other each
/// begins at a multiple of 256 bytes, as OpenGL may ask of parts of a buffer.
using FrameBlock = std::array<float, 128>;

/// The block of a picture of surfaces whose positions are relative to `origin`.
FrameBlock frame_block(const Camera& camera, const Style& style, const Size& size,
                       const Vector3& origin = Vector3::Zero(), const ShadowView& shadow = {});
/// The block with the key light in the place of the camera.
FrameBlock seen_from_light(FrameBlock frame);

/// The passes of a picture, in the order in which they run.
enum class Pass { compute, shadow, depth, occlusion, plain, wrinkled, blended, tessellation, strokes, lines };
inline constexpr std::array<std::string_view, 10> kPassNames{
    "compute", "shadow", "depth", "occlusion", "plain", "wrinkled", "blended", "tessellation", "strokes", "lines"};

/// Where a step draws: into the picture, or into a texture that later steps read, which is cleared to 0, and its depth
/// to 1, before its first step.
enum class Into : std::int32_t { picture = -1, shadow, depth, occlusion, smoothed };
/// Such a texture. Numbers are 32-bit floats and read unfiltered; one of no numbers is a map of 24-bit depths, read by
/// comparison and filtered linearly.
struct MapFormat {
  std::string_view name;
  std::int32_t unit;     ///< where it is bound
  std::int32_t numbers;  ///< of a texel
  bool has_depth;        ///< whether it is drawn with a depth buffer
};
/// By Into.
inline constexpr std::array<MapFormat, 4> kMaps{
    {{"shadow", 1, 0, true}, {"depth", 2, 1, true}, {"occlusion", 3, 2, false}, {"smoothed", 4, 2, false}}};

/// How light reaches surfaces, as bits of the constant `effects` of the programs that draw them.
inline constexpr std::int32_t kShadowed = 1;
inline constexpr std::int32_t kOccluded = 2;
inline constexpr std::int32_t kFabric = 4;
/// Triangles are large enough to be told from the round surface that their corners' normals stand for.
inline constexpr std::int32_t kRound = 8;

enum class Primitive { compute, triangles, patches };

/// Draws, or runs, of one program over one surface.
struct Step {
  Pass pass;
  Into into = Into::picture;
  std::string program;
  Primitive primitive = Primitive::triangles;
  std::int32_t surface = kNone;  ///< whose buffers are bound
  std::int32_t lines = kNone;    ///< whose ends are bound
  std::int32_t frame = kNone;    ///< which block Frame is bound
  /// Draws outlines only, blended by alpha over what is there, a little before the surface they lie on.
  bool edges = false;
  /// Blended by alpha over what is there, whose depths stay.
  bool blended = false;
  /// Sets the uniform `textured` for each range, and binds its texture.
  bool textures = false;
  std::vector<Constant> constants = {};
  std::vector<Uniform> uniforms;
  std::vector<DrawRange> ranges;   ///< of the draw list; of work groups for a compute program
  std::int64_t vertices_each = 3;  ///< of an entry of a range
  std::int64_t instances = 1;
};

/// Slope and constant of the depth by which edges stand before the surface they lie on, as in glPolygonOffset.
inline constexpr std::array<float, 2> kEdgeOffset{-1.0F, -2.0F};

/// Steps of a pass, one after the other, that draw into the same.
struct Batch {
  Pass pass;
  Into into;
  std::size_t first, count;  ///< of the picture's steps
};

struct Picture {
  std::array<float, 3> background;             ///< what it is cleared to, with no alpha
  std::vector<FrameBlock> frames;              ///< one for each origin of its surfaces
  std::vector<std::vector<float>> line_ends;   ///< (k, 2, 3) of each group of lines
  std::vector<Step> steps;                     ///< one pass after the other
  std::array<Size, kMaps.size()> map_sizes{};  ///< width and height by Into, of those that are drawn
};

/// A program of the method of a surface's detail.
std::string of_method(const Surface& surface, std::string_view program);

/// The steps that run the programs of a surface's detail, none if that was done since it was set. `index` is its
/// number.
std::vector<Step> refinement(Surface& surface, std::int32_t index = 0);

/// The step that evaluates the points of a surface's grid.
Step grid_step(const Surface& surface, std::int32_t index);

/// Draws of all tessellated triangles of a surface by a program of its method that has the tessellation stages, for an
/// edge length. `gridded`: detail is interpolated on the surface's grid, which is for this edge length.
Step patch_step(Surface& surface, std::int32_t index, Pass pass, std::string_view program, double target_edge,
                bool gridded = false);

/// The list of a picture. It is to be gone through, after what has changed of the surfaces has been sent, before as
/// well as after it was made: what a surface needs once for a detail is listed once. Throws InvalidArgument for a
/// surface without positions. Lines are drawn for shaded output only.
Picture picture(std::span<Surface* const> surfaces, const Camera& camera, const Style& style, const Size& size,
                Output output = Output::shaded, std::span<const Lines> lines = {});

/// All steps of a picture.
std::vector<Batch> batches(const Picture& picture);

}  // namespace pucker::draw
