// The frame of a vertex of the guide: along the edge to its neighbour made orthogonal to the normal, across both, and along the
// normal. Zero where there is none.

// Square of the share of an edge's length below which its part across the normal has no direction of its own.
const float NO_DIRECTION = 1e-12;

mat3 frame_of(uint vertex, vec3 normal) {
  vec3 edge = guide_way(vertex, sheet[vertex].neighbour);
  vec3 across = edge - dot(edge, normal) * normal;
  float squared = dot(across, across);
  if (normal == vec3(0.0) || !(squared > NO_DIRECTION * dot(edge, edge))) return mat3(0.0);
  across *= inversesqrt(squared);
  return mat3(across, cross(normal, across), normal);
}
