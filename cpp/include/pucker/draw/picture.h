/// What is to be drawn of one picture, as plain data: a program that has OpenGL goes through the list and does it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/draw/camera.h"
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

/// The uniform block Frame: fourteen vec4 laid out by std140.
inline constexpr std::size_t kFrameRows = 14;
using FrameBlock = std::array<float, 4 * kFrameRows>;

/// The block of a picture of surfaces whose positions are relative to `origin`.
FrameBlock frame_block(const Camera& camera, const Style& style, const Size& size,
                       const Vector3& origin = Vector3::Zero());

/// The passes of a picture, in the order in which they run.
enum class Pass { compute, plain, wrinkled, tessellation, strokes, lines };
inline constexpr std::array<std::string_view, 6> kPassNames{"compute",      "plain",   "wrinkled",
                                                            "tessellation", "strokes", "lines"};

enum class Primitive { compute, triangles, patches };

/// Draws, or runs, of one program over one surface.
struct Step {
  Pass pass;
  std::string program;
  Primitive primitive = Primitive::triangles;
  std::int32_t surface = kNone;  ///< whose buffers are bound
  std::int32_t lines = kNone;    ///< whose ends are bound
  std::int32_t frame = kNone;    ///< which block Frame is bound
  /// Draws outlines only, blended by alpha over what is there, a little before the surface they lie on.
  bool edges = false;
  /// Sets the uniform `textured` for each range, and binds its texture.
  bool textures = false;
  std::vector<Constant> constants = {};
  std::vector<Uniform> uniforms;
  std::vector<Range> ranges;       ///< of the draw list; of work groups for a compute program
  std::int64_t vertices_each = 3;  ///< of an entry of a range
  std::int64_t instances = 1;
};

/// Slope and constant of the depth by which edges stand before the surface they lie on, as in glPolygonOffset.
inline constexpr std::array<float, 2> kEdgeOffset{-1.0F, -2.0F};

struct Picture {
  std::array<float, 3> background;            ///< what it is cleared to, with no alpha
  std::vector<FrameBlock> frames;             ///< one for each origin of its surfaces
  std::vector<std::vector<float>> line_ends;  ///< (k, 2, 3) of each group of lines
  std::vector<Step> steps;                    ///< one pass after the other
};

/// The steps that run the programs of a surface's detail, none if that was done since it was set. `index` is its
/// number.
std::vector<Step> refinement(Surface& surface, std::int32_t index = 0);

/// Draws of all tessellated triangles of a surface by a program of its method that has the tessellation stages, for an
/// edge length.
Step patch_step(Surface& surface, std::int32_t index, Pass pass, std::string_view program, double target_edge);

/// The list of a picture. It is to be gone through: what a surface needs once for a detail is listed once.
/// Throws InvalidArgument for a surface without positions. Lines are drawn for shaded output only.
Picture picture(std::span<Surface* const> surfaces, const Camera& camera, const Style& style, const Size& size,
                Output output = Output::shaded, std::span<const Lines> lines = {});

}  // namespace pucker::draw
