// The wave field over a mesh: the plane waves of a triangle's corners, blended (Loviscach 2006, section 5.1).
#include "common/corners.glsl"
#include "waves/waves.glsl"

layout(std430, binding = 10) readonly buffer Pleat { vec2 pleat_table[]; };  // cross-section f and f' at multiples of 2π/32

uniform int gradient;  // 0, or GRADIENT_FULL; compiled in
const int GRADIENT_FULL = 1;

const int PLEAT_SIZE = 32;
const float PLEAT_SPACING = 6.283185307179586 / float(PLEAT_SIZE);

// f and f' at a phase, linear between the entries of the table.
vec2 pleat_at(float phase) {
  precise float at = phase / PLEAT_SPACING;
  precise float share = at - floor(at);
  int below = int(floor(at));
  vec2 low = pleat_table[below & (PLEAT_SIZE - 1)];
  vec2 high = pleat_table[(below + 1) & (PLEAT_SIZE - 1)];
  precise vec2 value = (1.0 - share) * low + share * high;
  return value;
}

// On an edge one coordinate is exactly zero and each sum is that of two products: the two triangles of an edge agree to the bit.
vec3 place_of(uint triangle, vec3 barycentric) {
  precise vec3 place = barycentric.x * waves[mesh_vertex(triangle, 0u)].place +
                       barycentric.y * waves[mesh_vertex(triangle, 1u)].place +
                       barycentric.z * waves[mesh_vertex(triangle, 2u)].place;
  return place;
}

// Height of one vertex's wave at a place, and its slope by the phase.
vec2 vertex_wave(Wave wave, vec3 place) {
  precise vec3 off = place - wave.place;
  precise float phase = wave.vector.x * off.x + wave.vector.y * off.y + wave.vector.z * off.z + wave.phase;
  precise vec2 value = wave.amplitude * pleat_at(phase);
  return value;
}

vec3 detail_displacement(uint triangle, vec3 barycentric, vec3 point, vec3 normal) {
  vec3 place = place_of(triangle, barycentric);
  float heights[3];
  for (uint k = 0u; k < 3u; ++k) heights[k] = vertex_wave(waves[mesh_vertex(triangle, k)], place).x;
  precise float height = barycentric.x * heights[0] + barycentric.y * heights[1] + barycentric.z * heights[2];
  precise vec3 displacement = height * normal;
  return displacement;
}

// The gradient of the triangle's own field, with the change of the weights.
vec3 full_gradient(uint triangle, vec3 barycentric, vec3 place) {
  vec3 corners[3];
  for (uint k = 0u; k < 3u; ++k) corners[k] = mesh_position(mesh_vertex(triangle, k));
  vec3 face = cross(corners[1] - corners[0], corners[2] - corners[0]);
  vec3 edges = vec3(0.0);
  for (uint k = 0u; k < 3u; ++k) {
    Wave wave = waves[mesh_vertex(triangle, k)];
    vec2 at = vertex_wave(wave, place);
    edges += at.x * (corners[(k + 2u) % 3u] - corners[(k + 1u) % 3u]);
    for (uint j = 0u; j < 3u; ++j)
      edges += barycentric[k] * at.y * dot(wave.vector, waves[mesh_vertex(triangle, j)].place - wave.place) *
               (corners[(j + 2u) % 3u] - corners[(j + 1u) % 3u]);
  }
  // n x the edge opposite to a corner, over n^2, is the gradient of the corner's weight. A triangle without area has no pixels.
  return cross(face, edges) / dot(face, face);
}

// That of each wave where it lies in the frame, which is continuous over edges.
vec3 printed_gradient(uint triangle, vec3 barycentric, vec3 place) {
  vec3 sum = vec3(0.0);
  for (uint k = 0u; k < 3u; ++k) {
    Wave wave = waves[mesh_vertex(triangle, k)];
    sum += barycentric[k] * vertex_wave(wave, place).y * wave.wave_vector;
  }
  return sum;
}

// Unit normal of the field: n' less the gradient (equation 7).
vec3 detail_normal(uint triangle, vec3 barycentric, vec3 point, vec3 normal) {
  vec3 place = place_of(triangle, barycentric);
  vec3 slope = gradient == GRADIENT_FULL ? full_gradient(triangle, barycentric, place)
                                         : printed_gradient(triangle, barycentric, place);
  return normalize(normal - slope);
}

uint detail_count(uint triangle) {
  for (uint k = 0u; k < 3u; ++k)
    if (waves[mesh_vertex(triangle, k)].amplitude > 0.0) return 1u;
  return 0u;
}
