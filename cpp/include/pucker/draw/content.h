/// What the shaders of a method need of one frame of a detail, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace pucker::draw {

/// A storage block of a method's shaders.
struct Buffer {
  std::string_view block;
  std::vector<std::byte> bytes;  ///< what it begins with
  std::size_t room = 0;          ///< bytes behind those, which programs fill
};

/// A buffer of values, laid out in memory as the shaders read them.
template <std::ranges::contiguous_range Range>
Buffer buffer_of(std::string_view block, const Range& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {block, {bytes.begin(), bytes.end()}, 0};
}
/// A buffer that programs fill.
inline Buffer room_of(std::string_view block, std::size_t size) { return {block, {}, size}; }

/// A compute program of the method's own, run once over the buffers before anything is drawn of them.
struct Program {
  std::string_view name;
  std::int64_t invocations = 0;  ///< also the uniform of this name; a program of none is not run
};

/// Lines over the surface, drawn by a program of the method's own: each has `pieces` of six vertices, a line is an
/// instance. Their uniforms `line_width` and `flat_colour` are those of the program "line".
struct Strokes {
  std::string_view program;
  std::int64_t pieces = 0;
  std::int64_t count = 0;  ///< of lines; none are drawn if 0
};

struct Content {
  /// Bound one after the other from kMethodBinding on, at most kMethodBlocks.
  std::vector<Buffer> buffers;
  /// In the order in which they run. They write the block Patches; without any, the core does.
  std::vector<Program> programs;
  Strokes strokes;
  /// Uniforms of the programs that draw, by name.
  std::vector<std::pair<std::string_view, std::int32_t>> uniforms;
};

}  // namespace pucker::draw
