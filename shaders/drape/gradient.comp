#version 430 core
// The gradient where the energy was evaluated, with bending, and by how much it is another one. One invocation a vertex.
#include "drape/sums.glsl"

layout(local_size_x = 64) in;

// Leaves gradient and change, and returns the products of the change and the steps of all pairs, from the newest on.
vec3 take_gradient(uint vertex) {
  vec3 curved = cloth[vertex].curved;
  vec3 curve = vec3(0.0);
  for (uint k = sheet[vertex].spring; k < sheet[vertex].spring_end; ++k)
    curve += springs[k].weight * (cloth[springs[k].neighbour].curved - curved);
  vec3 next = sheet[vertex].free * (cloth[vertex].sum + curve);
  vec3 change = next - cloth[vertex].gradient;
  cloth[vertex].next_gradient = next;
  cloth[vertex].changes[pending()] = change;
  return vec3(dot(cloth[vertex].steps[pending()], change), dot(cloth[vertex].steps[place_of_pair(0u)], change),
              dot(cloth[vertex].steps[place_of_pair(1u)], change));
}

void main() {
  if (solver.verdict == VERDICT_STOP) return;
  uint vertex = gl_GlobalInvocationID.x;
  leave_sums(SUM_PRODUCTS, vertex < invocations ? take_gradient(vertex) : vec3(0.0), 3u);
}
