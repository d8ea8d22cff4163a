#version 430 core
// Takes the wrinkles off all triangles. One invocation a triangle.
#define TRIANGLES_WRITABLE
#define PATCHES_WRITABLE
#include "common/patches.glsl"
#include "dynamic/triangles.glsl"

layout(local_size_x = 64) in;

uniform uint invocations;

void main() {
  uint triangle = gl_GlobalInvocationID.x;
  if (triangle >= invocations) return;
  triangles[triangle] = uvec2(0u);
  patches[triangle] = 0u;
}
