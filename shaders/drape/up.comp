#version 430 core
// Divides what came down to a level by its stiffness, and adds what comes from below. One invocation a vertex of the level.
#include "drape/cloth.glsl"
#include "drape/coarser.glsl"

layout(local_size_x = 64) in;

uniform uint level_first;  // of the level's vertices, which are the first ones of the finest

void main() {
  uint vertex = level_first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x >= invocations || !directs()) return;
  float stiffness = sheet[vertex].own + cloth[gl_GlobalInvocationID.x].weight * sheet[vertex].hold;
  float inverse = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
  sheet[vertex].value = from_coarser(vertex) + inverse * sheet[vertex].value;
}
