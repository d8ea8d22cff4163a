#version 430 core
// How far the surface lies before the camera; into a map of depths alone nothing is written.
#include "common/bulge.glsl"
#include "common/frame.glsl"
#include "common/paint.glsl"

in vec3 surface_normal;
in vec2 surface_texcoord;
in vec3 barycentric;
flat in uint surface_triangle;
flat in vec3 surface_bulge;

out vec4 fragment;

void main() {
  float height = bulge_height(surface_bulge, barycentric);
  float before = dot(normalize(surface_normal), to_viewer.xyz);
  fragment = vec4(1.0 / gl_FragCoord.w - height * before, 0.0, 0.0, 1.0);
  if (alpha_mode != ALPHA_OPAQUE && is_left_out(paint(surface_triangle, surface_texcoord).a)) discard;
}
