#version 430 core
// How much of the sky each point sees, from the distances before the camera alone: the horizon on both sides in a few planes through
// the line of sight, and the cosine-weighted share above it in closed form (Jimenez et al. 2016, "Practical realtime strategies for
// accurate indirect occlusion"). The planes turn from pixel to pixel, over blocks of 4 x 4.
#include "common/frame.glsl"

layout(binding = 2) uniform sampler2D depth_map;

out vec4 fragment;

const float PI = 3.141592653589793;
const float PLANES = 2.0;
const float STEPS = 3.0;  // along each side of a plane
// Share of the radius beyond which occluders begin to count less.
const float FULL = 0.75;

float distance_at(ivec2 pixel) { return texelFetch(depth_map, clamp(pixel, ivec2(0), textureSize(depth_map, 0) - 1), 0).x; }

// Of the camera's axes: right, up and to the viewer.
vec3 place_at(vec2 pixel, float distance) {
  return distance * vec3((2.0 * pixel / vec2(textureSize(depth_map, 0)) - 1.0) * screen.xy, -1.0);
}

// The way to the neighbour on that side which lies nearer in depth, so that it is on the same surface.
vec3 slope(ivec2 pixel, vec3 here, ivec2 aside) {
  float before = distance_at(pixel - aside), behind = distance_at(pixel + aside);
  vec3 first = here - place_at(vec2(pixel - aside) + 0.5, before);
  vec3 second = place_at(vec2(pixel + aside) + 0.5, behind) - here;
  bool take_first = behind == 0.0 || (before != 0.0 && abs(first.z) < abs(second.z));
  return take_first ? first : second;
}

// Cosine-weighted share of the half plane up to the horizon, twice over; both angles from the direction to the viewer.
float arc(float horizon, float normal, float cosine) {
  return 0.25 * (cosine + 2.0 * horizon * sin(normal) - cos(2.0 * horizon - normal));
}

float visibility(ivec2 pixel, float distance) {
  vec3 here = place_at(vec2(pixel) + 0.5, distance);
  vec3 normal = normalize(cross(slope(pixel, here, ivec2(1, 0)), slope(pixel, here, ivec2(0, 1))));
  vec3 view = normalize(-here);
  float height = float(textureSize(depth_map, 0).y);
  float radius = 0.5 * height * screen.z / (distance * screen.y);  // [pixels]
  float turn = float((((pixel.x + pixel.y) & 3) << 2) + (pixel.x & 3)) / 16.0;
  float shift = float((pixel.y - pixel.x) & 3) / 4.0;
  float sum = 0.0;
  // Where there is no surface there is no plane: a software rasteriser leaves loops early, but takes both ways at a branch.
  float planes = distance > 0.0 ? PLANES : 0.0;
  for (float plane = 0.0; plane < planes; ++plane) {
    float angle = PI * (plane + turn) / PLANES;
    vec3 along = vec3(cos(angle), sin(angle), 0.0);
    vec3 axis = normalize(cross(along, view));
    vec3 within = normal - axis * dot(normal, axis);
    float size = max(length(within), 1e-5);
    float cosine = clamp(dot(within, view) / size, 0.0, 1.0);
    float lean = sign(dot(along - view * dot(along, view), within)) * acos(cosine);
    float horizons[2];
    for (int side = 0; side < 2; ++side) {
      float away = side == 0 ? -1.0 : 1.0;
      float lowest = cos(lean + away * 0.5 * PI);
      float highest = lowest;
      for (float k = 0.0; k < STEPS; ++k) {
        // Closer together near the point, where more is seen of the same thing.
        float share = (k + shift + 0.1) / STEPS;
        ivec2 there = pixel + ivec2(round(away * along.xy * max(share * share * radius, k + 1.0)));
        float depth = distance_at(there);
        vec3 way = place_at(vec2(there) + 0.5, depth) - here;
        float far = length(way);
        float weight = depth == 0.0 || far == 0.0 ? 0.0 : clamp((1.0 - far / screen.z) / (1.0 - FULL), 0.0, 1.0);
        highest = max(highest, mix(lowest, dot(way, view) / max(far, 1e-20), weight));
      }
      horizons[side] = away * acos(clamp(highest, -1.0, 1.0));
    }
    sum += size * (arc(horizons[0], lean, cosine) + arc(horizons[1], lean, cosine));
  }
  return clamp(sum / PLANES, 0.0, 1.0);
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  float distance = distance_at(pixel);
  fragment = vec4(distance > 0.0 ? visibility(pixel, distance) : 1.0, distance, 0.0, 1.0);
}
