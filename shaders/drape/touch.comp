#version 430 core
// A plane on the body for each vertex that starts near to it, in the place of that behind the guide. One invocation a vertex.
#include "drape/body.glsl"

layout(local_size_x = 64) in;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations || sheet[vertex].kept_out == 0.0) return;
  vec3 away = cloth[vertex].away;
  uint triangle = sheet[vertex].touched;
  Touch at;
  vec3 guide = coarse_position(sheet[vertex].anchor) + cloth[vertex].guide;
  bool found = keeps_out(vertex, guide, away, triangle, at);
  sheet[vertex].touched = triangle;
  if (!found) return;
  cloth[vertex].plane = at.normal;
  cloth[vertex].depth = dot(at.away - away, at.normal) - cloth[vertex].room;
}
