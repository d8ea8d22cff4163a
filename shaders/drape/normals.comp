#version 430 core
// Normals of the draped surface, weighted by area. One invocation a vertex.
#define WAY surface_way
#include "drape/cloth.glsl"

vec3 surface_way(uint from, uint to) { return guide_way(from, to) + (cloth[to].sum - cloth[from].sum); }

#include "drape/ring.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 1) writeonly buffer Normals { float normals[]; };  // (N, 3), unit

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 area = ring_area(vertex).xyz;
  float size = length(area);
  vec3 normal = size > 0.0 ? area / size : vec3(0.0, 1.0, 0.0);
  for (uint axis = 0u; axis < 3u; ++axis) normals[3u * vertex + axis] = normal[axis];
}
