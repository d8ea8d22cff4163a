#version 430 core
// The mean of occlusion over the 4 x 4 pixels whose planes differ, of those on the same surface.
#include "common/visible.glsl"

layout(binding = 3) uniform sampler2D raw_map;

out vec4 fragment;

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy), last = textureSize(raw_map, 0) - 1;
  float distance = texelFetch(raw_map, pixel, 0).y;
  float sum = 0.0, whole = 0.0;
  int rows = distance > 0.0 ? 2 : -2;  // see occlusion.frag
  for (int row = -2; row < rows; ++row)
    for (int column = -2; column < 2; ++column) {
      vec2 near = texelFetch(raw_map, clamp(pixel + ivec2(column, row), ivec2(0), last), 0).xy;
      float weight = max(0.0, 1.0 - abs(near.y - distance) / (SAME_SURFACE * screen.z));
      sum += weight * near.x;
      whole += weight;
    }
  fragment = vec4(whole > 0.0 ? sum / whole : 1.0, distance, 0.0, 1.0);
}
