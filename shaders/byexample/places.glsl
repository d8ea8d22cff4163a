// Where the fine vertices are.
struct Place {
  vec3 smooth_offset;  // on the smooth surface, from the anchor
  uint anchor;
  vec3 detailed_offset;  // with the detail, from where the anchor sways to
  float unused;
};

layout(std430, binding = 13) buffer Places { Place places[]; };  // one a vertex
