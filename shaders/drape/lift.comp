#version 430 core
// Takes what lies behind its plane out to it, and out of the body. One invocation a vertex.
#include "drape/lifted.glsl"

layout(local_size_x = 64) in;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 away = cloth[vertex].away;
  vec3 plane = cloth[vertex].plane;
  float below = dot(away, plane) + cloth[vertex].depth;
  if (below < 0.0) away -= below * plane;
  cloth[vertex].away = lifted(vertex, away);
}
