#version 430 core
// Where and how strongly cloth is compressed (Loviscach 2006, section 4.2), as Crush of the core has it. One invocation a vertex.
#define WAVES_WRITABLE
#include "waves/cloth.glsl"
#include "waves/waves.glsl"

layout(local_size_x = 64) in;

uniform float turn;         // largest of the highest waves, in radians, for this frame
uniform float growth;       // largest, as a share of the greatest height, for this frame
uniform float threshold;    // compression from which cloth waves
uniform float min_stretch;  // below which cloth counts as so stretched
uniform int on_cloth;       // whether phases are measured along the rest pose
uniform float bend;         // largest height, as a share of the least radius of curvature
uniform int rounds;         // in which the loss was averaged

const float TURN = 6.283185307179586;
// Of 1 - r^2 of cloth that is as it was, but for what comes out of positions that are rounded.
const float ROUNDING = 1e-6;
// Radians from the first edge to the side on which the first direction lies.
const float FIRST_SIGN = 1.0;

float cross_of(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }
vec2 quarter_turn(vec2 v) { return vec2(-v.y, v.x); }
float sign_of(float x) { return x < 0.0 ? -1.0 : 1.0; }

struct Stretches {
  float largest;
  float smallest;
  vec2 along_largest;
};

// Twice the angle of the largest one's direction is that of the deviator of MᵀM.
Stretches stretches_of(mat2 m) {
  float x = dot(m[0], m[0]), y = dot(m[1], m[1]);
  vec2 deviator = vec2(x - y, 2.0 * dot(m[0], m[1]));
  float size = length(deviator);
  Stretches s;
  s.largest = sqrt(0.5 * (x + y + size));
  s.smallest = s.largest > 0.0 ? abs(determinant(m)) / s.largest : 0.0;
  if (!(size > 0.0)) {
    s.along_largest = vec2(1.0, 0.0);
  } else if (deviator.x >= 0.0) {
    float cosine = sqrt(0.5 * (1.0 + deviator.x / size));
    s.along_largest = vec2(cosine, 0.5 * deviator.y / (size * cosine));
  } else {
    float sine = sign_of(deviator.y) * sqrt(0.5 * (1.0 - deviator.x / size));
    s.along_largest = vec2(0.5 * deviator.y / (size * sine), sine);
  }
  return s;
}

// (M⁻¹)ᵀ k, singular values below the least one counting as that.
vec2 carried(mat2 m, vec2 k) {
  Stretches s = stretches_of(m);
  vec2 image = s.largest > 0.0 ? m * s.along_largest / s.largest : vec2(1.0, 0.0);
  vec2 other = sign_of(determinant(m)) * quarter_turn(image);
  return dot(s.along_largest, k) / max(s.largest, min_stretch) * image +
         dot(quarter_turn(s.along_largest), k) / max(s.smallest, min_stretch) * other;
}

// The symmetric matrix whose square is MᵀM = E - loss.
mat2 stretch_of(vec3 loss) {
  float x = 1.0 - loss.x - loss.y, y = 1.0 - loss.x + loss.y;
  float root = sqrt(max(x * y - loss.z * loss.z, 0.0));
  float scale = sqrt(max(x + y + 2.0 * root, 0.0));
  return scale > 0.0 ? mat2(x + root, -loss.z, -loss.z, y + root) / scale : mat2(0.0);
}

// The direction ±k, or the one on the way to it that is `most` from the last one.
vec2 turned(vec2 last, vec2 k, float most) {
  if (last == vec2(0.0)) return dot(k, vec2(cos(FIRST_SIGN), sin(FIRST_SIGN))) < 0.0 ? -k : k;
  vec2 nearer = dot(last, k) < 0.0 ? -k : k;
  float sine = cross_of(last, nearer);
  if (!(abs(atan(sine, dot(last, nearer))) > most)) return nearer;
  return normalize(cos(most) * last + sign_of(sine) * sin(most) * quarter_turn(last));
}

// The height from which edges of the vertex point the other way when both of their ends are moved along their normals by
// it; 1e38 on flat cloth.
float least_radius(uint vertex) {
  float radius = 1e38;
  for (uint i = 0u; i < cloth[vertex].neighbours; ++i) {
    uint neighbour = links[cloth[vertex].first + i].neighbour;
    vec3 edge = cloth[neighbour].position - cloth[vertex].position;
    float turn = abs(dot(edge, waves[neighbour].normal - waves[vertex].normal));
    if (turn > 0.0) radius = min(radius, dot(edge, edge) / turn);
  }
  return radius;
}

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  ClothVertex at = cloth[vertex];
  float before = waves[vertex].amplitude;
  waves[vertex].amplitude = 0.0;
  waves[vertex].wave_vector = vec3(0.0);
  if (on_cloth == 0) {
    waves[vertex].place = at.position;
    waves[vertex].vector = vec3(0.0);
  }
  vec3 tangent = at.frame_tangent;
  if (tangent == vec3(0.0)) return;
  vec3 bitangent = cross(waves[vertex].normal, tangent);

  mat2 map = mat2(at.map.xy, at.map.zw);
  vec4 loss = rounds % 2 == 1 ? at.other_loss : at.loss;
  mat2 m = rounds > 0 ? stretch_of(loss.xyz) : map;
  Stretches biased = stretches_of(m - outerProduct(m * at.paint, at.paint));
  float highest = 0.25 * at.wavelength * at.share;
  float most = before > 0.0 ? turn * highest / before : TURN;
  vec2 k = turned(at.direction, quarter_turn(biased.along_largest), most);
  vec2 wave_vector = carried(map, k);

  float r = biased.smallest;
  float aside = dot(biased.along_largest, k);
  float lost = (1.0 - r) * (1.0 + r) - (biased.largest - r) * (biased.largest + r) * aside * aside;
  float rounding = ROUNDING + loss.w;
  // Of what the cloth itself has lost, the share below the threshold; painted wrinkles have none.
  vec2 plain = m * k;
  float own = at.paint == vec2(0.0) ? lost : 1.0 - dot(plain, plain);
  float free = clamp(own, 0.0, 1.0 - 1.0 / (threshold * threshold));
  float amplitude = lost - free > rounding ? highest * sqrt((lost - free) / (1.0 - free)) : 0.0;
  if (at.direction != vec2(0.0)) amplitude = min(amplitude, before + growth * highest);
  if (amplitude > 0.0) amplitude = min(amplitude, bend * least_radius(vertex));
  cloth[vertex].direction = k;
  float per_length = TURN / at.wavelength;
  waves[vertex].amplitude = amplitude;
  waves[vertex].wave_vector = per_length * (wave_vector.x * tangent + wave_vector.y * bitangent);
  waves[vertex].vector = on_cloth != 0 ? per_length * (k.x * at.tangent + k.y * at.bitangent) : waves[vertex].wave_vector;
}
