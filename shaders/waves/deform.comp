#version 430 core
// How the cloth round a vertex is deformed (Loviscach 2006, equation 1), as Crush of the core has it. One invocation a vertex.
#define WAVES_WRITABLE
#include "common/corners.glsl"
#include "waves/cloth.glsl"
#include "waves/waves.glsl"

layout(local_size_x = 64) in;

// Share of an edge's length below which its projection to the tangent plane has no direction of its own.
const float NO_DIRECTION = 1e-5;
// Of positions.
const float POSITION_ROUNDING = 1.2e-7;

vec3 corner(uint triangle, uint k) { return cloth[mesh_vertex(triangle, k)].position; }

// Mean of the triangles' normals round the vertex by area, unit; zero without any.
vec3 vertex_normal(uint vertex) {
  vec3 sum = vec3(0.0);
  for (uint i = 0u; i < cloth[vertex].triangles; ++i) {
    uint triangle = links[cloth[vertex].first + i].triangle;
    vec3 a = corner(triangle, 0u);
    sum += cross(corner(triangle, 1u) - a, corner(triangle, 2u) - a);
  }
  float size = length(sum);
  return size > 0.0 ? sum / size : vec3(0.0);
}

// t' along the first edge that has a direction in the tangent plane; zero if none has.
vec3 frame_tangent(uint vertex, vec3 at, vec3 normal) {
  if (normal == vec3(0.0)) return vec3(0.0);
  for (uint i = 0u; i < cloth[vertex].neighbours; ++i) {
    vec3 edge = cloth[links[cloth[vertex].first + i].neighbour].position - at;
    vec3 flat_edge = edge - dot(edge, normal) * normal;
    float size = length(flat_edge);
    if (size > NO_DIRECTION * length(edge)) return flat_edge / size;
  }
  return vec3(0.0);
}

void main() {
  uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= invocations) return;
  vec3 place = cloth[vertex].position;
  vec3 normal = vertex_normal(vertex);
  waves[vertex].normal = normal;
  vec3 tangent = frame_tangent(vertex, place, normal);
  if (cloth[vertex].tangent == vec3(0.0)) tangent = vec3(0.0);
  cloth[vertex].frame_tangent = tangent;
  if (tangent == vec3(0.0)) return;
  vec3 bitangent = cross(normal, tangent);

  vec3 x = vec3(0.0), y = vec3(0.0);
  float regressors = 0.0;
  for (uint i = 0u; i < cloth[vertex].neighbours; ++i) {
    Link link = links[cloth[vertex].first + i];
    vec3 edge = cloth[link.neighbour].position - place;
    x += link.regressor.x * edge;
    y += link.regressor.y * edge;
    regressors += length(link.regressor);
  }
  mat2 m = mat2(dot(tangent, x), dot(bitangent, x), dot(tangent, y), dot(bitangent, y));
  cloth[vertex].map = vec4(m[0], m[1]);
  float first = dot(m[0], m[0]), second = dot(m[1], m[1]);
  cloth[vertex].loss = vec4(1.0 - 0.5 * (first + second), 0.5 * (second - first), -dot(m[0], m[1]),
                            2.0 * POSITION_ROUNDING * length(place) * regressors);
}
