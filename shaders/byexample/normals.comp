#version 430 core
// Normals of the detailed surface, weighted by area. One invocation a fine vertex.
#define OFFSET detailed_offset
#define ANCHOR swayed_position
#include "byexample/fine.glsl"
#include "byexample/places.glsl"
#include "byexample/sway.glsl"

vec3 swayed_position(uint vertex) { return feature_position(vertex) + sway_of(vertex); }

#include "byexample/ring.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 1) writeonly buffer Normals { float normals[]; };  // (N, 3), unit

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 area = ring_area(fine[vertex], places[vertex]);
  float size = length(area);
  vec3 normal = size > 0.0 ? area / size : vec3(0.0, 1.0, 0.0);
  for (uint axis = 0u; axis < 3u; ++axis) normals[3u * vertex + axis] = normal[axis];
}
