#version 430 core
// Where the cloth starts from, and what pulls it: the hold to the guide, lag, memory and inertia. One invocation a vertex.
#define WAY guide_way
#include "drape/cloth.glsl"
#include "drape/frame.glsl"
#include "drape/ring.glsl"

layout(local_size_x = 64) in;

uniform vec3 moved;    // from the middle of this frame to that of the one before
uniform float lag;     // weights, as multiples of the hold
uniform float memory;
uniform float depth;   // that it may lie behind the guide

// Of what is held so hard single precision shows no motion.
const float STIFFEST = 1e12;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec4 area = ring_area(vertex);
  float size = length(area.xyz);
  vec3 normal = size > 0.0 ? area.xyz / size : vec3(0.0);
  bool goes_on = solver.started == 0u;
  float inertia = goes_on && solver.jumped == 0u ? solver.weight * sheet[vertex].mass : 0.0;
  float weight = goes_on ? 1.0 + lag + memory + inertia : 1.0;
  vec3 away = vec3(0.0);
  vec3 target = vec3(0.0);
  if (goes_on) {
    vec3 here = coarse_position(sheet[vertex].anchor) + cloth[vertex].guide;
    away = frame_of(vertex, normal) * sheet[vertex].local;
    if (lag > 0.0) target += lag / weight * (sheet[vertex].last + moved - here);
    if (memory > 0.0) target += memory / weight * away;
    if (inertia > 0.0) target += inertia / weight * (cloth[vertex].target - here);
  }
  cloth[vertex].normal = cloth[vertex].plane = normal;
  cloth[vertex].depth = depth;
  cloth[vertex].squeezed = sheet[vertex].cut_area > 0.0 ? sheet[vertex].cut_area / area.w : 1.0;
  cloth[vertex].weight = weight;
  cloth[vertex].target = target;
  cloth[vertex].hold = min(weight * sheet[vertex].hold, STIFFEST);
  cloth[vertex].away = cloth[vertex].next = away;
  cloth[vertex].gradient = vec3(0.0);
  for (uint k = 0u; k < PAIRS; ++k) cloth[vertex].steps[k] = cloth[vertex].changes[k] = vec3(0.0);
}
