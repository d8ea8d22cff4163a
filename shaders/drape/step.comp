#version 430 core
// The step that is tried next. One invocation a vertex.
#include "drape/sums.glsl"

layout(local_size_x = 64) in;

// Leaves the step, and returns its product with the gradient.
float take_step(uint vertex) {
  vec3 way = -cloth[vertex].sum;
  for (uint i = 0u; i < PAIRS; ++i) way -= solver.added[i] * cloth[vertex].steps[place_of_pair(i)];
  cloth[vertex].steps[pending()] = way;
  cloth[vertex].next = cloth[vertex].away + way;
  return dot(way, cloth[vertex].gradient);
}

void main() {
  if (!directs()) return;
  uint vertex = gl_GlobalInvocationID.x;
  float slope = vertex < invocations ? take_step(vertex) : 0.0;
  leave_sums(SUM_SLOPE, vec3(slope, 0.0, 0.0), 1u);
}
