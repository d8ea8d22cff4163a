#version 430 core
// Makes ready what Relax compares, as Relax::prepare of the core has it. One invocation a vertex.
#define WAVES_WRITABLE
#include "waves/cloth.glsl"
#include "waves/waves.glsl"

layout(local_size_x = 64) in;

uniform float slide;   // largest of the highest waves in one round, in radians
uniform int relative;  // whether a neighbour weighs by its height relative to the highest

const float TURN = 6.283185307179586;
const float UNLIMITED = 1e30;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  Wave wave = waves[vertex];
  waves[vertex].other_phase = wave.phase;
  float height = 4.0 * wave.amplitude / cloth[vertex].wavelength;
  float seen = min(height, cloth[vertex].height);
  cloth[vertex].height = height;
  cloth[vertex].most = seen > 0.0 ? slide / seen : UNLIMITED;
  bool waved = cloth[vertex].influence > 0.0;
  float influence = clamp(4.0 * (relative != 0 ? height : wave.amplitude) - 0.2, 0.0, 1.0);
  cloth[vertex].influence = influence;
  cloth[vertex].ring = influence > 0.0 ? (waved ? 0u : UNREACHED) : FLAT;
  uint first = cloth[vertex].first;
  for (uint i = first; i < first + cloth[vertex].neighbours; ++i) {
    Wave other = waves[links[i].neighbour];
    vec3 edge = other.place - wave.place;
    float along = dot(other.vector, wave.vector) < 0.0 ? -1.0 : 1.0;
    links[i].sign = along;
    links[i].offset = -0.5 / TURN * (along * dot(other.vector, edge) + dot(wave.vector, edge));
  }
}
