// Detail at points of its triangles, evaluated once a picture by grid.comp; all that draws interpolates between them. A triangle of n
// cells a side has those with barycentric coordinates (n - i - j, i, j) / n, row by row (j), then those that divide its edges.
#ifdef GRID_WRITABLE
#define GRID_ACCESS
#else
#define GRID_ACCESS readonly
#endif

// First where the heads of all triangles begin; then, of each triangle that has points, its number and its head, and where the next
// one's would begin; the number among those of the triangle of every 64th point; four words a point, displacement and packed normal;
// and the heads. The host sends all before the points: no table as large as the mesh has to be sent.
layout(std430, binding = 14) GRID_ACCESS buffer Grid { uint grid[]; };

uniform int gridded;  // whether there is a grid; compiled in

uint detail_count(uint triangle);

struct GridHead {
  uint first;   // word of its first point
  uint side;    // n; 0 if no detail reaches it, whose only point stands for nothing
  uint levels;  // of its edges, a byte each
};

GridHead grid_words(uint word) { return GridHead(grid[word], grid[word + 1u], grid[word + 2u]); }
// Of a triangle that has points; those of others are never written.
GridHead grid_head(uint triangle) { return grid_words(grid[0] + 3u * triangle); }
// The same of any triangle that is drawn.
GridHead grid_head_if_any(uint triangle) {
  if (detail_count(triangle) == 0u) return GridHead(0u, 0u, 0u);
  return grid_head(triangle);
}

uint grid_level(GridHead head, uint edge) { return bitfieldExtract(head.levels, int(8u * edge), 8); }
uint grid_count(uint side) { return (side + 1u) * (side + 2u) / 2u; }
// Number of the first point of a row.
uint grid_row(uint side, uint row) { return row * (side + 1u) - row * (row - min(row, 1u)) / 2u; }

// Octahedral map of unit vectors to a square (Cigolle et al. 2014, "A survey of efficient representations for independent unit
// vectors"): 16 bits a coordinate.
vec2 other_side(vec2 at) { return (1.0 - abs(at.yx)) * mix(vec2(-1.0), vec2(1.0), greaterThanEqual(at, vec2(0.0))); }

uint packed_normal(vec3 normal) {
  vec2 at = normal.xy / (abs(normal.x) + abs(normal.y) + abs(normal.z));
  return packSnorm2x16(normal.z < 0.0 ? other_side(at) : at);
}

vec3 unpacked_normal(uint bits) {
  vec2 at = unpackSnorm2x16(bits);
  float z = 1.0 - abs(at.x) - abs(at.y);
  return normalize(vec3(z < 0.0 ? other_side(at) : at, z));
}

vec3 grid_vector(uint word) { return uintBitsToFloat(uvec3(grid[word], grid[word + 1u], grid[word + 2u])); }

// The three points round a place, by their words, and their weights.
struct GridPlace {
  uvec3 words;
  vec3 weights;
};

GridPlace grid_place(GridHead head, vec3 barycentric) {
  vec2 at = clamp(barycentric.yz, 0.0, 1.0) * float(head.side);
  uint j = min(uint(at.y), head.side - 1u);
  uint i = min(uint(at.x), head.side - 1u - j);
  vec2 share = at - vec2(i, j);
  uint below = grid_row(head.side, j) + i, above = grid_row(head.side, j + 1u) + i;
  bool upper = share.x + share.y > 1.0 && i + j + 2u <= head.side;
  uvec3 points = uvec3(upper ? above + 1u : below, below + 1u, above);
  vec3 weights = upper ? vec3(share.x + share.y - 1.0, 1.0 - share.yx) : vec3(1.0 - share.x - share.y, share);
  return GridPlace(head.first + 4u * points, weights);
}

// Unit normal of the detail at a place of a triangle; `normal` where no detail reaches it.
vec3 grid_normal(uint triangle, vec3 barycentric, vec3 normal) {
  GridHead head = grid_head_if_any(triangle);
  if (head.side == 0u) return normal;
  GridPlace at = grid_place(head, barycentric);
  vec3 sum = vec3(0.0);
  for (int k = 0; k < 3; ++k) sum += at.weights[k] * unpacked_normal(grid[at.words[k] + 3u]);
  float size = length(sum);
  return size > 0.0 ? sum / size : normal;
}

vec3 grid_inside(GridHead head, vec3 barycentric) {
  GridPlace at = grid_place(head, barycentric);
  vec3 sum = vec3(0.0);
  for (int k = 0; k < 3; ++k) sum += at.weights[k] * grid_vector(at.words[k]);
  return sum;
}

vec3 grid_displacement(uint triangle, vec3 barycentric) {
  GridHead head = grid_head_if_any(triangle);
  if (head.side == 0u) return vec3(0.0);
  return grid_inside(head, barycentric);
}

// The same at a tessellated vertex: on an edge, where one coordinate is exactly zero, that of the edge's own point, which is the same
// for both its triangles.
vec3 grid_vertex_displacement(uint triangle, vec3 barycentric) {
  GridHead head = grid_head_if_any(triangle);
  if (head.side == 0u) return vec3(0.0);
  uint edge = barycentric.z == 0.0 ? 0u : barycentric.x == 0.0 ? 1u : 2u;
  bool corner = max(barycentric.x, max(barycentric.y, barycentric.z)) == 1.0;
  if (corner || barycentric[(edge + 2u) % 3u] != 0.0) return grid_inside(head, barycentric);
  uint point = grid_count(head.side) - 1u;
  for (uint k = 0u; k < edge; ++k) point += grid_level(head, k) - 1u;
  point += uint(round(barycentric[(edge + 1u) % 3u] * float(grid_level(head, edge))));
  return grid_vector(head.first + 4u * point);
}
