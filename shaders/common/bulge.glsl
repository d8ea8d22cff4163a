// A triangle is flat where the surface that its corners' normals tell of is round. How far that one stands out is a quadratic
// form of the barycentric coordinates (Boubekeur and Alexa 2008, "Phong tessellation", by its height alone, halved: a sphere gets
// its sagitta). Light is followed from there: from the flat triangle the next ones would be in its way, and their outlines be seen.
#include "common/constants.glsl"

uniform int effects;  // EFFECT_* bits; compiled in

// The form's three numbers, of edges (0, 1), (1, 2) and (2, 0); none where nobody asks.
vec3 bulge_of(vec3 a, vec3 b, vec3 c, vec3 normal_a, vec3 normal_b, vec3 normal_c) {
  if ((effects & EFFECT_ROUND) == 0) return vec3(0.0);
  return vec3(dot(a - b, normal_a - normal_b), dot(b - c, normal_b - normal_c), dot(c - a, normal_c - normal_a));
}

// Height at a point.
float bulge_height(vec3 bulge, vec3 barycentric) { return 0.5 * dot(bulge, barycentric * barycentric.yzx); }
