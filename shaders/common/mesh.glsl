// The mesh, pulled by vertex number: welded positions and normals, texture coordinates a corner.
layout(std430, binding = 0) readonly buffer Positions { float positions[]; };  // (n, 3)
layout(std430, binding = 1) readonly buffer Normals { float normals[]; };      // (n, 3), unit
layout(std430, binding = 2) readonly buffer Faces { uint faces[]; };           // (m, 3)
layout(std430, binding = 3) readonly buffer Texcoords { vec2 texcoords[]; };   // (3 m, 2), one a corner

struct Corner {
  vec3 position;
  vec3 normal;
  vec2 texcoord;
};

Corner mesh_corner(uint triangle, uint corner) {
  uint slot = 3u * triangle + corner;
  uint base = 3u * faces[slot];
  return Corner(vec3(positions[base], positions[base + 1u], positions[base + 2u]),
                vec3(normals[base], normals[base + 1u], normals[base + 2u]), texcoords[slot]);
}
