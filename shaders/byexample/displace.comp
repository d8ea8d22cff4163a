#version 430 core
// The details of the poses, blended and put on the smooth surface in its frames (Zurdo 2013, sections 3 and 4.3). One invocation
// a fine vertex.
#define OFFSET smooth_offset
#define ANCHOR feature_position
#include "byexample/fine.glsl"
#include "byexample/places.glsl"
#include "byexample/ring.glsl"
#include "byexample/sway.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 0) writeonly buffer Positions { float positions[]; };  // (N, 3), as they are drawn
layout(std430, binding = 12) readonly buffer Details { float details[]; };      // (P, N, 3), in the frames of the vertices

uniform uint weights_first;  // number of the first one
uniform uint poses;          // P
uniform int dense;           // whether weights are those of fine vertices
uniform float gain;
uniform float unit;          // the mean edge
uniform vec3 middle;         // of the feature mesh, from where positions are drawn relative to

// Square of the share of an edge's length below which its part across the normal has no direction of its own.
const float NO_DIRECTION = 1e-12;

float weight(uint row, uint pose) { return features[weights_first + poses * row + pose]; }

vec3 blended_detail(uint vertex, FineVertex at) {
  vec3 sum = vec3(0.0);
  for (uint pose = 0u; pose < poses; ++pose) {
    float share = dense != 0 ? weight(vertex, pose)
                             : dot(at.shares, vec3(weight(at.corners.x, pose), weight(at.corners.y, pose),
                                                   weight(at.corners.z, pose)));
    uint from = 3u * (pose * invocations + vertex);
    sum += share * vec3(details[from], details[from + 1u], details[from + 2u]);
  }
  return gain * sum;
}

// From the frame of a vertex into space: along the edge made orthogonal to the normal, across both, and along the normal. Zero
// where there is no frame.
vec3 turned(vec3 detail, vec3 area, vec3 edge) {
  float size = length(area);
  if (!(size > 0.0)) return vec3(0.0);
  vec3 normal = area / size;
  vec3 across = edge - dot(edge, normal) * normal;
  float squared = dot(across, across);
  if (!(squared > NO_DIRECTION * dot(edge, edge))) return vec3(0.0);
  across *= inversesqrt(squared);
  return detail.x * across + detail.y * cross(normal, across) + detail.z * normal;
}

// By how much more than its anchor a vertex sways.
vec3 carried(FineVertex at) {
  vec3 sum = vec3(0.0);
  if (sway_first == 0u) return sum;
  vec3 anchor = sway_of(at.anchor);
  for (uint link = at.row; link < at.row_end; link += 2u)
    sum += uintBitsToFloat(links[link + 1u]) * (sway_of(links[link]) - anchor);
  return sum;
}

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  FineVertex at = fine[vertex];
  Place place = places[vertex];
  vec3 edge = way(place, places[at.neighbour]);
  vec3 offset = place.smooth_offset + turned(blended_detail(vertex, at), ring_area(at, place), edge) + carried(at);
  vec3 anchor = feature_position(at.anchor);
  vec3 anchor_sway = sway_of(at.anchor);
  if (at.hold > 0.0) {
    vec3 held = -anchor_sway;
    for (uint k = 0u; k < 3u; ++k) held += at.shares[k] * (feature_position(at.corners[k]) - anchor);
    offset = mix(offset, held, at.hold);
  }
  places[vertex].detailed_offset = offset;
  for (uint axis = 0u; axis < 3u; ++axis)
    positions[3u * vertex + axis] = middle[axis] + unit * (anchor[axis] + anchor_sway[axis] + offset[axis]);
}
