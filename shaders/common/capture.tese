#version 430 core
// The displaced surface, appended point by point to a storage buffer in no particular order.
#include "common/displace.glsl"
#include "common/frame.glsl"

struct CapturedPoint {
  vec4 position;     // xyz: displaced; w: offset along the normal
  vec4 undisplaced;  // xyz: on the triangle
  vec4 barycentric;  // xyz: with respect to the triangle's corners
  vec4 normal;       // xyz: direction of displacement; w: bits of the triangle's number
};

layout(std430, binding = 15) buffer Captured {
  uint captured_count;
  uint captured_capacity;
  CapturedPoint captured[];
};

void main() {
  SurfacePoint at = patch_point();
  vec3 moved = displaced_position(at);
  gl_Position = clip_position(moved);
  uint slot = atomicAdd(captured_count, 1u);
  if (slot >= captured_capacity) return;  // the host sees the count and asks again with more room
  captured[slot] = CapturedPoint(vec4(moved, dot(at.displacement, at.normal)), vec4(at.position, 0.0), vec4(gl_TessCoord, 0.0),
                                 vec4(at.normal, uintBitsToFloat(patch_triangle)));
}
