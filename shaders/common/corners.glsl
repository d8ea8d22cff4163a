// Where the corners of a triangle are.
layout(std430, binding = 0) readonly buffer Positions { float positions[]; };  // (n, 3)
layout(std430, binding = 2) readonly buffer Faces { uint faces[]; };           // (m, 3)

uint mesh_vertex(uint triangle, uint corner) { return faces[3u * triangle + corner]; }

vec3 mesh_position(uint vertex) {
  return vec3(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u]);
}
