/// What the shaders of a method need of one frame of a detail, as plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pucker/types.h"

namespace pucker::draw {

/// A storage block of a method's shaders.
struct Buffer {
  std::string_view block;
  std::vector<std::byte> bytes;  ///< what it begins with
  std::size_t room = 0;          ///< bytes behind those, which programs fill
  bool kept = false;             ///< nothing is sent: it stays as programs have left it
};

/// A buffer of values, laid out in memory as the shaders read them.
template <std::ranges::contiguous_range Range>
Buffer buffer_of(std::string_view block, const Range& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {block, {bytes.begin(), bytes.end()}, 0};
}
/// A buffer that programs fill.
inline Buffer room_of(std::string_view block, std::size_t size) { return {block, {}, size}; }

/// A buffer of so many bytes that stays as it is.
inline Buffer kept(std::string_view block, std::size_t size) { return {block, {}, size, true}; }

/// A uniform of a program; one that the compiler removed is left out.
struct Uniform {
  std::string_view name;
  std::variant<std::int32_t, std::uint32_t, float, std::array<float, 3>> value;
};

/// A whole number that stands in a program in the place of the uniform of that name: the program is compiled for its
/// value, so that nothing is computed of what other values ask for. Software rasterisers go both ways at each branch.
struct Constant {
  std::string_view name;
  std::int32_t value;
  bool operator==(const Constant&) const = default;
};

/// A compute program of the method's own, run once over the buffers before anything is drawn of them.
struct Program {
  std::string_view name;
  std::int64_t invocations = 0;  ///< also the uniform of this name; a program of none is not run
  std::vector<Uniform> uniforms = {};
};

/// Lines over the surface, drawn by a program of the method's own: each has `pieces` of six vertices, a line is an
/// instance. Their uniforms `line_width` and `flat_colour` are those of the program "line".
struct Strokes {
  std::string_view program;
  std::int64_t pieces = 0;
  std::int64_t count = 0;  ///< of lines; none are drawn if 0
};

/// What the programs of a detail have left in a surface's buffers, for those of another one to go on from. A detail
/// finds out what kind it is and whether it has use for it.
class Continued {
 public:
  virtual ~Continued() = default;
  Continued(const Continued&) = delete;
  Continued& operator=(const Continued&) = delete;

 protected:
  Continued() = default;
};

struct Content {
  /// Bound one after the other from kMethodBinding on, at most kMethodBlocks.
  std::vector<Buffer> buffers;
  /// In the order in which they run. They write the block Patches; without any and without a frame to go on from, the
  /// core does.
  std::vector<Program> programs;
  Strokes strokes;
  /// Of the programs that draw; those that have no such uniform leave them out.
  std::vector<Constant> constants;
  /// What the programs leave; null for those that leave nothing to go on from.
  std::shared_ptr<const Continued> continued = nullptr;
  /// The programs put the vertices where they are, positions need not be sent; nor need normals of a detail that is a
  /// mesh of its own.
  bool places_vertices = false;
  /// A point costs so much to evaluate that what is drawn is interpolated between the points of a grid, which the
  /// method's program "grid" evaluates; see grid.h.
  bool on_grid = false;
};

}  // namespace pucker::draw
