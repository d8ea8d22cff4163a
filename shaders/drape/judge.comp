#version 430 core
// Whether a step is taken (Armijo's rule), and the numbers of the first loop of L-BFGS. One work group.
#include "drape/totals.glsl"

layout(local_size_x = 64) in;

uniform int iterations;   // at most
uniform float tolerance;  // of the residual
uniform float squares;    // Σ L²

const double ENOUGH = 1e-4LF;
const double ROUNDING = 2e-7LF;
const double LESS = 0.9LF;
const uint MOST_HALVINGS = 12u;
// Levels overlap, so that their sum goes too far where there are many: by how much, steps that were halved tell.
const float SHORTER = 0.7;
const float LEAST_SCALE = 0.2;

void take_first_loop() {
  for (uint i = 0u; i < PAIRS; ++i) {
    double share = 0.0LF;
    if (i < solver.pairs) {
      share = solver.slopes[i];
      for (uint j = 0u; j < i; ++j) share -= solver.shares[j] * solver.products[PAIRS * i + j];
      share /= solver.products[PAIRS * i + i];
    }
    solver.shares[i] = share;
    solver.taken[i] = float(share);
  }
}

// The step becomes a pair; `products` are those of the change and the steps.
void accept(double energy, double products[PAIRS]) {
  for (uint i = PAIRS - 1u; i > 0u; --i) {
    for (uint j = i; j > 0u; --j) solver.products[PAIRS * i + j] = solver.products[PAIRS * (i - 1u) + j - 1u];
    solver.slopes[i] = solver.slopes[i - 1u] + products[i];
  }
  for (uint i = 0u; i < PAIRS; ++i) solver.products[PAIRS * i] = products[i];
  solver.slopes[0] = solver.slope + products[0];
  if (solver.halvings > 0u) solver.scale = max(LEAST_SCALE, SHORTER * solver.scale);
  // A pair along which the slope falls would make a direction that leads upwards.
  solver.pairs = products[0] > 0.0LF ? min(solver.pairs + 1u, PAIRS) : 0u;
  solver.newest = pending();
  solver.energy = energy;
  solver.lowest = min(solver.lowest, energy);
  solver.halvings = 0u;
  ++solver.iterations;
}

uint judge(double energy, double products[PAIRS], double slope) {
  if (solver.verdict == VERDICT_START) {
    solver.energy = solver.lowest = energy;
    return VERDICT_ACCEPT;
  }
  if (solver.halvings == 0u) {
    solver.slope = slope;
    solver.residual = sqrt(max(0.0, float(-slope) / squares));
    if (solver.residual <= tolerance || solver.iterations >= uint(iterations)) return VERDICT_STOP;
  }
  // Where a step gains less than what energies are rounded by, slopes say whether it leads downwards.
  bool enough = energy <= solver.energy + 2.0LF * ENOUGH * solver.slope;
  bool rounded = energy <= solver.lowest * (1.0LF + ROUNDING) && solver.slope + products[0] <= -LESS * solver.slope;
  if (enough || rounded) {
    accept(energy, products);
    return VERDICT_ACCEPT;
  }
  if (solver.halvings < MOST_HALVINGS) {
    ++solver.halvings;
    solver.slope *= 0.5LF;
    return VERDICT_HALVE;
  }
  // Products of pairs may have lost their digits near the balance: once without them.
  if (solver.pairs == 0u) return VERDICT_STOP;
  solver.pairs = solver.halvings = 0u;
  return VERDICT_AGAIN;
}

void main() {
  if (solver.verdict == VERDICT_STOP) return;
  double energy = total(SUM_ENERGY);
  double slope = total(SUM_SLOPE);
  double products[PAIRS];
  for (uint k = 0u; k < PAIRS; ++k) products[k] = total(SUM_PRODUCTS + k);
  if (gl_LocalInvocationID.x != 0u) return;
  ++solver.evaluations;
  solver.verdict = judge(energy, products, slope);
  take_first_loop();
}
