// Lines of constant width in pixels, drawn as two triangles.
#include "common/frame.glsl"

// Where a compiler fuses a division with the subtraction, a point and itself are not quite 0 apart.
const float LEAST_LENGTH = 1e-3;  // [half pixels]

// Corner 0 to 5 of the line from a to b, both in clip space. Lines reach half a width beyond their ends, which closes the
// joints of a bent one; a line of no length is a square. It stands before the surface it lies on by half its width and half a
// pixel, which is what a surface that falls off at 45 degrees loses beside it.
vec4 stroke_corner(vec4 a, vec4 b, int corner, float width) {
  bool at_end = corner % 2 == 1;
  float side = corner == 0 || corner == 1 || corner == 5 ? -1.0 : 1.0;
  vec2 along = (b.xy / b.w - a.xy / a.w) * viewport.xy;
  float size = length(along);
  along = size > LEAST_LENGTH ? along / size : vec2(1.0, 0.0);
  vec4 at = at_end ? b : a;
  vec2 shift = 0.5 * width * (side * vec2(-along.y, along.x) + (at_end ? 1.0 : -1.0) * along);
  return at + vec4(2.0 * shift / viewport.xy * at.w, depth_nearer(0.5 * (width + 1.0) * viewport.w), 0.0);
}
