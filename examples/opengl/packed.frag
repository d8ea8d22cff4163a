#version 430 core
// Phong with a key light, a fill light and a sky, as pucker's own pictures have it, but without a highlight.

in vec3 base;
in vec3 base_normal;
flat in uint triangle;

uniform vec3 towards_key, towards_fill;  // unit
uniform vec3 key, fill, sky, ground, cloth;  // linear colours

out vec4 fragment;

void main() {
  vec3 normal = normalize(base_normal), gradient;
  fold(base, triangle, gradient);
  normal = normalize(normal - (gradient - dot(gradient, normal) * normal));
  if (!gl_FrontFacing) normal = -normal;
  vec3 light = mix(ground, sky, 0.5 + 0.5 * normal.y) + key * max(dot(normal, towards_key), 0.0) +
               fill * max(dot(normal, towards_fill), 0.0);
  vec3 c = clamp(cloth * light, 0.0, 1.0);
  fragment = vec4(mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308))), 1.0);
}
