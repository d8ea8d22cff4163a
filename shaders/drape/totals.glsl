// The sums that work groups have left, added up by a single one.
#include "drape/sums.glsl"

uniform uint groups;

shared double group_totals[GROUP];

// To be called by all invocations of the group.
double total(uint which) {
  uint lane = gl_LocalInvocationID.x;
  double sum = 0.0LF;
  for (uint group = lane; group < groups; group += GROUP) sum += double(cloth[GROUP * group + which].partial);
  barrier();
  group_totals[lane] = sum;
  barrier();
  for (uint apart = GROUP / 2u; apart > 0u; apart /= 2u) {
    if (lane < apart) group_totals[lane] += group_totals[lane + apart];
    barrier();
  }
  return group_totals[0];
}
