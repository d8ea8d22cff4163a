#version 430 core
// Straight lines in space of constant width in pixels: one instance a line, six vertices each.
#include "common/stroke.glsl"

layout(std430, binding = 15) readonly buffer Lines { float line_ends[]; };  // (k, 2, 3)

uniform float line_width;  // [pixels]

vec4 line_end(int number) {
  int base = 3 * number;
  return clip_position(vec3(line_ends[base], line_ends[base + 1], line_ends[base + 2]));
}

void main() {
  gl_Position = stroke_corner(line_end(2 * gl_InstanceID), line_end(2 * gl_InstanceID + 1), gl_VertexID, line_width);
}
