/// The steps of a picture, done by OpenGL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pucker/draw/picture.h"

namespace pucker::draw {

/// The functions of OpenGL 4.3 that steps are done with, which work on the context that is current.
struct OpenGl {
  void (*active_texture)(std::uint32_t unit);
  void (*bind_buffer_base)(std::uint32_t target, std::uint32_t index, std::uint32_t buffer);
  void (*bind_buffer_range)(std::uint32_t target, std::uint32_t index, std::uint32_t buffer, std::ptrdiff_t offset,
                            std::ptrdiff_t size);
  void (*bind_texture)(std::uint32_t target, std::uint32_t texture);
  void (*bind_vertex_array)(std::uint32_t array);
  void (*blend_func_separate)(std::uint32_t from, std::uint32_t to, std::uint32_t alpha_from, std::uint32_t alpha_to);
  void (*depth_mask)(std::uint8_t written);
  void (*disable)(std::uint32_t what);
  void (*dispatch_compute)(std::uint32_t x, std::uint32_t y, std::uint32_t z);
  void (*draw_arrays_instanced)(std::uint32_t primitive, std::int32_t first, std::int32_t count,
                                std::int32_t instances);
  void (*enable)(std::uint32_t what);
  std::int32_t (*get_uniform_location)(std::uint32_t program, const char* name);
  void (*memory_barrier)(std::uint32_t barriers);
  void (*patch_parameter)(std::uint32_t name, std::int32_t value);
  void (*polygon_mode)(std::uint32_t faces, std::uint32_t mode);
  void (*polygon_offset)(float factor, float units);
  void (*uniform_float)(std::int32_t location, float value);
  void (*uniform_floats3)(std::int32_t location, std::int32_t count, const float* values);
  void (*uniform_int)(std::int32_t location, std::int32_t value);
  void (*uniform_unsigned)(std::int32_t location, std::uint32_t value);
  void (*use_program)(std::uint32_t program);

  /// The address of a function by its name, such as glUseProgram, nullptr if there is none.
  using Load = std::function<void*(const char* name)>;
  /// Throws Error for a function that there is not.
  static OpenGl loaded(const Load& load);
};

/// Names of OpenGL's objects that hold a surface.
struct SurfaceObjects {
  std::vector<std::uint32_t> buffers;   ///< by binding
  std::vector<std::uint32_t> textures;  ///< by number
};

/// Names of OpenGL's objects that hold what else the steps of a picture read.
struct PictureObjects {
  std::uint32_t frames = 0;              ///< a buffer of Picture::frames
  std::vector<std::uint32_t> line_ends;  ///< a buffer for each of Picture::line_ends
};

/// A linked program, and the vertex array, of no attributes, that it draws with; 0 if it computes.
struct CompiledProgram {
  std::uint32_t program;
  std::uint32_t vertex_array;
};

/// Does steps in the current context, into the framebuffer that is bound; blending is off, depths are tested and
/// written, and polygons are filled, before and after.
class Execution {
 public:
  /// Makes the program of a step, for its constants; asked for once for each.
  using Compile = std::function<CompiledProgram(const Step& step)>;

  Execution(const OpenGl& gl, Compile compile) : gl_(gl), compile_(std::move(compile)) {}

  /// Does some steps one after the other. `surfaces` are those of the picture, by number. Throws what the compiling of
  /// a program throws.
  void run(std::span<const Step> steps, std::span<const SurfaceObjects* const> surfaces,
           const PictureObjects& picture = {});

 private:
  struct Program {
    CompiledProgram made;
    std::map<std::string, std::int32_t, std::less<>> locations;  ///< of uniforms

    std::int32_t location(const OpenGl& gl, std::string_view uniform);
  };

  Program& compiled(const Step& step);
  void set(Program& program, const Uniform& uniform);
  void bind(const Step& step, std::span<const SurfaceObjects* const> surfaces, const PictureObjects& picture);
  void draw(Program& program, const Step& step, std::span<const SurfaceObjects* const> surfaces);
  void draw_ranges(Program& program, const Step& step, std::span<const SurfaceObjects* const> surfaces);

  OpenGl gl_;
  Compile compile_;
  std::map<std::string, Program, std::less<>> programs_;  ///< by name and constants
  std::string key_;
  // What is bound since run began.
  std::int32_t surface_ = kNone, frame_ = kNone, lines_ = kNone;
};

}  // namespace pucker::draw
