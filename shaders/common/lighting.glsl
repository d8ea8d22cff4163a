// Phong shading with a key light, a fill light and a sky, all in linear colour.
#include "common/frame.glsl"

vec3 key_light(vec3 normal) { return key_colour.rgb * max(dot(normal, key_direction.xyz), 0.0); }

vec3 diffuse_light(vec3 normal) {
  float upness = 0.5 + 0.5 * normal.y;
  return mix(ground_colour.rgb, sky_colour.rgb, upness) + key_light(normal) +
         fill_colour.rgb * max(dot(normal, fill_direction.xyz), 0.0);
}

// Where the surface turns away from the light the highlight fades; cut off it would show the mesh's triangles.
vec3 specular_light(vec3 normal, vec3 to_eye) {
  float lit = clamp(4.0 * dot(normal, key_direction.xyz), 0.0, 1.0);
  float shine = max(dot(reflect(-key_direction.xyz, normal), to_eye), 0.0);
  return lit * key_direction.w * pow(shine, key_colour.w) * key_colour.rgb;
}

vec3 shade(vec3 albedo, vec3 normal, vec3 position) {
  vec3 to_eye = normalize(eye.xyz - position);
  return albedo * diffuse_light(normal) + specular_light(normal, to_eye);
}

// The same where only a share of the key light arrives, and of all other light.
vec3 shade_partly(vec3 albedo, vec3 normal, vec3 position, float key_share, float other_share) {
  vec3 to_eye = normalize(eye.xyz - position);
  vec3 key = key_light(normal);
  vec3 other = diffuse_light(normal) - key;
  return albedo * (key_share * key + other_share * other) + key_share * specular_light(normal, to_eye);
}

// A linear colour as it is up to ROLL_OFF, and from there on ever nearer to 1, in its own hue: what is lit too brightly keeps its shape.
const float ROLL_OFF = 0.6;
vec3 rolled_off(vec3 colour) {
  float highest = max(colour.r, max(colour.g, colour.b));
  float beyond = (highest - ROLL_OFF) / (1.0 - ROLL_OFF);
  return beyond > 0.0 ? (1.0 - (1.0 - ROLL_OFF) * exp(-beyond)) / highest * colour : colour;
}

// IEC 61966-2-1.
vec3 srgb_from_linear(vec3 colour) {
  vec3 c = clamp(colour, 0.0, 1.0);
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

vec3 linear_from_srgb(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}
