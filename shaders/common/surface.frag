#version 430 core
// Cloth and body: two-sided Phong with the normals of the detail, interpolated on its grid or evaluated for each pixel.
#include "common/constants.glsl"
#include "common/grid.glsl"
#include "method/detail.glsl"
#include "common/bulge.glsl"
#include "common/fabric.glsl"
#include "common/lighting.glsl"
#include "common/paint.glsl"
#include "common/visible.glsl"

in vec3 surface_position;  // undisplaced: where detail is evaluated
in vec3 shown_position;
in vec3 surface_normal;
in vec2 surface_texcoord;
in vec3 barycentric;
flat in uint surface_triangle;
flat in vec3 surface_bulge;

layout(std430, binding = 5) readonly buffer Tints { uint tints[]; };  // of triangles, laid over their colours; alpha is the share

layout(std430, binding = 1) readonly buffer Normals { float normals[]; };  // of vertices, then of corners (3 m, 3)

uniform int mode;         // MODE_* bits; compiled in
uniform int output_kind;  // OUTPUT_*; compiled in
uniform int first_corner_normal;  // row of the normals; 0 if there are none of corners

out vec4 fragment;

// By how much a texture is seen shifted on a surface that stands out, without being moved there (Loviscach 2006, section
// 6.2): the shift along the surface, brought to texture coordinates by how both change from pixel to pixel.
vec2 parallax(vec3 normal) {
  vec3 right = dFdx(surface_position), up = dFdy(surface_position);
  vec2 u_right = dFdx(surface_texcoord), u_up = dFdy(surface_texcoord);
  if ((mode & MODE_PARALLAX) == 0) return vec2(0.0);
  vec3 moved = gridded != 0 ? grid_displacement(surface_triangle, barycentric)
                            : detail_displacement(surface_triangle, barycentric, surface_position, normal);
  float height = dot(moved, normal);
  vec3 view = eye.xyz - surface_position;
  float ahead = dot(view, normal);
  vec3 shift = height * ahead / (ahead * ahead + 0.1 * dot(view, view)) * (view - ahead * normal);
  float area = dot(normal, cross(up, right));
  if (area == 0.0) return vec2(0.0);
  return (u_right * dot(cross(normal, up), shift) + u_up * dot(cross(right, normal), shift)) / area;
}

vec4 albedo(vec3 normal) {
  vec4 painted = paint(surface_triangle, surface_texcoord + parallax(normal));
  vec4 tint = unpackUnorm4x8(tints[surface_triangle]);
  vec3 colour = mix(painted.rgb, linear_from_srgb(tint.rgb), tint.a);
  return vec4(mix(reached_colour.rgb, colour, pow(reached_colour.w, float(detail_count(surface_triangle)))), painted.a);
}

float wire_share() {
  if (wire_colour.w <= 0.0) return 0.0;
  vec3 pixels = barycentric / max(fwidth(barycentric), vec3(1e-12));
  float nearest = min(pixels.x, min(pixels.y, pixels.z));
  return 1.0 - smoothstep(0.5 * wire_colour.w - 0.5, 0.5 * wire_colour.w + 0.5, nearest);
}

// The normal to shade by where the surface is as it is, for the unit one that is the same over seams.
vec3 shading_normal(vec3 smooth_normal) {
  vec3 sum = vec3(0.0);
  for (int k = 0; k < 3; ++k) {
    int base = 3 * (first_corner_normal + 3 * int(surface_triangle) + k);
    sum += barycentric[k] * vec3(normals[base], normals[base + 1], normals[base + 2]);
  }
  float size = length(sum);
  return size > 1e-6 ? sum / size : smooth_normal;
}

// `direction` turned by the least rotation that takes one unit vector to another.
vec3 turned(vec3 direction, vec3 from, vec3 to) {
  float share = 1.0 + dot(from, to);
  if (share < 1e-4) return to;
  vec3 axis = cross(from, to);
  vec3 first = cross(axis, direction);
  return normalize(direction + first + cross(axis, first) / share);
}

// Colour of a lit point, whose normal faces the viewer, by all that the style asks for.
vec3 lit(vec3 albedo, vec3 smooth_normal, vec3 normal) {
  vec3 right = dFdx(shown_position), up = dFdy(shown_position);
  vec2 threads_right = dFdx(surface_texcoord), threads_up = dFdy(surface_texcoord);
  if (effects == 0) return shade(albedo, normal, shown_position);
  float height = bulge_height(surface_bulge, barycentric);
  // The side that is seen of cloth that has two.
  float side = gl_FrontFacing ? 1.0 : -1.0;
  // On the tangent planes of the corners, which are in no part of the surface's own shadow.
  vec3 point = shown_position + side * max(2.0 * side * height, 0.0) * smooth_normal;
  float key_share = 1.0, other_share = 1.0;
  if ((effects & EFFECT_OCCLUDED) != 0) other_share = sky_visibility(1.0 / gl_FragCoord.w - height * dot(smooth_normal, to_viewer.xyz));
  if ((effects & EFFECT_SHADOWED) != 0 && dot(normal, key_direction.xyz) > 0.0)
    key_share = key_visibility(point, (mode & MODE_DISPLACEMENT) != 0 ? normal : side * smooth_normal);
  if ((effects & EFFECT_FABRIC) == 0)
    return rolled_off(shade_partly(albedo, normal, shown_position, key_share, other_share));
  vec3 bumpy = woven(normal, surface_texcoord, right, up, threads_right, threads_up);
  vec3 key = key_share * key_light(bumpy);
  vec3 light = key + other_share * (diffuse_light(bumpy) - key_light(bumpy));
  vec3 to_eye = normalize(eye.xyz - shown_position);
  return rolled_off(albedo * light + sheen(albedo, normal, to_eye, light) +
                    0.5 * key_share * specular_light(bumpy, to_eye));
}

void main() {
  // Derivatives are taken before any branch that differs between neighbouring pixels.
  float wire = wire_share();
  vec3 smooth_normal = normalize(surface_normal);
  vec4 base = albedo(smooth_normal);
  vec3 normal = smooth_normal;
  if ((mode & (MODE_NORMALS | MODE_PARALLAX)) != 0) {
    normal = gridded != 0 ? grid_normal(surface_triangle, barycentric, normal)
                          : detail_normal(surface_triangle, barycentric, surface_position, normal);
  }
  if (first_corner_normal > 0) normal = turned(normal, smooth_normal, shading_normal(smooth_normal));
  if (output_kind == OUTPUT_NORMAL) {
    fragment = vec4(normal, 1.0);
  } else if (output_kind == OUTPUT_POSITION) {
    fragment = vec4(shown_position, 1.0);
  } else {
    vec3 facing = gl_FrontFacing ? normal : -normal;
    vec3 colour = mix(lit(base.rgb, smooth_normal, facing), wire_colour.rgb, wire);
    fragment = vec4(srgb_from_linear(colour), alpha_mode == ALPHA_BLEND ? base.a : 1.0);
  }
  if (is_left_out(base.a)) discard;
}
