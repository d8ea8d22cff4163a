#version 430 core
// Puts the vertices where a frame has them. One invocation a vertex.
#include "waves/cloth.glsl"
#include "waves/motion.glsl"

layout(local_size_x = 64) in;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  uint at = motion_first + 3u * vertex;
  put_vertex(vertex, vec3(motion[at], motion[at + 1u], motion[at + 2u]));
}
