#version 430 core
// The multilevel sum of the gradient. One invocation a vertex.
#include "drape/sums.glsl"
#include "drape/coarser.glsl"

layout(local_size_x = 64) in;

// Leaves the sum, and returns its products with the changes of all pairs.
vec3 precondition(uint vertex) {
  vec3 own = cloth[vertex].block;
  vec3 beside = cloth[vertex].block_beside;
  mat3 block = mat3(own.x, beside.x, beside.y, beside.x, own.y, beside.z, beside.y, beside.z, own.z);
  vec3 sum = sheet[vertex].free * solver.scale * (block * cloth[vertex].sum + from_coarser(vertex));
  cloth[vertex].sum = sum;
  vec3 products;
  for (uint i = 0u; i < PAIRS; ++i) products[i] = dot(cloth[vertex].changes[place_of_pair(i)], sum);
  return products;
}

void main() {
  if (!directs()) return;
  uint vertex = gl_GlobalInvocationID.x;
  leave_sums(SUM_CHANGES, vertex < invocations ? precondition(vertex) : vec3(0.0), 3u);
}
