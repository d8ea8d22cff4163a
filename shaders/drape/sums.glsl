// Sums over the vertices: each work group leaves its own at its first vertices, and one that goes over all of them adds these in
// double precision, in the same order each time.
#include "drape/cloth.glsl"

const uint SUM_ENERGY = 0u;
const uint SUM_PRODUCTS = 1u;  // three: of steps and the newest change
const uint SUM_SLOPE = 4u;
const uint SUM_CHANGES = 5u;   // three: of changes and the direction

shared vec3 group_sums[GROUP];

// The sum over the group, in its first invocation. To be called by all of them.
vec3 group_sum(vec3 own) {
  uint lane = gl_LocalInvocationID.x;
  group_sums[lane] = own;
  barrier();
  for (uint apart = GROUP / 2u; apart > 0u; apart /= 2u) {
    if (lane < apart) group_sums[lane] += group_sums[lane + apart];
    barrier();
  }
  return group_sums[0];
}

// Leaves the sums over the group from number `first` on.
void leave_sums(uint first, vec3 own, uint count) {
  vec3 sums = group_sum(own);
  if (gl_LocalInvocationID.x != 0u) return;
  for (uint k = 0u; k < count; ++k) cloth[GROUP * gl_WorkGroupID.x + first + k].partial = sums[k];
}
