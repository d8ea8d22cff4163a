#version 430 core
// Takes the cloth where it was decided that it goes, and starts on the next direction; or halves the step. One invocation a vertex.
#include "drape/cloth.glsl"

layout(local_size_x = 64) in;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations || solver.verdict == VERDICT_STOP) return;
  if (solver.verdict == VERDICT_HALVE) {
    cloth[vertex].steps[pending()] *= 0.5;
    cloth[vertex].next = cloth[vertex].away + cloth[vertex].steps[pending()];
    return;
  }
  if (solver.verdict == VERDICT_ACCEPT) {
    cloth[vertex].away = cloth[vertex].next;
    cloth[vertex].gradient = cloth[vertex].next_gradient;
  }
  vec3 sum = cloth[vertex].gradient;
  for (uint i = 0u; i < PAIRS; ++i) sum -= solver.taken[i] * cloth[vertex].changes[place_of_pair(i)];
  cloth[vertex].sum = sum;
}
