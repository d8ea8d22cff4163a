#version 430 core
// Where a limb pierces the guide, it pierces the cloth: connected regions of the guide that are deeper in the body than they were
// cut, and the room of their vertices. One work group. Sums are of whole numbers, so that their order does not count.
#define SHARED coherent
#include "drape/cloth.glsl"

const uint LANES = 256u;
// One, in sums of cosines.
const float COSINE = 16384.0;

layout(local_size_x = 256) in;

uniform uint seeds;     // regions without any of the first vertices do not count
uniform float reach;
uniform float under;    // mean cosine between the normals of guide and body for which cloth lies on the body …
uniform float through;  // … and up to which the body goes through it

shared uint changed;

// Gives each vertex the smallest one near it: of its neighbours' regions, and of theirs. Whether anything has changed.
bool join(uint vertex) {
  uint old = cloth[vertex].region;
  uint least = old;
  for (uint k = sheet[vertex].spring; k < sheet[vertex].spring_end; ++k)
    least = min(least, cloth[springs[k].neighbour].region);
  least = min(least, cloth[least].region);
  if (least == old) return false;
  atomicMin(cloth[vertex].region, least);
  atomicMin(cloth[old].region, least);
  return true;
}

void add_to_region(uint vertex) {
  uint region = cloth[vertex].region;
  atomicAdd(cloth[region].members, 1u);
  atomicAdd(cloth[region].cosines, int(round(COSINE * cloth[vertex].cosine)));
  // Of positive numbers, bits are in the order of the numbers.
  atomicMax(cloth[region].deepest, floatBitsToUint(sheet[vertex].cut_depth - cloth[vertex].inside));
}

float ramp(float x, float from, float to) { return clamp((x - from) / (to - from), 0.0, 1.0); }

void change_room(uint vertex) {
  uint region = cloth[vertex].region;
  if (region >= seeds) return;
  float mean = float(cloth[region].cosines) / (COSINE * float(cloth[region].members));
  float share = ramp(uintBitsToFloat(cloth[region].deepest), reach / 4.0, reach / 2.0) * ramp(mean, under, through);
  cloth[vertex].room += share * (cloth[vertex].inside - cloth[vertex].room);
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint count = solver.listed;
  // A region is whole after as many turns as it has vertices, and mostly after a few.
  for (uint turn = 0u; turn < count; ++turn) {
    barrier();
    if (lane == 0u) changed = 0u;
    barrier();
    for (uint k = lane; k < count; k += LANES)
      if (join(sheet[k].listed)) changed = 1u;
    memoryBarrier();
    barrier();
    if (changed == 0u) break;
  }
  for (uint k = lane; k < count; k += LANES) add_to_region(sheet[k].listed);
  memoryBarrier();
  barrier();
  for (uint k = lane; k < count; k += LANES) change_room(sheet[k].listed);
}
