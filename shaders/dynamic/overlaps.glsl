// What each wrinkle overlaps: for each triangle it overlaps, one after the other, the stretch of its path that does.
#include "dynamic/constants.glsl"

// Triangle in the low bits and number of segments above, then the first path point.
layout(std430, binding = 10) readonly buffer Overlaps { uvec2 overlaps[]; };

uint overlapped_triangle(uint entry) { return overlaps[entry].x & ((1u << OVERLAP_TRIANGLE_BITS) - 1u); }

// First and last path point of an entry, both inclusive.
uvec2 overlap_range(uint entry) {
  uvec2 packed_entry = overlaps[entry];
  return uvec2(packed_entry.y, packed_entry.y + (packed_entry.x >> OVERLAP_TRIANGLE_BITS));
}
