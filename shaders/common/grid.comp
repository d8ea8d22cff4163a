#version 430 core
// Evaluates a detail at the points of its grid. One invocation a point.
#define GRID_WRITABLE
#include "common/corners.glsl"
#include "common/grid.glsl"
#include "method/detail.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 1) readonly buffer Normals { float normals[]; };  // (n, 3), unit

uniform uint invocations;
uniform uint grid_entries;  // number of triangles that have points
uniform uint grid_begin;    // word of the first point

uint entry_word(uint entry) { return 1u + 4u * entry; }

// Barycentric coordinates of a triangle's point.
vec3 grid_point(GridHead head, uint number) {
  uint side = head.side;
  uint inside = grid_count(side);
  if (number < inside) {
    float most = 2.0 * float(side) + 3.0;
    uint j = uint(0.5 * (most - sqrt(max(most * most - 8.0 * float(number), 0.0))));
    // Roots are rounded.
    while (j > 0u && grid_row(side, j) > number) --j;
    while (j < side && grid_row(side, j + 1u) <= number) ++j;
    uint i = number - grid_row(side, j);
    return vec3(side - i - j, i, j) / float(side);
  }
  number -= inside - 1u;
  uint edge = 0u;
  while (edge < 2u && number >= grid_level(head, edge)) number -= grid_level(head, edge++) - 1u;
  uint level = grid_level(head, edge);
  vec3 at = vec3(0.0);
  at[edge] = float(level - number) / float(level);
  at[(edge + 1u) % 3u] = float(number) / float(level);
  return at;
}

vec3 corner_normal(uint vertex) { return vec3(normals[3u * vertex], normals[3u * vertex + 1u], normals[3u * vertex + 2u]); }

void main() {
  uint point = gl_GlobalInvocationID.x;
  if (point >= invocations) return;
  uint word = grid_begin + 4u * point;
  uint entry = grid[entry_word(grid_entries) + 2u + point / 64u];
  while (grid[entry_word(entry + 1u) + 1u] <= word) ++entry;
  uint triangle = grid[entry_word(entry)];
  GridHead head = grid_words(entry_word(entry) + 1u);
  if (word == head.first) {
    uint at = grid[0] + 3u * triangle;
    grid[at] = head.first;
    grid[at + 1u] = head.side;
    grid[at + 2u] = head.levels;
  }
  if (head.side == 0u) return;
  vec3 barycentric = grid_point(head, (word - head.first) / 4u);
  uvec3 corners = uvec3(mesh_vertex(triangle, 0u), mesh_vertex(triangle, 1u), mesh_vertex(triangle, 2u));
  // Of points of an edge the sums are those of two products: see displace.glsl.
  precise vec3 position = mesh_position(corners.x) * barycentric.x + mesh_position(corners.y) * barycentric.y +
                          mesh_position(corners.z) * barycentric.z;
  precise vec3 sum = corner_normal(corners.x) * barycentric.x + corner_normal(corners.y) * barycentric.y +
                     corner_normal(corners.z) * barycentric.z;
  vec3 normal = normalize(sum);
  vec3 displacement, detailed;
  detail_at_once(triangle, barycentric, position, normal, displacement, detailed);
  grid[word] = floatBitsToUint(displacement.x);
  grid[word + 1u] = floatBitsToUint(displacement.y);
  grid[word + 2u] = floatBitsToUint(displacement.z);
  grid[word + 3u] = packed_normal(detailed);
}
