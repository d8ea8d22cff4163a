// Draws a frame with its wrinkles by plain OpenGL 4.3, from the three buffers of packed wrinkles, without a display.
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pucker/draw/camera.h"
#include "pucker/draw/style.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/io/load.h"
#include "pucker/mesh/frames.h"

namespace {

constexpr int kSide = 512;   // of the picture, in pixels
constexpr int kPieces = 12;  // of every edge; a renderer would have the wrinkles' width decide

std::string read(const std::string& name) {
  std::ifstream file(std::string(SHADERS "/") + name);
  if (!file) throw std::runtime_error("there is no " SHADERS "/" + name);
  return (std::ostringstream() << file.rdbuf()).str();
}

void open_context() {
  EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  const std::array<EGLint, 3> kind{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  const std::array<EGLint, 5> version{EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglInitialize(display, nullptr, nullptr) == EGL_FALSE || eglBindAPI(EGL_OPENGL_API) == EGL_FALSE ||
      eglChooseConfig(display, kind.data(), &config, 1, &count) == EGL_FALSE)
    throw std::runtime_error("EGL offers no OpenGL");
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
  if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE)
    throw std::runtime_error("OpenGL 4.3 is needed");
}

void add_shader(GLuint program, GLenum stage, std::string text) {
  // What both stages share stands after the line with the version.
  text.insert(text.find('\n') + 1, "#define PIECES " + std::to_string(kPieces) + "\n" + read("fold.glsl"));
  const GLuint shader = glCreateShader(stage);
  const char* source = text.c_str();
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  std::array<char, 2000> log{};
  glGetShaderInfoLog(shader, GLsizei(log.size()), nullptr, log.data());
  if (log[0] != '\0') throw std::runtime_error(log.data());
  glAttachShader(program, shader);
}

template <class Values>
void bind_buffer(GLuint binding, const Values& values) {
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
  glBufferData(GL_SHADER_STORAGE_BUFFER, GLsizeiptr(values.size() * sizeof(values[0])), values.data(), GL_STATIC_DRAW);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer);
}

std::vector<std::array<float, 4>> rows(const pucker::Array3& points, const pucker::Vector3& origin) {
  std::vector<std::array<float, 4>> out;
  for (const auto& p : points.rowwise())
    out.push_back({float(p.x() - origin.x()), float(p.y() - origin.y()), float(p.z() - origin.z()), 0.0F});
  return out;
}

GLuint make_target(int samples) {
  GLuint target = 0;
  glGenFramebuffers(1, &target);
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  const auto attach = [samples](GLenum use, GLenum format) {
    GLuint buffer = 0;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, kSide, kSide);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, use, GL_RENDERBUFFER, buffer);
  };
  attach(GL_COLOR_ATTACHMENT0, GL_RGBA8);
  attach(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24);
  return target;
}

void draw(const pucker::io::Clip& clip, const pucker::WrinklerState& state, const std::string& output) {
  const pucker::Vector3& origin = state.packed.origin;
  pucker::Array3 normals;
  pucker::vertex_normals(*clip.mesh(), state.positions, normals);
  bind_buffer(0, state.packed.triangles);
  bind_buffer(1, state.packed.overlaps);
  bind_buffer(2, state.packed.points);
  bind_buffer(3, rows(state.positions, origin));
  bind_buffer(4, rows(normals, pucker::Vector3::Zero()));
  const pucker::Index3& faces = clip.mesh()->faces();
  bind_buffer(5, std::vector<std::int32_t>(faces.data(), faces.data() + faces.size()));

  const GLuint program = glCreateProgram();
  add_shader(program, GL_VERTEX_SHADER, read("packed.vert"));
  add_shader(program, GL_FRAGMENT_SHADER, read("packed.frag"));
  glLinkProgram(program);
  glUseProgram(program);

  pucker::draw::Camera camera =
      pucker::draw::fit(state.positions, pucker::draw::named_view(pucker::draw::kUsualView), 1.0);
  const Eigen::Matrix3d axes = camera.axes();
  camera.eye -= origin;
  camera.target -= origin;
  const Eigen::Matrix4f view = camera.view_projection(1.0).cast<float>();
  glUniformMatrix4fv(glGetUniformLocation(program, "view_projection"), 1, GL_FALSE, view.data());
  const auto set = [&](const char* name, const pucker::Vector3& v) {
    glUniform3f(glGetUniformLocation(program, name), float(v.x()), float(v.y()), float(v.z()));
  };
  const auto vector = [](const pucker::draw::Colour& c) { return pucker::Vector3(c[0], c[1], c[2]); };
  const pucker::draw::Light light;
  set("towards_key", (axes * vector(light.key_direction)).normalized());
  set("towards_fill", (axes * vector(light.fill_direction)).normalized());
  set("key", vector(light.key_colour));
  set("fill", vector(light.fill_colour));
  set("sky", vector(light.sky_colour));
  set("ground", vector(light.ground_colour));
  pucker::draw::Colour cloth{};
  for (std::size_t k = 0; k < 3; ++k) cloth[k] = pucker::draw::kSurfaceColour[k] / 255.0;
  set("cloth", vector(pucker::draw::linear_from_srgb(cloth)));

  GLuint vertices = 0;
  glGenVertexArrays(1, &vertices);
  glBindVertexArray(vertices);
  const GLuint plain = make_target(0);
  make_target(4);
  const pucker::draw::Colour& paper = pucker::draw::Style().background;
  glViewport(0, 0, kSide, kSide);
  glClearColor(float(paper[0]), float(paper[1]), float(paper[2]), 1.0F);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  const GLint all = GLint(faces.rows()) * 3 * kPieces * kPieces;
  // Mesa's software is forty times slower where a draw has more than 65 535 vertices.
  for (GLint first = 0; first < all; first += 60000) glDrawArrays(GL_TRIANGLES, first, std::min(60000, all - first));

  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain);
  glBlitFramebuffer(0, 0, kSide, kSide, 0, 0, kSide, kSide, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, plain);
  std::vector<char> pixels(3 * kSide * kSide);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, kSide, kSide, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  if (const GLenum error = glGetError(); error != GL_NO_ERROR)
    throw std::runtime_error("OpenGL says " + std::to_string(error));
  std::ofstream file(output, std::ios::binary);
  file << "P6\n" << kSide << ' ' << kSide << "\n255\n";
  for (int row = kSide - 1; row >= 0; --row) file.write(pixels.data() + 3 * kSide * row, 3 * kSide);
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words, words + count);
  if (count < 5) {
    std::cerr << "Usage: packed FILE CLIP FRAME OUTPUT.ppm [PART…]\n";
    return 2;
  }
  try {
    const pucker::io::Clip clip =
        pucker::io::load(arguments[1], {.clip = arguments[2], .parts = {arguments.begin() + 5, arguments.end()}});
    // Wrinkles without valleys, as fold.glsl draws them.
    pucker::Wrinkler run(clip.mesh(), pucker::Params::ridges().for_height(clip.height()),
                         {clip.rest(), clip.shared_vertices()});
    for (std::int64_t frame = 0; frame <= std::stol(arguments[3]); ++frame)
      run.advance(clip.positions(frame), clip.data().times[std::size_t(frame)]);
    open_context();
    draw(clip, run.state(), arguments[4]);
  } catch (const std::exception& error) {
    std::cerr << "packed: " << error.what() << '\n';
    return 1;
  }
}
