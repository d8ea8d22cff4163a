#version 430 core
// The smooth surface of the feature mesh (Loop 1987). One invocation a fine vertex.
#include "byexample/fine.glsl"
#include "byexample/places.glsl"

layout(local_size_x = 64) in;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  FineVertex at = fine[vertex];
  vec3 anchor = feature_position(at.anchor);
  vec3 sum = vec3(0.0);
  for (uint link = at.row; link < at.row_end; link += 2u)
    sum += uintBitsToFloat(links[link + 1u]) * (feature_position(links[link]) - anchor);
  places[vertex].smooth_offset = sum;
  places[vertex].anchor = at.anchor;
}
