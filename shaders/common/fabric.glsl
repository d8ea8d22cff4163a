// Cloth without a texture: the bumps of a plain weave, and the light that its fibres scatter where it is seen at a grazing angle.
#include "common/frame.glsl"

// Height of a bump [threads].
const float WEAVE_HEIGHT = 0.035;
const float SHEEN = 0.35;
const float TURN = 6.283185307179586;

// The normal with the bumps (Mikkelsen 2010, "Bump mapping unparametrized surfaces on the GPU"), none where a pixel holds more than
// half a thread; `right` and `up` are how the surface changes from pixel to pixel, and the others how coordinates in threads do.
vec3 woven(vec3 normal, vec2 threads, vec3 right, vec3 up, vec2 threads_right, vec2 threads_up) {
  vec2 across = abs(threads_right) + abs(threads_up);
  float share = 1.0 - smoothstep(0.2, 0.5, max(across.x, across.y));
  vec2 wave = sin(TURN * threads), level = cos(TURN * threads);
  vec2 rise = -share * WEAVE_HEIGHT * TURN * vec2(wave.x * level.y, level.x * wave.y);
  // Heights are in threads: how long one is follows from the same differences.
  float area = length(cross(right, up));
  float count = abs(threads_right.x * threads_up.y - threads_right.y * threads_up.x);
  float thread = count > 0.0 ? sqrt(area / count) : 0.0;
  vec3 first = cross(up, normal), second = cross(normal, right);
  float spread = dot(right, first);
  vec3 slope = sign(spread) * thread * (dot(rise, threads_right) * first + dot(rise, threads_up) * second);
  vec3 sum = abs(spread) * normal - slope;
  float size = length(sum);
  return size > 0.0 ? sum / size : normal;
}

// Colour of the sheen for the light that arrives.
vec3 sheen(vec3 albedo, vec3 normal, vec3 to_eye, vec3 light) {
  float edge = pow(1.0 - clamp(dot(normal, to_eye), 0.0, 1.0), 4.0);
  return SHEEN * edge * mix(vec3(dot(albedo, vec3(0.2126, 0.7152, 0.0722))), albedo, 0.5) * light;
}
