#version 430 core
// Wrinkle paths as lines of constant width in pixels: one instance a path segment, six vertices a piece of its curve.
#include "frame.glsl"
#include "samples.glsl"

layout(std430, binding = 12) readonly buffer DrawList { uint draw_list[]; };  // segments

// Towards the eye, in units of depth, so that the surface the path lies on does not hide it.
const float DEPTH_BIAS = 2e-3;

void main() {
  int first = int(draw_list[gl_InstanceID]) * SAMPLES_PER_SEGMENT + gl_VertexID / 6;
  int corner = gl_VertexID % 6;
  bool at_end = corner % 2 == 1;
  float side = corner == 0 || corner == 1 || corner == 5 ? -1.0 : 1.0;
  vec4 a = clip_position(samples[first].position);
  vec4 b = clip_position(samples[first + 1].position);
  vec2 along = (b.xy / b.w - a.xy / a.w) * viewport.xy;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  vec4 at = at_end ? b : a;
  // Pieces overlap by half a line width, which closes the joints of a bent line.
  vec2 shift = 0.5 * path_colour.w * (side * vec2(-along.y, along.x) + (at_end ? 0.5 : -0.5) * along);
  gl_Position = at + vec4(2.0 * shift / viewport.xy, -DEPTH_BIAS, 0.0) * at.w;
}
