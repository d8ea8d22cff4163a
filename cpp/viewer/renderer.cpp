#include "renderer.h"

#include <algorithm>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

constexpr std::size_t kGroup = 64;  // invocations of a work group of the compute programs
constexpr std::size_t kFrameRows = 15;
// Slope and constant of the depth by which tessellated edges stand before the surface they lie on.
constexpr float kEdgeSlope = -1.0F;
constexpr float kEdgeConstant = -2.0F;

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

Eigen::Vector4f row(const Vector3& xyz, double w = 0.0) {
  return Eigen::Vector4d(xyz.x(), xyz.y(), xyz.z(), w).cast<float>();
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

Picture Target::read() const {
  Picture picture{.width = size_[0], .height = size_[1], .channels = 3, .pixels = {}};
  const std::size_t row_bytes = 3 * std::size_t(size_[0]);
  std::vector<std::uint8_t> upward(row_bytes * std::size_t(size_[1]));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, resolve());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size_[0], size_[1], GL_RGB, GL_UNSIGNED_BYTE, upward.data());
  picture.pixels.resize(upward.size());
  for (std::size_t y = 0; y < std::size_t(size_[1]); ++y)
    std::copy_n(upward.begin() + std::ptrdiff_t(y * row_bytes), row_bytes,
                picture.pixels.end() - std::ptrdiff_t((y + 1) * row_bytes));
  return picture;
}

Renderer::Renderer(const ShaderLibrary& shaders, const Appearance& appearance)
    : appearance_(appearance),
      clear_(shaders.compile("clear")),
      reach_(shaders.compile("reach")),
      curve_(shaders.compile("curve")),
      surface_(shaders.compile("surface")),
      wrinkled_(shaders.compile("wrinkled")),
      tessellation_(shaders.compile("tessellation")),
      path_(shaders.compile("path")),
      line_(shaders.compile("line")),
      vertices_(generate<VertexArray>(glGenVertexArrays)),
      frame_binding_(shaders.binding("Frame")),
      lines_binding_(shaders.binding("Lines")),
      samples_per_segment_(shaders.constant("SAMPLES_PER_SEGMENT")),
      displacement_bit_(shaders.constant("MODE_DISPLACEMENT")) {}

void Renderer::draw(const Target& target, std::span<Surface* const> surfaces, const Camera& camera, const Style& style,
                    std::span<const Lines> lines) {
  const Size& size = target.size();
  for (Surface* surface : surfaces) refine(*surface);
  glBindFramebuffer(GL_FRAMEBUFFER, target.drawn());
  glViewport(0, 0, size[0], size[1]);
  for (const int test : {GL_BLEND, GL_CULL_FACE, GL_SCISSOR_TEST, GL_STENCIL_TEST}) glDisable(GLenum(test));
  glEnable(GL_DEPTH_TEST);
  const Eigen::Vector3f background = appearance_.background.cast<float>();
  glClearColor(background.x(), background.y(), background.z(), 0.0F);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glBindVertexArray(vertices_.name());
  write_frame(size, camera, style);
  const double shortest_edge = style.least_edge * camera.pixel_size(size[1]);
  for (Surface* surface : surfaces) draw_surface(*surface, style, shortest_edge);
  if (style.tessellation)
    for (Surface* surface : surfaces) draw_tessellation(*surface, style, shortest_edge);
  if (style.path_width > 0.0)
    for (const Surface* surface : surfaces) draw_paths(*surface);
  for (const Lines& group : lines) draw_lines(group);
  timer_.measure(Pass::resolve, [&] { target.resolve(); });
  timer_.end_picture();
}

void Renderer::refine(Surface& surface) {
  if (!surface.take_unrefined()) return;
  timer_.measure(Pass::curve, [&] {
    surface.bind();
    compute(clear_, surface.clear_work());
    compute(reach_, surface.reach_work());
    compute(curve_, surface.curve_work());
  });
}

void Renderer::compute(const Program& program, const Work& work) {
  if (work.count == 0) return;
  program.use();
  program.set(work.uniform, unsigned(work.count));
  glDispatchCompute(GLuint((work.count + kGroup - 1) / kGroup), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

void Renderer::write_frame(const Size& size, const Camera& camera, const Style& style) {
  const Light& light = appearance_.light;
  const Eigen::Matrix3d axes = camera.axes();
  const Eigen::Matrix4f matrix = camera.view_projection(double(size[0]) / double(size[1])).cast<float>();
  // The uniform block Frame, laid out by std140, which stores matrices by columns.
  const std::array<Eigen::Vector4f, kFrameRows> rows{
      matrix.col(0),
      matrix.col(1),
      matrix.col(2),
      matrix.col(3),
      row(camera.eye),
      row((axes * light.key_direction).normalized(), light.specular),
      row(light.key_colour, light.exponent),
      row((axes * light.fill_direction).normalized()),
      row(light.fill_colour),
      row(light.sky_colour),
      row(light.ground_colour),
      row(linear_from_srgb(appearance_.path_colour), style.path_width),
      row(linear_from_srgb(appearance_.wire_colour), style.wire_width),
      row(linear_from_srgb(appearance_.reached_colour), style.reached ? appearance_.reached_left : 1.0),
      Eigen::Vector4f(float(size[0]), float(size[1]), 0.0F, 0.0F)};
  frame_.write(rows);
  frame_.bind(GL_UNIFORM_BUFFER, frame_binding_);
}

void Renderer::draw_surface(Surface& surface, const Style& style, double shortest_edge) {
  surface.bind();
  const std::optional<double> edge = target_edge(surface, style, shortest_edge);
  surface_.use();
  surface_.set("without_patches", int(edge.has_value()));
  draw_triangles(Pass::plain, surface_, GL_TRIANGLES, surface.draws(), style);
  if (!edge) return;
  wrinkled_.use();
  wrinkled_.set("target_edge", float(*edge));
  glPatchParameteri(GL_PATCH_VERTICES, 3);
  draw_triangles(Pass::wrinkled, wrinkled_, GL_PATCHES, surface.patch_draws(*edge), style);
}

std::optional<double> Renderer::target_edge(const Surface& surface, const Style& style, double shortest_edge) const {
  if ((int(style.mode) & displacement_bit_) == 0 || !surface.has_wrinkles()) return std::nullopt;
  return std::max(surface.target_edge(), shortest_edge);
}

void Renderer::draw_tessellation(Surface& surface, const Style& style, double shortest_edge) {
  const std::optional<double> edge = target_edge(surface, style, shortest_edge);
  if (!edge) return;
  timer_.measure(Pass::tessellation, [&] {
    surface.bind();
    tessellation_.use();
    tessellation_.set("target_edge", float(*edge));
    tessellation_.set("profile", int(style.profile));
    tessellation_.set("flat_colour", linear_from_srgb(appearance_.tessellation_colour));
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glEnable(GL_POLYGON_OFFSET_LINE);
    glPolygonOffset(kEdgeSlope, kEdgeConstant);
    glEnable(GL_BLEND);
    // The picture's own alpha stays that of the surface.
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    for (const Draw& draw : surface.patch_draws(*edge)) glDrawArrays(GL_PATCHES, 3 * draw.first, 3 * draw.count);
    glDisable(GL_BLEND);
    glDisable(GL_POLYGON_OFFSET_LINE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  });
}

void Renderer::draw_triangles(Pass pass, const Program& program, GLenum primitive, const std::vector<Draw>& draws,
                              const Style& style) {
  timer_.measure(pass, [&] {
    program.use();
    program.set("mode", int(style.mode));
    program.set("profile", int(style.profile));
    program.set("output_kind", 0);
    program.set("base_texture", 0);
    glActiveTexture(GL_TEXTURE0);
    for (const Draw& draw : draws) {
      program.set("textured", int(draw.texture != 0));
      glBindTexture(GL_TEXTURE_2D, draw.texture);
      glDrawArrays(primitive, 3 * draw.first, 3 * draw.count);
    }
  });
}

void Renderer::draw_paths(const Surface& surface) {
  if (surface.path_points() == 0) return;
  timer_.measure(Pass::paths, [&] {
    surface.bind();
    path_.use();
    glDrawArraysInstanced(GL_TRIANGLES, 0, 6 * samples_per_segment_, GLsizei(surface.path_points() - 1));
  });
}

void Renderer::draw_lines(const Lines& lines) {
  if (lines.ends.empty()) return;
  timer_.measure(Pass::lines, [&] {
    line_ends_.write(lines.ends);
    line_ends_.bind(GL_SHADER_STORAGE_BUFFER, lines_binding_);
    line_.use();
    line_.set("flat_colour", linear_from_srgb(lines.colour));
    line_.set("line_width", float(lines.width));
    glDrawArraysInstanced(GL_TRIANGLES, 0, 6, GLsizei(lines.ends.size() / 6));
  });
}

}  // namespace pucker::viewer
