// Tessellation evaluation shared by drawing and capturing: one point of a patch before and after displacement.
#include "common/grid.glsl"
#include "method/detail.glsl"

layout(triangles, equal_spacing, ccw) in;

in vec3 patch_position[];
in vec3 patch_normal[];
in vec2 patch_texcoord[];
patch in uint patch_triangle;

struct SurfacePoint {
  vec3 position;  // undisplaced
  vec3 normal;    // unit, interpolated from the vertices
  vec2 texcoord;
  vec3 displacement;
};

// On an edge one coordinate is exactly zero and the sum is that of two products, whichever corners they belong to: the two
// triangles of an edge place its points at the same bits. `precise` forbids fused operations, which would break that.
vec3 interpolate_precisely(vec3 a, vec3 b, vec3 c) {
  precise vec3 sum = a * gl_TessCoord.x + b * gl_TessCoord.y + c * gl_TessCoord.z;
  return sum;
}

SurfacePoint patch_point() {
  SurfacePoint at;
  at.position = interpolate_precisely(patch_position[0], patch_position[1], patch_position[2]);
  at.normal = normalize(interpolate_precisely(patch_normal[0], patch_normal[1], patch_normal[2]));
  at.texcoord = patch_texcoord[0] * gl_TessCoord.x + patch_texcoord[1] * gl_TessCoord.y +
                patch_texcoord[2] * gl_TessCoord.z;
  at.displacement = gridded != 0 ? grid_vertex_displacement(patch_triangle, gl_TessCoord)
                                 : detail_displacement(patch_triangle, gl_TessCoord, at.position, at.normal);
  return at;
}

vec3 displaced_position(SurfacePoint at) {
  precise vec3 moved = at.position + at.displacement;
  return moved;
}
