#version 430 core
// Spreads the list of what each wrinkle overlaps over the triangles, so that no table as large as the mesh has to be sent.
// One invocation an entry; the first one of a triangle, whose entries follow each other, does its work. `triangles` and
// `patches` hold zeros before.
#define TRIANGLES_WRITABLE
#define PATCHES_WRITABLE
#include "common/patches.glsl"
#include "dynamic/triangles.glsl"
#include "dynamic/overlaps.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 8) readonly buffer Twins { uint twins[]; };  // next slot 3 t + k of the same edge, in a ring
uniform uint invocations;

void main() {
  uint first = gl_GlobalInvocationID.x;
  if (first >= invocations) return;
  uint triangle = overlapped_triangle(first);
  if (first > 0u && overlapped_triangle(first - 1u) == triangle) return;
  uint end = first + 1u;
  while (end < invocations && overlapped_triangle(end) == triangle) ++end;
  triangles[triangle] = uvec2(end - first, first);
  // Each edge is divided in all its triangles.
  for (uint k = 0u; k < 3u; ++k) {
    uint slot = 3u * triangle + k;
    do {
      atomicOr(patches[slot / 3u], 1u << (slot % 3u));
      slot = twins[slot];
    } while (slot != 3u * triangle + k);
  }
}
