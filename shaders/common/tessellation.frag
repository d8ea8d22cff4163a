#version 430 core
// Edges of tessellated triangles. Where the pieces of an edge cover few pixels the lines let the surface through, so that a fine
// tessellation is seen as a fine grid and not as one colour.
#include "common/lighting.glsl"

uniform vec3 flat_colour;   // linear
uniform float target_edge;  // wanted length of an edge piece

out vec4 fragment;

// Length of an edge piece from which its line is opaque.
const float OPAQUE_PIXELS = 16.0;

void main() {
  vec3 up = vec3(view_projection[0].y, view_projection[1].y, view_projection[2].y);
  float pixels = 0.5 * viewport.y * length(up) * target_edge * gl_FragCoord.w;
  fragment = vec4(srgb_from_linear(flat_colour), min(pixels / OPAQUE_PIXELS, 1.0));
}
