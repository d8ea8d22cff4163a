#version 430 core
// The springs as the guide has them: their rest lengths; and the inverse of each vertex' own block of the stiffness. One invocation
// a vertex.
#include "drape/cloth.glsl"
#include "drape/stretch.glsl"

layout(local_size_x = 64) in;

uniform float creep;
uniform float compression;

// Share of the vertices' own blocks in the preconditioner, and least stiffness across a spring in them.
const float OWN_BLOCKS = 0.3;
const float LEAST_ACROSS = 0.1;

float rest_length(float cut, float now, float squeezed) {
  // Where a spring has no length, what it is squeezed by across is no number, and counts as 1.
  float across = squeezed * now / cut;
  float most = max(1.0, compression / (across > 1.0 ? across : 1.0));
  return min(cut + creep * max(0.0, now - cut), most * now);
}

mat3 outer(vec3 a) { return outerProduct(a, a); }

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 away = cloth[vertex].away;
  vec3 plane = cloth[vertex].plane;
  mat3 block = mat3(cloth[vertex].hold + sheet[vertex].diagonal);
  if (dot(away, plane) + cloth[vertex].depth < 0.0) block += outer(plane);
  for (uint k = sheet[vertex].spring; k < sheet[vertex].spring_end; ++k) {
    uint other = springs[k].neighbour;
    vec3 along = guide_way(vertex, other);
    float now = length(along);
    springs[k].along = along;
    springs[k].over = now - rest_length(springs[k].cut, now, 0.5 * (cloth[vertex].squeezed + cloth[other].squeezed));
    Stretched now_away = stretched(springs[k], cloth[other].away - away);
    float size = max(now_away.size, LEAST_LENGTH);
    float across = max(now_away.over / size, LEAST_ACROSS);
    block += mat3(across) + (1.0 - across) * outer(now_away.along / size);
  }
  // Its inverse by cofactors, and what the finest level adds.
  vec3 a = cross(block[1], block[2]);
  vec3 b = cross(block[2], block[0]);
  vec3 c = cross(block[0], block[1]);
  float determinant = dot(block[0], a);
  float share = determinant > 0.0 ? OWN_BLOCKS / determinant : 0.0;
  float stiffness = sheet[vertex].own + cloth[vertex].hold;
  float diagonal = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
  cloth[vertex].block = share * vec3(a.x, b.y, c.z) + vec3(diagonal);
  cloth[vertex].block_beside = share * vec3(a.y, a.z, b.z);
}
