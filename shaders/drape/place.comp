#version 430 core
// Puts the vertices where they are drawn. One invocation a vertex.
#include "drape/cloth.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 0) writeonly buffer Positions { float positions[]; };  // (N, 3)

uniform float unit;
uniform vec3 middle;  // of the coarse mesh, from where positions are drawn relative to

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 place = coarse_position(sheet[vertex].anchor) + cloth[vertex].guide + cloth[vertex].sum;
  for (uint axis = 0u; axis < 3u; ++axis) positions[3u * vertex + axis] = middle[axis] + unit * place[axis];
}
