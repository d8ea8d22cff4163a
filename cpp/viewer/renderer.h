/// Draws surfaces and reads pictures back.
#pragma once

#include <span>
#include <vector>

#include "gl.h"
#include "image.h"
#include "maps.h"
#include "programs.h"
#include "pucker/draw/camera.h"
#include "pucker/draw/execution.h"
#include "pucker/draw/picture.h"
#include "pucker/draw/style.h"
#include "surface.h"
#include "timing.h"

namespace pucker::viewer {

using draw::Camera;
using draw::Mode;
using draw::Pass;
using draw::Size;
using draw::Style;

/// A framebuffer to draw into and, if it is multisampled, another to read from.
class Target {
 public:
  /// Throws InvalidArgument for a size or number of samples (0 for none) the device does not offer.
  Target(const Size& size, int samples);

  const Size& size() const { return size_; }
  GLuint drawn() const { return drawn_.framebuffer.name(); }
  /// Brings the samples together and gives the framebuffer that holds the picture.
  GLuint resolve() const;
  /// The resolved picture, RGB. Throws Error if OpenGL reports an error.
  Image read() const;

 private:
  struct Layer {
    Renderbuffer colour, depth;
    Framebuffer framebuffer;
  };
  static Layer make_layer(const Size& size, int samples);

  Size size_;
  int samples_;
  Layer drawn_;
  Layer read_;
};

/// Goes through lists of what to draw in the current context, whose state it does not expect to be anything in
/// particular.
class Renderer {
 public:
  /// Throws Error if the device offers too few storage blocks.
  explicit Renderer(draw::ShaderLibrary shaders);
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  /// Draws into a target, which is cleared first, and resolves it. Throws Error if a shader does not compile.
  void draw(const Target& target, std::span<DrawnSurface> surfaces, const Camera& camera, const Style& style,
            std::span<const draw::Lines> lines = {});
  PassTimer& times() { return timer_; }

 private:
  draw::ShaderLibrary shaders_;
  std::vector<Program> programs_;
  VertexArray vertices_;
  Buffer frames_;
  std::vector<Buffer> line_ends_;  ///< one for each group of lines
  draw::Execution execution_;
  Maps maps_;
  PassTimer timer_;
};

}  // namespace pucker::viewer
