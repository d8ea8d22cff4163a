#version 430 core
// Which edges are divided: those of triangles with a wave at a corner, in all their triangles. One invocation a triangle.
#define PATCHES_WRITABLE
#include "common/corners.glsl"
#include "common/patches.glsl"
#include "waves/waves.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 8) readonly buffer Twins { uint twins[]; };  // next slot 3 t + k of the same edge, in a ring
uniform uint invocations;

bool reached(uint triangle) {
  for (uint k = 0u; k < 3u; ++k)
    if (waves[mesh_vertex(triangle, k)].amplitude > 0.0) return true;
  return false;
}

void main() {
  uint triangle = gl_GlobalInvocationID.x;
  if (triangle >= invocations) return;
  uint divided = 0u;
  for (uint k = 0u; k < 3u; ++k) {
    uint slot = 3u * triangle + k;
    do {
      if (reached(slot / 3u)) divided |= 1u << k;
      slot = twins[slot];
    } while (slot != 3u * triangle + k);
  }
  patches[triangle] = divided;
}
