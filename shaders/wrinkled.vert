#version 430 core
// Corners of the patches: the triangles that wrinkles reach and their neighbours.
#include "mesh.glsl"

// Triangle number in the low 29 bits; bit 29 + k says that edge (k, k + 1) is to be tessellated.
layout(std430, binding = 11) readonly buffer Patches { uint patches[]; };

out vec3 corner_position;
out vec3 corner_normal;
out vec2 corner_texcoord;
flat out uint corner_patch;

void main() {
  corner_patch = patches[gl_VertexID / 3];
  Corner at = mesh_corner(corner_patch & 0x1fffffffu, uint(gl_VertexID) % 3u);
  corner_position = at.position;
  corner_normal = at.normal;
  corner_texcoord = at.texcoord;
}
