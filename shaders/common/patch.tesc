#version 430 core
// Tessellation levels. Each edge decides by its own two ends alone, so that both its triangles agree and no crack opens.
#include "common/bulge.glsl"
#include "common/grid.glsl"
#include "common/patches.glsl"
#include "method/detail.glsl"

layout(vertices = 3) out;

uniform float target_edge;  // wanted length of an edge piece

in vec3 corner_position[];
in vec3 corner_normal[];
in vec2 corner_texcoord[];
flat in uint corner_triangle[];

out vec3 patch_position[];
out vec3 patch_normal[];
out vec2 patch_texcoord[];
patch out uint patch_triangle;
patch out vec3 patch_bulge;

// Level of edge (k, k + 1): pieces no longer than the target, at most MAX_LEVEL. A longer
// edge is tessellated more coarsely than asked; the host counts such edges.
float edge_level(uint k) {
  if ((patches[corner_triangle[0]] >> k & 1u) == 0u) return 1.0;
  if (gridded != 0) return float(grid_level(grid_head(corner_triangle[0]), k));
  precise vec3 edge = corner_position[(k + 1u) % 3u] - corner_position[k];
  precise float square = edge.x * edge.x + edge.y * edge.y + edge.z * edge.z;
  return clamp(ceil(sqrt(square) / target_edge), 1.0, float(MAX_LEVEL));
}

void main() {
  patch_position[gl_InvocationID] = corner_position[gl_InvocationID];
  patch_normal[gl_InvocationID] = corner_normal[gl_InvocationID];
  patch_texcoord[gl_InvocationID] = corner_texcoord[gl_InvocationID];
  if (gl_InvocationID != 0) return;
  patch_triangle = corner_triangle[0];
  if (patches[patch_triangle] == 0u) {
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 0.0;  // no patch: surface.vert draws it
    return;
  }
  patch_bulge = bulge_of(corner_position[0], corner_position[1], corner_position[2], corner_normal[0], corner_normal[1],
                         corner_normal[2]);
  vec3 levels = vec3(edge_level(0u), edge_level(1u), edge_level(2u));
  // Outer level k belongs to the edge opposite corner k.
  gl_TessLevelOuter[0] = levels[1];
  gl_TessLevelOuter[1] = levels[2];
  gl_TessLevelOuter[2] = levels[0];
  // Inside a neighbour of a triangle that detail reaches there is nothing to displace.
  gl_TessLevelInner[0] = detail_count(patch_triangle) > 0u ? max(levels[0], max(levels[1], levels[2])) : 1.0;
}
