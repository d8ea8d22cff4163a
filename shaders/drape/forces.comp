#version 430 core
// The energy where it is evaluated, and what makes up half its gradient: hold and pulls, the plane that it is kept in front of,
// springs and bending. One invocation a vertex.
#include "drape/sums.glsl"
#include "drape/stretch.glsl"

layout(local_size_x = 64) in;

// So many springs are read at once, as their other ends are far away; most vertices have six.
const uint AT_ONCE = 3u;

// Leaves the forces, and returns twice the energy; half that of a spring at each of its ends.
float take_forces(uint vertex) {
  vec3 next = cloth[vertex].next;
  vec3 pulled = next - cloth[vertex].target;
  vec3 force = cloth[vertex].hold * pulled;
  float energy = dot(pulled, force);
  vec3 plane = cloth[vertex].plane;
  float below = dot(next, plane) + cloth[vertex].depth;
  if (below < 0.0) {
    force += below * plane;
    energy += below * below;
  }
  vec3 curve = vec3(0.0);
  uint end = sheet[vertex].spring_end;
  for (uint first = sheet[vertex].spring; first < end; first += AT_ONCE) {
    Spring of[AT_ONCE];
    vec3 more[AT_ONCE];
    for (uint k = 0u; k < AT_ONCE; ++k) {
      of[k] = springs[min(first + k, end - 1u)];
      // Differences first, as folds are long and these are small.
      more[k] = cloth[of[k].neighbour].next - next;
    }
    for (uint k = 0u; k < AT_ONCE && first + k < end; ++k) {
      Stretched now = stretched(of[k], more[k]);
      force -= now.over / max(now.size, LEAST_LENGTH) * now.along;
      energy += 0.5 * now.over * now.over;
      curve += of[k].weight * more[k];
    }
  }
  vec3 curved = sheet[vertex].bend * curve;
  cloth[vertex].curved = curved;
  cloth[vertex].sum = force;
  return energy + dot(curve, curved);
}

void main() {
  if (solver.verdict == VERDICT_STOP) return;
  uint vertex = gl_GlobalInvocationID.x;
  float energy = vertex < invocations ? take_forces(vertex) : 0.0;
  leave_sums(SUM_ENERGY, vec3(energy, 0.0, 0.0), 1u);
}
