// What each wrinkle reaches: for each triangle it reaches, one after the other, the stretch of its path that does.
#include "dynamic/constants.glsl"

// Triangle in the low bits and number of segments above, then the first path point.
layout(std430, binding = 10) readonly buffer Reach { uvec2 reach[]; };

uint reached_triangle(uint entry) { return reach[entry].x & ((1u << REACH_TRIANGLE_BITS) - 1u); }

// First and last path point of an entry, both inclusive.
uvec2 reach_range(uint entry) {
  uvec2 packed_entry = reach[entry];
  return uvec2(packed_entry.y, packed_entry.y + (packed_entry.x >> REACH_TRIANGLE_BITS));
}
