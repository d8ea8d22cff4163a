// What the compute programs know of the fine mesh and of the feature mesh in this frame. Lengths are in mean edges of the rest
// pose.
struct FineVertex {
  uint anchor;     // feature vertex that its place is told from
  uint row;        // its row of the subdivision: pairs of links, a feature vertex and its weight
  uint row_end;
  uint neighbour;  // its frame's edge goes there; the vertex itself if there is none
  uvec3 corners;   // of the triangle of the feature mesh that it comes from
  uint ring;       // polygons round it: four links each, see ring.glsl
  vec3 shares;     // its barycentric coordinates there
  float hold;      // how much it is held to that triangle
  uint ring_end;
};

layout(std430, binding = 9) readonly buffer Features { float features[]; };  // positions (n, 3), weights of poses (k, P), sway (n, 3)
layout(std430, binding = 10) readonly buffer Fine { FineVertex fine[]; };    // one a vertex
layout(std430, binding = 11) readonly buffer Links { uint links[]; };

uniform uint invocations;

// From the middle of all of them.
vec3 feature_position(uint vertex) {
  return vec3(features[3u * vertex], features[3u * vertex + 1u], features[3u * vertex + 2u]);
}
