#version 430 core
// The gradient where the energy was evaluated, with bending, and by how much it is another one. One invocation a vertex.
#include "drape/sums.glsl"

layout(local_size_x = 64) in;

// So many springs are read at once, as their other ends are far away; most vertices have six.
const uint AT_ONCE = 3u;

// Leaves gradient and change, and returns the products of the change and the steps of all pairs, from the newest on.
vec3 take_gradient(uint vertex) {
  vec3 curved = cloth[vertex].curved;
  vec3 curve = vec3(0.0);
  uint end = sheet[vertex].spring_end;
  for (uint first = sheet[vertex].spring; first < end; first += AT_ONCE) {
    vec3 more[AT_ONCE];
    float weights[AT_ONCE];
    for (uint k = 0u; k < AT_ONCE; ++k) {
      uint at = min(first + k, end - 1u);
      more[k] = cloth[springs[at].neighbour].curved - curved;
      weights[k] = springs[at].weight;
    }
    for (uint k = 0u; k < AT_ONCE && first + k < end; ++k) curve += weights[k] * more[k];
  }
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
