/// Draws surfaces and reads pictures back.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "appearance.h"
#include "camera.h"
#include "gl.h"
#include "image.h"
#include "programs.h"
#include "pucker/dynamic/params.h"
#include "surface.h"
#include "timing.h"

namespace pucker::viewer {

using Size = std::array<int, 2>;  ///< width and height in pixels

/// What of the wrinkles is drawn: bit 0 their normals, bit 1 their displacement, as in constants.glsl.
enum class Mode { base, normals, displacement, both };

/// How a picture is drawn; a line width of 0 pixels draws no lines.
struct Style {
  Mode mode = Mode::both;
  Profile profile = Profile::bspline;
  double least_edge = 0.0;  ///< shortest tessellated edge, in pixels at the camera's target; 0 for no limit
  double path_width = 0.0;
  double wire_width = 0.0;
  bool reached = false;       ///< tints the triangles that wrinkles reach
  bool tessellation = false;  ///< draws the edges of the tessellated triangles
};

/// Straight lines in space.
struct Lines {
  std::vector<float> ends;  ///< (k, 2, 3), both ends of each; a line of no length is a square dot
  Vector3 colour;           ///< sRGB in [0, 1]
  double width;             ///< pixels
};

/// A framebuffer to draw into and, if it is multisampled, another to read from.
class Target {
 public:
  /// Throws InvalidArgument for a size or number of samples (0 for none) the device does not offer.
  Target(const Size& size, int samples);

  const Size& size() const { return size_; }
  GLuint drawn() const { return drawn_.framebuffer.name(); }
  /// Brings the samples together and gives the framebuffer that holds the picture.
  GLuint resolve() const;
  /// The resolved picture, RGB.
  Picture read() const;

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

/// Draws surfaces in the current context, whose state it does not expect to be anything in particular.
class Renderer {
 public:
  /// Throws Error if a shader does not compile. The library and the appearance must outlive the renderer.
  Renderer(const ShaderLibrary& shaders, const Appearance& appearance);

  /// Draws into a target, which is cleared first, and resolves it.
  void draw(const Target& target, std::span<Surface* const> surfaces, const Camera& camera, const Style& style,
            std::span<const Lines> lines = {});
  PassTimer& times() { return timer_; }

 private:
  void refine(Surface& surface);
  static void compute(const Program& program, const Work& work);
  void write_frame(const Size& size, const Camera& camera, const Style& style);
  void draw_surface(Surface& surface, const Style& style, double shortest_edge);
  void draw_tessellation(Surface& surface, const Style& style, double shortest_edge);
  void draw_triangles(Pass pass, const Program& program, GLenum primitive, const std::vector<Draw>& draws,
                      const Style& style);
  void draw_paths(const Surface& surface);
  void draw_lines(const Lines& lines);
  std::optional<double> target_edge(const Surface& surface, const Style& style, double shortest_edge) const;

  const Appearance& appearance_;
  Program clear_, reach_, curve_, surface_, wrinkled_, tessellation_, path_, line_;
  VertexArray vertices_;
  Buffer frame_, line_ends_;
  GLuint frame_binding_, lines_binding_;
  int samples_per_segment_, displacement_bit_;
  PassTimer timer_;
};

}  // namespace pucker::viewer
