#version 430 core
// Triangles as they are: the body, and what of a garment no detail reaches.
#include "common/frame.glsl"
#include "common/mesh.glsl"
#include "common/patches.glsl"

uniform bool without_patches;  // triangles that are tessellated are left out

layout(std430, binding = 7) readonly buffer DrawList { uint draw_list[]; };  // triangle numbers

out vec3 surface_position;
out vec3 shown_position;
out vec3 surface_normal;
out vec2 surface_texcoord;
out vec3 barycentric;
flat out uint surface_triangle;

void main() {
  uint corner = uint(gl_VertexID) % 3u;
  surface_triangle = draw_list[gl_VertexID / 3];
  Corner at = mesh_corner(surface_triangle, corner);
  surface_position = at.position;
  shown_position = at.position;
  surface_normal = at.normal;
  surface_texcoord = at.texcoord;
  barycentric = vec3(0.0);
  barycentric[corner] = 1.0;
  gl_Position = clip_position(at.position);
  if (without_patches && patches[surface_triangle] != 0u) gl_Position = OUTSIDE;
}
