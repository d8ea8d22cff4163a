// What keeps light away: the shadow of the key light, and what is near.
#include "common/frame.glsl"

layout(binding = 1) uniform sampler2DShadow shadow_map;
layout(binding = 4) uniform sampler2D occlusion_map;  // visible share of the sky, and the distance before the camera

// Half the side of what is averaged, in texels of the shadow map.
const float SHADOW_REACH = 2.0;
// Distances that differ by more than this share of the radius are of different surfaces.
const float SAME_SURFACE = 0.25;

// Share of the key light that reaches a point of a surface with this unit normal: a tent over 3 x 3 texels, by 2 x 2 samples that are
// each filtered linearly (Castaño 2013, "Shadow mapping summary"). The point is moved
// off the surface as far as a plane of any inclination needs to stay out of its own shadow.
float key_visibility(vec3 point, vec3 normal) {
  float along = dot(normal, key_direction.xyz);
  vec3 from = point + SHADOW_REACH * screen.w * sqrt(max(1.0 - along * along, 0.0)) * normal + screen.w * key_direction.xyz;
  vec3 at = 0.5 * (shadow_matrix * vec4(from, 1.0)).xyz + 0.5;
  vec2 size = vec2(textureSize(shadow_map, 0));
  vec2 texel = at.xy * size;
  vec2 base = floor(texel + 0.5);
  vec2 share = texel + 0.5 - base;
  vec2 first = 3.0 - 2.0 * share, second = 1.0 + 2.0 * share;
  vec2 before = (base - 1.5 + (2.0 - share) / first) / size, behind = (base + 0.5 + share / second) / size;
  vec4 seen = vec4(textureLod(shadow_map, vec3(before, at.z), 0.0), textureLod(shadow_map, vec3(behind.x, before.y, at.z), 0.0),
                   textureLod(shadow_map, vec3(before.x, behind.y, at.z), 0.0), textureLod(shadow_map, vec3(behind, at.z), 0.0));
  vec4 weights = vec4(first.x, second.x, first.x, second.x) * vec4(first.yy, second.yy);
  return dot(weights, seen) / 16.0;
}

// Visible share of the sky at this pixel of a surface so far before the camera, from a map that is smaller than the picture.
float sky_visibility(float distance) {
  ivec2 last = textureSize(occlusion_map, 0) - 1;
  // Both cover the same view.
  vec2 at = gl_FragCoord.xy / viewport.xy * vec2(last + 1) - 0.5;
  ivec2 base = ivec2(floor(at));
  vec2 share = at - vec2(base);
  float sum = 0.0, whole = 0.0;
  for (int k = 0; k < 4; ++k) {
    ivec2 corner = ivec2(k & 1, k >> 1);
    vec2 near = texelFetch(occlusion_map, clamp(base + corner, ivec2(0), last), 0).xy;
    vec2 weights = mix(1.0 - share, share, vec2(corner)) + 1e-3;
    float weight = weights.x * weights.y * (max(0.0, 1.0 - abs(near.y - distance) / (SAME_SURFACE * screen.z)) + 1e-5);
    sum += weight * near.x;
    whole += weight;
  }
  return sum / whole;
}
