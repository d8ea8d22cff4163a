#version 430 core
// A vertex' loss becomes the mean of its neighbours' and its own, as Crush of the core has it. One invocation a vertex.
#include "waves/cloth.glsl"

layout(local_size_x = 64) in;

uniform int from_other;  // which of the two losses is averaged

vec4 loss_of(uint vertex) { return from_other != 0 ? cloth[vertex].other_loss : cloth[vertex].loss; }

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations || cloth[vertex].frame_tangent == vec3(0.0)) return;
  vec4 sum = loss_of(vertex);
  float weight = 1.0;
  for (uint i = 0u; i < cloth[vertex].neighbours; ++i) {
    Link link = links[cloth[vertex].first + i];
    if (link.turn == vec2(0.0) || cloth[link.neighbour].frame_tangent == vec3(0.0)) continue;
    vec4 loss = loss_of(link.neighbour);
    sum += vec4(loss.x, mat2(link.turn, -link.turn.y, link.turn.x) * loss.yz, loss.w);
    weight += 1.0;
  }
  if (from_other != 0)
    cloth[vertex].loss = sum / weight;
  else
    cloth[vertex].other_loss = sum / weight;
}
