#version 430 core
// Divides what came down to a level by its stiffness, and adds what comes from below. One invocation a vertex of the level.
#include "drape/cloth.glsl"
#include "drape/coarser.glsl"
#include "drape/stiffness.glsl"

layout(local_size_x = 64) in;

uniform uint level_first;  // of the level's vertices

void main() {
  uint vertex = level_first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x >= invocations || !directs()) return;
  sheet[vertex].value = from_coarser(vertex) + over_stiffness(vertex, sheet[vertex].value);
}
