#version 430 core
// Ends a frame: the next one goes on from where the cloth is. One invocation a vertex.
#include "drape/lifted.glsl"
#include "drape/frame.glsl"
#include "drape/height.glsl"

layout(local_size_x = 64) in;

uniform vec3 moved;    // from the middle of this frame to that of the one before
uniform float passed;  // seconds since that

// The mean of the means of the triangles of what raise has left.
vec3 mean_of_ring(uint vertex) {
  uint first = sheet[vertex].ring, end = sheet[vertex].ring_end;
  if (sheet[vertex].free == 0.0 || first == end) return vec3(0.0);
  vec3 sum = vec3(0.0);
  for (uint link = first; link < end; link += 2u)
    sum += cloth[vertex].next + cloth[links[link]].next + cloth[links[link + 1u]].next;
  return sum / (1.5 * float(end - first));
}

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 away = cloth[vertex].away;
  vec3 normal = cloth[vertex].normal;
  cloth[vertex].sum = gain == 1.0 ? away : lifted(vertex, away + (gain > 1.0 ? mean_of_ring(vertex) : higher(vertex)));

  vec3 place = coarse_position(sheet[vertex].anchor) + cloth[vertex].guide + away;
  vec3 last = solver.started != 0u ? place : sheet[vertex].last + moved;
  vec3 velocity = vec3(0.0);
  vec3 velocity_before = vec3(0.0);
  if (solver.started == 0u) {
    bool first = solver.jumped != 0u;
    vec3 before = sheet[vertex].before + moved;
    velocity = first ? (place - last) / passed
                     : (place - (solver.last * last - solver.before_last * before)) / solver.ahead;
    velocity_before = sheet[vertex].velocity;
  }
  sheet[vertex].last = place;
  sheet[vertex].before = last;
  sheet[vertex].velocity = velocity;
  sheet[vertex].velocity_before = velocity_before;
  sheet[vertex].local = transpose(frame_of(vertex, normal)) * away;
}
