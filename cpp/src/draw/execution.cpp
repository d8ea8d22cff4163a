#include "pucker/draw/execution.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <variant>

#include "pucker/draw/shaders.h"
#include "pucker/errors.h"

namespace pucker::draw {

namespace {

// As the registry of OpenGL numbers them.
constexpr std::uint32_t kTriangles = 0x0004;
constexpr std::uint32_t kPatches = 0x000E;
constexpr std::uint32_t kOne = 1;
constexpr std::uint32_t kSourceAlpha = 0x0302;
constexpr std::uint32_t kOneMinusSourceAlpha = 0x0303;
constexpr std::uint32_t kFrontAndBack = 0x0408;
constexpr std::uint32_t kBlend = 0x0BE2;
constexpr std::uint32_t kTexture2D = 0x0DE1;
constexpr std::uint32_t kLine = 0x1B01;
constexpr std::uint32_t kFill = 0x1B02;
constexpr std::uint32_t kPolygonOffsetLine = 0x2A02;
constexpr std::uint32_t kTexture0 = 0x84C0;
constexpr std::uint32_t kUniformBuffer = 0x8A11;
constexpr std::uint32_t kPatchVertices = 0x8E72;
constexpr std::uint32_t kStorageBuffer = 0x90D2;
constexpr std::uint32_t kStorageBarrier = 0x2000;

template <class Function>
void load_into(Function*& function, const OpenGl::Load& load, const char* name) {
  void* const address = load(name);
  if (address == nullptr) throw Error(message("OpenGL offers no ", name));
  function = reinterpret_cast<Function*>(address);
}

}  // namespace

OpenGl OpenGl::loaded(const Load& load) {
  OpenGl gl{};
  load_into(gl.active_texture, load, "glActiveTexture");
  load_into(gl.bind_buffer_base, load, "glBindBufferBase");
  load_into(gl.bind_buffer_range, load, "glBindBufferRange");
  load_into(gl.bind_texture, load, "glBindTexture");
  load_into(gl.bind_vertex_array, load, "glBindVertexArray");
  load_into(gl.blend_func_separate, load, "glBlendFuncSeparate");
  load_into(gl.depth_mask, load, "glDepthMask");
  load_into(gl.disable, load, "glDisable");
  load_into(gl.dispatch_compute, load, "glDispatchCompute");
  load_into(gl.draw_arrays_instanced, load, "glDrawArraysInstanced");
  load_into(gl.enable, load, "glEnable");
  load_into(gl.get_uniform_location, load, "glGetUniformLocation");
  load_into(gl.memory_barrier, load, "glMemoryBarrier");
  load_into(gl.patch_parameter, load, "glPatchParameteri");
  load_into(gl.polygon_mode, load, "glPolygonMode");
  load_into(gl.polygon_offset, load, "glPolygonOffset");
  load_into(gl.uniform_float, load, "glUniform1f");
  load_into(gl.uniform_floats3, load, "glUniform3fv");
  load_into(gl.uniform_int, load, "glUniform1i");
  load_into(gl.uniform_unsigned, load, "glUniform1ui");
  load_into(gl.use_program, load, "glUseProgram");
  return gl;
}

void Execution::run(std::span<const Step> steps, std::span<const SurfaceObjects* const> surfaces,
                    const PictureObjects& picture) {
  surface_ = frame_ = lines_ = kNone;
  for (const Step& step : steps) {
    Program& program = compiled(step);
    bind(step, surfaces, picture);
    gl_.use_program(program.made.program);
    for (const Uniform& uniform : step.uniforms) set(program, uniform);
    if (step.primitive != Primitive::compute) {
      draw(program, step, surfaces);
      continue;
    }
    for (const DrawRange& groups : step.ranges) gl_.dispatch_compute(std::uint32_t(groups.count), 1, 1);
    gl_.memory_barrier(kStorageBarrier);
  }
}

std::int32_t Execution::Program::location(const OpenGl& gl, std::string_view uniform) {
  if (const auto known = locations.find(uniform); known != locations.end()) return known->second;
  std::string name(uniform);
  const std::int32_t found = gl.get_uniform_location(made.program, name.c_str());
  return locations.emplace(std::move(name), found).first->second;
}

Execution::Program& Execution::compiled(const Step& step) {
  key_ = step.program;
  std::array<char, 16> digits{};
  for (const Constant& constant : step.constants) {
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), constant.value).ptr;
    key_.append(1, ' ').append(constant.name).append(1, '=').append(digits.data(), std::size_t(end - digits.data()));
  }
  if (const auto known = programs_.find(key_); known != programs_.end()) return known->second;
  return programs_.emplace(key_, Program{compile_(step), {}}).first->second;
}

void Execution::set(Program& program, const Uniform& uniform) {
  // One that the compiler removed has the location -1, at which OpenGL sets nothing.
  const std::int32_t location = program.location(gl_, uniform.name);
  struct Set {
    const OpenGl& gl;
    std::int32_t location;
    void operator()(std::int32_t value) const { gl.uniform_int(location, value); }
    void operator()(std::uint32_t value) const { gl.uniform_unsigned(location, value); }
    void operator()(float value) const { gl.uniform_float(location, value); }
    void operator()(const std::array<float, 3>& value) const { gl.uniform_floats3(location, 1, value.data()); }
  };
  std::visit(Set{gl_, location}, uniform.value);
}

void Execution::bind(const Step& step, std::span<const SurfaceObjects* const> surfaces, const PictureObjects& picture) {
  if (step.surface != kNone && step.surface != std::exchange(surface_, step.surface)) {
    const std::vector<std::uint32_t>& buffers = surfaces[std::size_t(step.surface)]->buffers;
    for (std::size_t k = 0; k < buffers.size(); ++k) gl_.bind_buffer_base(kStorageBuffer, std::uint32_t(k), buffers[k]);
  }
  if (step.frame != kNone && step.frame != std::exchange(frame_, step.frame))
    gl_.bind_buffer_range(kUniformBuffer, kFrameBinding, picture.frames,
                          std::ptrdiff_t(step.frame) * std::ptrdiff_t(sizeof(FrameBlock)), sizeof(FrameBlock));
  if (step.lines != kNone && step.lines != std::exchange(lines_, step.lines))
    gl_.bind_buffer_base(kStorageBuffer, kLinesBinding, picture.line_ends[std::size_t(step.lines)]);
}

void Execution::draw(Program& program, const Step& step, std::span<const SurfaceObjects* const> surfaces) {
  gl_.bind_vertex_array(program.made.vertex_array);
  if (step.edges) {
    gl_.polygon_mode(kFrontAndBack, kLine);
    gl_.enable(kPolygonOffsetLine);
    gl_.polygon_offset(kEdgeOffset[0], kEdgeOffset[1]);
  }
  if (step.edges || step.blended) {
    gl_.enable(kBlend);
    // What is drawn covers what was there by its alpha; the picture's own alpha stays that of the surface.
    gl_.blend_func_separate(kSourceAlpha, kOneMinusSourceAlpha, kOne, kOneMinusSourceAlpha);
  }
  if (step.blended) gl_.depth_mask(0);
  draw_ranges(program, step, surfaces);
  if (step.blended) gl_.depth_mask(1);
  if (step.edges || step.blended) gl_.disable(kBlend);
  if (step.edges) {
    gl_.polygon_offset(0.0F, 0.0F);
    gl_.disable(kPolygonOffsetLine);
    gl_.polygon_mode(kFrontAndBack, kFill);
  }
}

void Execution::draw_ranges(Program& program, const Step& step, std::span<const SurfaceObjects* const> surfaces) {
  const bool patches = step.primitive == Primitive::patches;
  if (patches) gl_.patch_parameter(kPatchVertices, 3);
  for (const DrawRange& range : step.ranges) {
    if (step.textures) {
      const bool textured = range.texture != kNone;
      set(program, {"textured", std::int32_t(textured)});
      if (textured) {
        gl_.active_texture(kTexture0);
        gl_.bind_texture(kTexture2D, surfaces[std::size_t(step.surface)]->textures[std::size_t(range.texture)]);
      }
    }
    gl_.draw_arrays_instanced(patches ? kPatches : kTriangles, std::int32_t(step.vertices_each * range.first),
                              std::int32_t(step.vertices_each * range.count), std::int32_t(step.instances));
  }
}

}  // namespace pucker::draw
