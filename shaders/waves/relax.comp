#version 430 core
// One round of the descent of each phase (Loviscach 2006, section 5.2), from one of two phases to the other. One invocation a
// vertex.
#define WAVES_WRITABLE
#include "waves/cloth.glsl"
#include "waves/waves.glsl"

layout(local_size_x = 64) in;

uniform int from_other;    // whether other_phase is gone from
uniform float step_share;  // ε/π

const float TURN = 6.283185307179586;

float phase_of(uint vertex) { return from_other != 0 ? waves[vertex].other_phase : waves[vertex].phase; }

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  uint first = cloth[vertex].first, count = cloth[vertex].neighbours;
  float phase = phase_of(vertex);
  float pull = 0.0;
  for (uint i = first; i < first + count; ++i) {
    Link link = links[i];
    float apart = (link.sign * phase_of(link.neighbour) - phase) / TURN + link.offset;
    pull += cloth[link.neighbour].influence * (apart - roundEven(apart));
  }
  float most = cloth[vertex].most;
  phase += clamp(step_share / max(float(count), 1.0) * pull, -most, most);
  phase -= TURN * roundEven(phase / TURN);
  if (from_other != 0) {
    waves[vertex].phase = phase;
  } else {
    waves[vertex].other_phase = phase;
  }
}
