#version 430 core
// Takes a gradient down to a level from the next finer one; to the coarsest, below which nothing is, divided by its stiffness.
// One invocation a vertex of the level.
#include "drape/cloth.glsl"
#include "drape/stiffness.glsl"

layout(local_size_x = 64) in;

uniform uint level_first;  // of the level's vertices
uniform uint finer_first;  // 0: the finest level is next
uniform bool coarsest;

void main() {
  uint vertex = level_first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x >= invocations || !directs()) return;
  vec3 sum = vec3(0.0);
  for (uint link = sheet[vertex].down; link < sheet[vertex].down_end; link += 2u) {
    uint other = links[link];
    sum += uintBitsToFloat(links[link + 1u]) * (finer_first == 0u ? cloth[other].sum : sheet[finer_first + other].value);
  }
  sheet[vertex].value = coarsest ? over_stiffness(vertex, sum) : sum;
}
