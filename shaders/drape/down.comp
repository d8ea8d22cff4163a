#version 430 core
// Takes a gradient down to a level from the next finer one; to the coarsest, below which nothing is, divided by its stiffness.
// One invocation a vertex of the level.
#include "drape/cloth.glsl"
#include "drape/stiffness.glsl"

layout(local_size_x = 64) in;

uniform uint level_first;  // of the level's vertices
uniform uint finer_first;  // 0: the finest level is next
uniform bool coarsest;

// So many are read at once, as each is far away.
const uint AT_ONCE = 4u;

vec3 finer(uint vertex) { return finer_first == 0u ? cloth[vertex].sum : sheet[finer_first + vertex].value; }

void main() {
  uint vertex = level_first + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x >= invocations || !directs()) return;
  uint end = sheet[vertex].down_end;
  vec3 sum = vec3(0.0);
  for (uint link = sheet[vertex].down; link < end; link += 2u * AT_ONCE) {
    vec3 values[AT_ONCE];
    float weights[AT_ONCE];
    for (uint k = 0u; k < AT_ONCE; ++k) {
      uint at = min(link + 2u * k, end - 2u);
      values[k] = finer(links[at]);
      weights[k] = uintBitsToFloat(links[at + 1u]);
    }
    for (uint k = 0u; k < AT_ONCE && link + 2u * k < end; ++k) sum += weights[k] * values[k];
  }
  sheet[vertex].value = coarsest ? over_stiffness(vertex, sum) : sum;
}
