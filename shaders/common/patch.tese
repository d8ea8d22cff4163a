#version 430 core
// The displaced surface, for drawing.
#include "common/displace.glsl"
#include "common/frame.glsl"

out vec3 surface_position;
out vec3 shown_position;
out vec3 surface_normal;
out vec2 surface_texcoord;
out vec3 barycentric;
flat out uint surface_triangle;
flat out vec3 surface_bulge;

patch in vec3 patch_bulge;

void main() {
  SurfacePoint at = patch_point();
  surface_position = at.position;
  shown_position = displaced_position(at);
  surface_normal = at.normal;
  surface_texcoord = at.texcoord;
  barycentric = gl_TessCoord;
  surface_triangle = patch_triangle;
  surface_bulge = patch_bulge;
  gl_Position = clip_position(shown_position);
}
