#include "renderer.h"

#include <algorithm>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

GLint limit(GLenum name) {
  GLint value = 0;
  glGetIntegerv(name, &value);
  return value;
}

void check_device(const Size& size, int samples) {
  const GLint most = limit(GL_MAX_RENDERBUFFER_SIZE);
  require(std::min(size[0], size[1]) >= 1 && std::max(size[0], size[1]) <= most,
          "a picture must be at least 1 and at most ", most, " pixels wide and high, not ", size[0], " x ", size[1]);
  const GLint most_samples = limit(GL_MAX_SAMPLES);
  require(samples >= 0 && samples <= most_samples, "samples must lie in [0, ", most_samples, "] on this device, not ",
          samples);
}

Renderbuffer make_renderbuffer(const Size& size, int samples, GLenum format, GLenum attachment) {
  Renderbuffer buffer = generate<Renderbuffer>(glGenRenderbuffers);
  glBindRenderbuffer(GL_RENDERBUFFER, buffer.name());
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, size[0], size[1]);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer.name());
  return buffer;
}

/// OpenGL as epoxy finds it.
draw::OpenGl open_gl() {
  return {.active_texture = glActiveTexture,
          .bind_buffer_base = glBindBufferBase,
          .bind_buffer_range = glBindBufferRange,
          .bind_texture = glBindTexture,
          .bind_vertex_array = glBindVertexArray,
          .blend_func_separate = glBlendFuncSeparate,
          .depth_mask = glDepthMask,
          .disable = glDisable,
          .dispatch_compute = glDispatchCompute,
          .draw_arrays_instanced = glDrawArraysInstanced,
          .enable = glEnable,
          .get_uniform_location = glGetUniformLocation,
          .memory_barrier = glMemoryBarrier,
          .patch_parameter = glPatchParameteri,
          .polygon_mode = glPolygonMode,
          .polygon_offset = glPolygonOffset,
          .uniform_float = glUniform1f,
          .uniform_floats3 = glUniform3fv,
          .uniform_int = glUniform1i,
          .uniform_unsigned = glUniform1ui,
          .use_program = glUseProgram};
}

/// Throws Error unless the device has as many storage blocks as the shaders need.
void check_storage(const draw::ShaderLibrary& shaders) {
  const draw::StorageLimits offered{.bindings = limit(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS),
                                    .stages = {{"vertex", limit(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS)},
                                               {"tess_control", limit(GL_MAX_TESS_CONTROL_SHADER_STORAGE_BLOCKS)},
                                               {"tess_evaluation", limit(GL_MAX_TESS_EVALUATION_SHADER_STORAGE_BLOCKS)},
                                               {"fragment", limit(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS)},
                                               {"compute", limit(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS)}},
                                    .combined = limit(GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS)};
  const std::string missing = draw::missing_storage(shaders.needed_storage(), offered);
  if (!missing.empty()) throw Error(message(missing, " (", glGetString(GL_RENDERER), ")"));
}

}  // namespace

Target::Target(const Size& size, int samples) : size_(size), samples_(samples == 1 ? 0 : samples) {
  check_device(size, samples);
  drawn_ = make_layer(size, samples_);
  if (samples_ > 0) read_ = make_layer(size, 0);
}

Target::Layer Target::make_layer(const Size& size, int samples) {
  Layer layer{.colour = {}, .depth = {}, .framebuffer = generate<Framebuffer>(glGenFramebuffers)};
  glBindFramebuffer(GL_FRAMEBUFFER, layer.framebuffer.name());
  layer.colour = make_renderbuffer(size, samples, GL_RGBA8, GL_COLOR_ATTACHMENT0);
  layer.depth = make_renderbuffer(size, samples, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw Error(
        message("the device cannot draw a picture of ", size[0], " x ", size[1], " pixels with ", samples, " samples"));
  return layer;
}

GLuint Target::resolve() const {
  if (samples_ == 0) return drawn();
  glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, read_.framebuffer.name());
  glBlitFramebuffer(0, 0, size_[0], size_[1], 0, 0, size_[0], size_[1], GL_COLOR_BUFFER_BIT, GL_NEAREST);
  return read_.framebuffer.name();
}

Image Target::read() const {
  Image picture{.width = size_[0], .height = size_[1], .channels = 3, .pixels = {}};
  const std::size_t row_bytes = 3 * std::size_t(size_[0]);
  std::vector<std::uint8_t> upward(row_bytes * std::size_t(size_[1]));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, resolve());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size_[0], size_[1], GL_RGB, GL_UNSIGNED_BYTE, upward.data());
  // After an error nothing says what the pixels are.
  if (const GLenum error = glGetError(); error != GL_NO_ERROR)
    throw Error(message("OpenGL failed while a picture was drawn: error ", error));
  picture.pixels.resize(upward.size());
  for (std::size_t y = 0; y < std::size_t(size_[1]); ++y)
    std::copy_n(upward.begin() + std::ptrdiff_t(y * row_bytes), row_bytes,
                picture.pixels.end() - std::ptrdiff_t((y + 1) * row_bytes));
  return picture;
}

Renderer::Renderer(draw::ShaderLibrary shaders)
    : shaders_(std::move(shaders)),
      vertices_(generate<VertexArray>(glGenVertexArrays)),
      execution_(open_gl(), [this](const draw::Step& step) {
        const Program& made = programs_.emplace_back(shaders_, step.program, step.constants);
        return draw::CompiledProgram{made.name(), vertices_.name()};
      }) {
  check_storage(shaders_);
}

void Renderer::draw(const Target& target, std::span<DrawnSurface> surfaces, const Camera& camera, const Style& style,
                    std::span<const draw::Lines> lines) {
  const Size& size = target.size();
  std::vector<draw::Surface*> contents;
  std::vector<const draw::SurfaceObjects*> objects;
  for (DrawnSurface& surface : surfaces) {
    surface.send();
    contents.push_back(&surface.content());
    objects.push_back(&surface.objects());
  }
  const draw::Picture picture = draw::picture(contents, camera, style, size, draw::Output::shaded, lines);
  frames_.write(picture.frames);
  draw::PictureObjects sent{.frames = frames_.name(), .line_ends = {}};
  if (line_ends_.size() < picture.line_ends.size()) line_ends_.resize(picture.line_ends.size());
  for (std::size_t k = 0; k < picture.line_ends.size(); ++k) {
    line_ends_[k].write(picture.line_ends[k]);
    sent.line_ends.push_back(line_ends_[k].name());
  }
  for (DrawnSurface& surface : surfaces) surface.send();  // what the list asks for
  maps_.begin(picture.map_sizes);
  const auto draw_into_target = [&] {
    glBindFramebuffer(GL_FRAMEBUFFER, target.drawn());
    glViewport(0, 0, size[0], size[1]);
  };
  draw_into_target();
  for (const int test : {GL_BLEND, GL_CULL_FACE, GL_SCISSOR_TEST, GL_STENCIL_TEST}) glDisable(GLenum(test));
  glEnable(GL_DEPTH_TEST);
  glClearColor(picture.background[0], picture.background[1], picture.background[2], 0.0F);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  draw::Into into = draw::Into::picture;
  for (const draw::Batch& batch : draw::batches(picture))
    timer_.measure(batch.pass, [&] {
      if (batch.into != into) {
        into = batch.into;
        if (into == draw::Into::picture) {
          draw_into_target();
        } else {
          maps_.use(into);
        }
      }
      execution_.run(std::span(picture.steps).subspan(batch.first, batch.count), objects, sent);
    });
  target.resolve();
  timer_.end_picture();
}

}  // namespace pucker::viewer
