#version 430 core
// Carries the phases of waves on to new ones, ring by ring; in parts with new ones alone, that of their first vertex, as
// Relax::carry_on_everywhere of the core does. One work group, which goes on until all waves have a phase.
#define SHARED coherent
#define WAVES_WRITABLE
#include "waves/cloth.glsl"
#include "waves/waves.glsl"

const uint LANES = 256u;
const float TURN = 6.283185307179586;

layout(local_size_x = 256) in;

uniform uint vertices;

shared uint listed;  // number of vertices in cloth[].front, one ring after the other; the order within a ring does not count
shared uint first;   // new wave that has no phase yet

void add_to_front(uint vertex) { cloth[atomicAdd(listed, 1u)].front = vertex; }

bool is_beside_waves(uint vertex) {
  uint begin = cloth[vertex].first;
  for (uint i = begin; i < begin + cloth[vertex].neighbours; ++i)
    if (cloth[links[i].neighbour].ring == 0u) return true;
  return false;
}

void add_neighbours(uint vertex, uint ring) {
  uint begin = cloth[vertex].first;
  for (uint i = begin; i < begin + cloth[vertex].neighbours; ++i)
    if (atomicCompSwap(cloth[links[i].neighbour].ring, UNREACHED, ring) == UNREACHED) add_to_front(links[i].neighbour);
}

// The phase that the neighbours in rings up to `last` predict for a vertex of `ring`. Of the ring itself these are the first ones,
// from the rings before it; of the others those in which a ring has seen itself as well, in `other_phase`.
float predicted(uint vertex, uint ring, uint last) {
  vec2 sum = vec2(0.0);
  uint begin = cloth[vertex].first;
  for (uint i = begin; i < begin + cloth[vertex].neighbours; ++i) {
    Link link = links[i];
    uint other = cloth[link.neighbour].ring;
    if (other > last) continue;
    float phase = other == ring ? waves[link.neighbour].phase : waves[link.neighbour].other_phase;
    float wanted = link.sign * phase + TURN * (link.offset - roundEven(link.offset));
    sum += cloth[link.neighbour].influence * vec2(cos(wanted), sin(wanted));
  }
  return sum == vec2(0.0) ? 0.0 : atan(sum.y, sum.x);
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  if (lane == 0u) listed = 0u;
  barrier();
  for (uint vertex = lane; vertex < vertices; vertex += LANES)
    if (cloth[vertex].ring == UNREACHED && is_beside_waves(vertex)) {
      cloth[vertex].ring = 1u;
      add_to_front(vertex);
    }
  uint unreached = lane;  // none of the lane's vertices before it
  uint begin = 0u;
  for (uint ring = 1u;; ++ring) {
    memoryBarrier();
    barrier();
    uint end = listed;
    if (lane == 0u) first = vertices;
    barrier();
    if (begin < end) {
      for (uint k = begin + lane; k < end; k += LANES)
        waves[cloth[k].front].phase = predicted(cloth[k].front, ring, ring - 1u);
      memoryBarrier();
      barrier();
      for (uint k = begin + lane; k < end; k += LANES) {
        waves[cloth[k].front].other_phase = predicted(cloth[k].front, ring, ring);
        add_neighbours(cloth[k].front, ring + 1u);
      }
      begin = end;
      continue;
    }
    while (unreached < vertices && cloth[unreached].ring != UNREACHED) unreached += LANES;
    atomicMin(first, unreached);
    barrier();
    if (first == vertices) break;
    if (lane == 0u) {
      cloth[first].ring = ring;
      add_neighbours(first, ring + 1u);
    }
  }
  for (uint k = lane; k < listed; k += LANES) waves[cloth[k].front].phase = waves[cloth[k].front].other_phase;
}
