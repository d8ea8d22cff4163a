#version 430 core
// Ends a frame: the next one goes on from where the cloth is. One invocation a vertex.
#include "drape/lifted.glsl"
#include "drape/frame.glsl"

layout(local_size_x = 64) in;

uniform vec3 moved;    // from the middle of this frame to that of the one before
uniform float passed;  // seconds since that
uniform float gain;    // of heights over the guide

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 away = cloth[vertex].away;
  vec3 normal = cloth[vertex].normal;
  cloth[vertex].sum = gain == 1.0 ? away : lifted(vertex, away + (gain - 1.0) * dot(away, normal) * normal);

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
