#version 430 core
// Where the guide is in the body: what room the cloth keeps that was cut in it, and the vertices that are deeper in it than they
// were cut. One invocation a vertex.
#include "drape/body.glsl"

layout(local_size_x = 64) in;


void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  float cut_room = sheet[vertex].cut_room;
  float cut_depth = sheet[vertex].cut_depth;
  uint triangle = sheet[vertex].touched;
  Touch at;
  bool located = locate(place_near(coarse_position(sheet[vertex].anchor) + cloth[vertex].guide, deepest, triangle), at);
  bool kept = located && cut_room < 0.0 && abs(at.distance) <= reach && !by_opening(at);
  bool listed = located && at.distance < cut_depth;
  sheet[vertex].touched = triangle;
  cloth[vertex].room = kept ? max(cut_room, min(0.0, at.distance)) : cut_room;
  cloth[vertex].inside = at.distance;
  cloth[vertex].cosine = dot(cloth[vertex].normal, at.normal);
  cloth[vertex].region = listed ? vertex : NONE;
  cloth[vertex].members = cloth[vertex].deepest = 0u;
  cloth[vertex].cosines = 0;
  // In any order: what is made of the list does not depend on it.
  if (listed) sheet[atomicAdd(solver.listed, 1u)].listed = vertex;
}
