// Lines of constant width in pixels, drawn as two triangles.
#include "frame.glsl"

// Towards the eye, in units of depth, so that the surface a line lies on does not hide it.
const float STROKE_DEPTH_BIAS = 2e-3;

// Corner 0 to 5 of the line from a to b, both in clip space. Lines reach half a width beyond their ends, which closes the
// joints of a bent one; a line of no length is a square.
vec4 stroke_corner(vec4 a, vec4 b, int corner, float width) {
  bool at_end = corner % 2 == 1;
  float side = corner == 0 || corner == 1 || corner == 5 ? -1.0 : 1.0;
  vec2 along = (b.xy / b.w - a.xy / a.w) * viewport.xy;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  vec4 at = at_end ? b : a;
  vec2 shift = 0.5 * width * (side * vec2(-along.y, along.x) + (at_end ? 1.0 : -1.0) * along);
  return at + vec4(2.0 * shift / viewport.xy, -STROKE_DEPTH_BIAS, 0.0) * at.w;
}
