#version 430 core
// What makes each vertex higher without turning a triangle, of which the mean over its ring is added. One invocation a vertex.
#include "drape/cloth.glsl"
#include "drape/height.glsl"

layout(local_size_x = 64) in;

// Cosines up to which nothing is added, and from which on all.
const float NOTHING = 0.5;
const float ALL = 0.9;

vec3 way(uint from, uint to) { return guide_way(from, to) + (cloth[to].away - cloth[from].away); }

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 own = higher(vertex);
  float share = 1.0;
  for (uint link = sheet[vertex].ring; link < sheet[vertex].ring_end; link += 2u) {
    uint first = links[link], second = links[link + 1u];
    vec3 to_first = way(vertex, first), to_second = way(vertex, second);
    vec3 before = cross(to_first, to_second);
    vec3 after = cross(to_first + (higher(first) - own), to_second + (higher(second) - own));
    float areas = length(before) * length(after);
    float cosine = areas > 0.0 ? dot(before, after) / areas : 0.0;
    share = min(share, clamp((cosine - NOTHING) / (ALL - NOTHING), 0.0, 1.0));
  }
  // Free until the next frame.
  cloth[vertex].next = share * own;
}
