#version 430 core
// Triangles as they are: the body, and what of a garment no detail reaches.
#include "common/bulge.glsl"
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
flat out vec3 surface_bulge;

void main() {
  uint corner = uint(gl_VertexID) % 3u;
  surface_triangle = draw_list[gl_VertexID / 3];
  Corner at = mesh_corner(surface_triangle, corner);
  surface_position = at.position;
  shown_position = at.position;
  surface_normal = at.normal;
  surface_texcoord = at.texcoord;
  Corner next = mesh_corner(surface_triangle, (corner + 1u) % 3u);
  Corner last = mesh_corner(surface_triangle, (corner + 2u) % 3u);
  // The corners in their order, whichever is drawn.
  vec3 bulge = bulge_of(at.position, next.position, last.position, at.normal, next.normal, last.normal);
  surface_bulge = corner == 0u ? bulge : corner == 1u ? bulge.zxy : bulge.yzx;
  barycentric = vec3(0.0);
  barycentric[corner] = 1.0;
  gl_Position = clip_position(at.position);
  if (without_patches && patches[surface_triangle] != 0u) gl_Position = OUTSIDE;
}
