#version 430 core
// Takes what another layer of the garment covers under that layer, and out of the body again. One invocation a covered vertex. All of
// it is the core's, in which a note of each line stands.
#include "drape/lifted.glsl"

layout(local_size_x = 64) in;

uniform uint layers_first;  // where they begin in Links: nine each, as below
uniform float between;      // distance that layers keep
uniform bool gained;        // of the cloth after its gain; else of the balance

const float SOFT = 0.1;

vec3 away_of(uint vertex) { return gained ? cloth[vertex].sum : cloth[vertex].away; }

void main() {
  if (gl_GlobalInvocationID.x >= invocations) return;
  uint at = layers_first + 9u * gl_GlobalInvocationID.x;
  uint vertex = links[at];
  uvec3 corners = uvec3(links[at + 1u], links[at + 2u], links[at + 3u]);
  vec3 shares = uintBitsToFloat(uvec3(links[at + 4u], links[at + 5u], links[at + 6u]));
  float share = uintBitsToFloat(links[at + 7u]);
  bool other_side = links[at + 8u] != 0u;
  vec3 away = away_of(vertex);
  vec3 moved = mat3(away_of(corners.x), away_of(corners.y), away_of(corners.z)) * shares - away;
  float taken = 1.0;
  if (!other_side) {
    vec3 ways[3] = vec3[](guide_way(vertex, corners.x), guide_way(vertex, corners.y), guide_way(vertex, corners.z));
    vec3 normal = directed(cross(ways[1] - ways[0], ways[2] - ways[0]));
    float kept = dot(mat3(ways[0], ways[1], ways[2]) * shares, normal);
    float distance = kept + dot(moved, normal);
    float missing = min(kept, between) - distance;
    if (!(missing > 0.0)) return;
    taken = min(1.0, missing / max(kept - distance, SOFT * between));
  }
  away = lifted(vertex, away + share * taken * moved);
  if (gained) cloth[vertex].sum = away;
  else cloth[vertex].away = away;
}
