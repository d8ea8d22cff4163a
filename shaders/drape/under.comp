#version 430 core
// Takes what another layer of the garment covers under that layer, and out of the body again. One invocation a covered vertex. All of
// it is the core's, in which a note of each line stands.
#include "drape/lifted.glsl"

layout(local_size_x = 64) in;

uniform uint layers_first;  // where they begin in Links: seven each, as below
uniform uint fine_first;    // likewise: six a fine triangle, corners, and the triangles across the edges behind them
uniform float between;      // distance that layers keep
uniform bool gained;        // of the cloth after its gain; else of the balance

const float SOFT = 0.1;
const float STEEPEST = 4.0;
const uint MOST_PASSED = 64u;

vec3 away_of(uint vertex) { return gained ? cloth[vertex].sum : cloth[vertex].away; }

uvec3 corners_of(uint triangle) {
  uint at = fine_first + 6u * triangle;
  return uvec3(links[at], links[at + 1u], links[at + 2u]);
}

// From the vertex to the corners, on the guide.
mat3 ways_of(uint vertex, uvec3 corners) {
  return mat3(guide_way(vertex, corners.x), guide_way(vertex, corners.y), guide_way(vertex, corners.z));
}

// Barycentric coordinates of the vertex's foot in the plane of the triangle.
vec3 foot_on_plane(mat3 ways) {
  vec3 normal = cross(ways[1] - ways[0], ways[2] - ways[0]);
  float square = dot(normal, normal);
  if (!(square > 0.0)) return vec3(0.0);
  float at_a = dot(cross(ways[2] - ways[1], -ways[1]), normal) / square;
  float at_b = dot(cross(ways[0] - ways[2], -ways[2]), normal) / square;
  return vec3(at_a, at_b, 1.0 - at_a - at_b);
}

// The triangle over a vertex.
uint over(uint vertex, uint triangle) {
  uint before = NONE;
  for (uint passed = 0u; passed < MOST_PASSED; ++passed) {
    vec3 shares = foot_on_plane(ways_of(vertex, corners_of(triangle)));
    uint next = NONE;
    float least = 0.0;
    for (uint k = 0u; k < 3u; ++k) {
      uint there = links[fine_first + 6u * triangle + 3u + (k + 1u) % 3u];
      if (there == NONE || !(shares[k] < least)) continue;
      least = shares[k];
      next = there;
    }
    if (next == NONE || next == before) break;
    before = triangle;
    triangle = next;
  }
  return triangle;
}

void main() {
  if (gl_GlobalInvocationID.x >= invocations) return;
  uint at = layers_first + 7u * gl_GlobalInvocationID.x;
  uint vertex = links[at];
  uint triangle = links[at + 1u];
  vec3 shares = uintBitsToFloat(uvec3(links[at + 2u], links[at + 3u], links[at + 4u]));
  float share = uintBitsToFloat(links[at + 5u]);
  bool other_side = links[at + 6u] != 0u;
  if (!other_side) triangle = over(vertex, triangle);
  uvec3 corners = corners_of(triangle);
  mat3 ways = ways_of(vertex, corners);
  if (!other_side) shares = nearest_shares(ways[0], ways[1], ways[2]);
  vec3 away = away_of(vertex);
  vec3 moved = mat3(away_of(corners.x), away_of(corners.y), away_of(corners.z)) * shares - away;
  float taken = 1.0;
  if (!other_side) {
    vec3 normal = directed(mat3(cloth[corners.x].normal, cloth[corners.y].normal, cloth[corners.z].normal) * shares);
    float kept = dot(ways * shares, normal);
    float up = dot(moved, normal);
    float nearer = STEEPEST * length(moved - up * normal) - up;
    float missing = min(kept, between) - (kept - nearer);
    if (!(missing > 0.0)) return;
    taken = min(1.0, missing / max(nearer, SOFT * between));
  }
  away = lifted(vertex, away + share * taken * moved);
  if (gained) cloth[vertex].sum = away;
  else cloth[vertex].away = away;
}
