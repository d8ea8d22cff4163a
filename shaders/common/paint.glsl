// Colour and alpha of a surface's material, and what of the surface its alpha leaves out.
#include "common/constants.glsl"
#include "common/lighting.glsl"

layout(std430, binding = 4) readonly buffer Colours { uint colours[]; };  // a triangle: RGBA of 8 bits, sRGB

uniform int alpha_mode;      // ALPHA_*; compiled in
uniform float alpha_cutoff;  // what is less opaque is left out by a mask; what is more, where the rest is blended
uniform bool textured;
uniform sampler2D base_texture;

// Linear colour and alpha.
vec4 paint(uint triangle, vec2 texcoord) {
  vec4 stored = unpackUnorm4x8(colours[triangle]);
  vec4 colour = vec4(linear_from_srgb(stored.rgb), stored.a);
  if (textured) colour *= texture(base_texture, texcoord);
  return colour;
}

bool is_left_out(float alpha) {
  if (alpha_mode == ALPHA_MASK) return alpha < alpha_cutoff;
  return alpha_mode == ALPHA_BLEND && (alpha >= alpha_cutoff || alpha <= 0.0);
}
