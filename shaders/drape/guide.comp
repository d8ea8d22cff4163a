#version 430 core
// The guide: the smooth surface of the coarse mesh (Loop 1987), sewn to it; and where the cloth would be by itself. One invocation
// a vertex.
#include "drape/cloth.glsl"

layout(local_size_x = 64) in;

uniform vec3 moved;      // from the middle of this frame to that of the one before
uniform float farthest;  // that a vertex may go in a step

// Of coarse places, from the anchor.
vec3 weighted(uint begin, uint end, vec3 anchor) {
  vec3 sum = vec3(0.0);
  for (uint link = begin; link < end; link += 2u)
    sum += uintBitsToFloat(links[link + 1u]) * (coarse_position(links[link]) - anchor);
  return sum;
}

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 anchor = coarse_position(sheet[vertex].anchor);
  vec3 guide = weighted(sheet[vertex].row, sheet[vertex].row_end, anchor);
  if (sheet[vertex].sewn > 0.0)
    guide += sheet[vertex].sewn * (weighted(sheet[vertex].row_end, sheet[vertex].base_end, anchor) - guide);
  cloth[vertex].guide = guide;
  if (!(solver.weight > 0.0)) return;
  vec3 last = sheet[vertex].last + moved;
  vec3 before = sheet[vertex].before + moved;
  vec3 target = (solver.last * last - solver.before_last * before) +
                solver.ahead * (solver.last * sheet[vertex].velocity - solver.before_last * sheet[vertex].velocity_before);
  vec3 way = target - last;
  // All that write, write the same.
  if (!(dot(way, way) <= farthest * farthest)) solver.jumped = 1u;
  cloth[vertex].target = target;
}
