#version 430 core
// The numbers of the second loop of L-BFGS. One work group.
#include "drape/totals.glsl"

layout(local_size_x = 64) in;

void main() {
  if (!directs()) return;
  double products[PAIRS];
  for (uint k = 0u; k < PAIRS; ++k) products[k] = total(SUM_CHANGES + k);
  if (gl_LocalInvocationID.x != 0u) return;
  double added[PAIRS];
  for (int i = int(PAIRS) - 1; i >= 0; --i) {
    added[i] = 0.0LF;
    if (uint(i) < solver.pairs) {
      double share = products[i];
      for (uint j = uint(i) + 1u; j < solver.pairs; ++j) share += added[j] * solver.products[PAIRS * j + uint(i)];
      added[i] = solver.shares[i] - share / solver.products[PAIRS * uint(i) + uint(i)];
    }
    solver.added[i] = float(added[i]);
  }
}
