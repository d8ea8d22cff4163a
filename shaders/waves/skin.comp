#version 430 core
// Puts the vertices where their joints take them, four at most (Loviscach 2006, section 4.1). One invocation a vertex.
#include "waves/cloth.glsl"
#include "waves/motion.glsl"

layout(local_size_x = 64) in;

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec4 rest = vec4(cloth[vertex].rest, 1.0);
  vec3 position = vec3(0.0);
  for (uint k = 0u; k < 4u; ++k) {
    uint row = motion_first + 12u * cloth[vertex].joints[k];
    for (uint axis = 0u; axis < 3u; ++axis, row += 4u)
      position[axis] += cloth[vertex].weights[k] *
                        dot(vec4(motion[row], motion[row + 1u], motion[row + 2u], motion[row + 3u]), rest);
  }
  put_vertex(vertex, position);
}
