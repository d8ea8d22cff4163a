// The mesh, pulled by vertex number: welded positions and normals, texture coordinates a corner.
#include "common/corners.glsl"

layout(std430, binding = 1) readonly buffer Normals { float normals[]; };     // (n, 3), unit
layout(std430, binding = 3) readonly buffer Texcoords { vec2 texcoords[]; };  // (3 m, 2), one a corner

struct Corner {
  vec3 position;
  vec3 normal;
  vec2 texcoord;
};

Corner mesh_corner(uint triangle, uint corner) {
  uint vertex = mesh_vertex(triangle, corner);
  uint base = 3u * vertex;
  return Corner(mesh_position(vertex), vec3(normals[base], normals[base + 1u], normals[base + 2u]),
                texcoords[3u * triangle + corner]);
}
