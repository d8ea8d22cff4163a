#version 430 core
// Starts a frame: the formula that inertia steps by (Hairer, Nørsett, Wanner 1993, III.5), and the solver. A single invocation.
#include "drape/cloth.glsl"

layout(local_size_x = 64) in;

uniform int started;          // whether nothing is taken over from the frame before
uniform float passed;         // seconds since that
uniform float passed_before;  // and how many those before were
uniform float swing;          // seconds

// The formula of second order is stable up to 1 + √2 times the step before.
const float MOST_GROWTH = 2.0;

void main() {
  if (gl_GlobalInvocationID.x != 0u) return;
  uint taken = solver.started != 0u ? 0u : min((solver.jumped != 0u ? 0u : solver.steps) + 1u, 2u);
  solver.steps = started != 0 ? 0u : taken;
  solver.started = uint(started);
  solver.jumped = 0u;
  float growth = passed / passed_before;
  bool second = solver.steps == 2u && growth <= MOST_GROWTH;
  float squared = (1.0 + growth) * (1.0 + growth);
  float divisor = 1.0 + 2.0 * growth;
  solver.ahead = second ? (1.0 + growth) / divisor * passed : passed;
  solver.last = second ? squared / divisor : 1.0;
  solver.before_last = second ? growth * growth / divisor : 0.0;
  float ratio = swing / solver.ahead;
  solver.weight = solver.steps > 0u ? ratio * ratio : 0.0;
  if (isinf(solver.weight) || isnan(solver.weight)) solver.jumped = 1u;
  solver.verdict = VERDICT_START;
  solver.iterations = solver.halvings = solver.evaluations = solver.pairs = solver.newest = 0u;
  solver.scale = 1.0;
  solver.residual = 0.0;
  solver.slope = 0.0LF;
  solver.listed = 0u;
}
