#version 430 core
// Corners of all triangles, for the tessellation stages to choose from.
#include "common/mesh.glsl"

layout(std430, binding = 7) readonly buffer DrawList { uint draw_list[]; };  // triangle numbers

out vec3 corner_position;
out vec3 corner_normal;
out vec2 corner_texcoord;
flat out uint corner_triangle;

void main() {
  corner_triangle = draw_list[gl_VertexID / 3];
  Corner at = mesh_corner(corner_triangle, uint(gl_VertexID) % 3u);
  corner_position = at.position;
  corner_normal = at.normal;
  corner_texcoord = at.texcoord;
}
