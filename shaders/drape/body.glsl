// The body that wears the cloth: its nearest place, and on which side of it something is. All of it is the core's, in which a note
// of each line stands.
#include "drape/cloth.glsl"

uniform uint nodes;            // boxes of its solid triangles, in the order in which all of them are visited; 0: no body
uniform uint nodes_first;      // where they begin in Links: three each, triangles from and to, and which comes after all below
uniform uint triangles_first;  // likewise: six each, corners, and the triangles across the edges behind them
uniform uint vertices_first;   // likewise: three each, links from and to that are corners round it, and how far the border is
uniform uint body_first;       // in Coarse: positions of the vertices
uniform uint boxes_first;      // in Coarse: lowest and highest coordinates
uniform float clearance;
uniform float reach;
uniform float deepest;    // where what is deeper is no longer told from what is on the other side of a limb

// Share of clearance and reach so near to which rounding would decide a direction.
const float NEAR = 1e-4;
// And by which distances may be wrong.
const float ROUNDING = 1e-5;
// So that nothing passes between two triangles at their edge.
const float MARGIN = 1e-6;

struct Nearest {
  vec3 shares;    // barycentric coordinates, exactly 0 on edges and at corners
  uint triangle;
  vec3 way;       // there
  float square;   // of its length
};

// A place of the body that a vertex is near to.
struct Touch {
  vec3 away;          // from there to the vertex
  float distance;     // negative inside
  vec3 normal;        // the direction in which the distance grows
  float from_border;  // of the place
};

vec3 stored(uint at) { return vec3(coarse[at], coarse[at + 1u], coarse[at + 2u]); }
vec3 body_position(uint vertex) { return stored(body_first + 3u * vertex); }
uint corner_of(uint triangle, uint k) { return links[triangles_first + 6u * triangle + k]; }
// Across the edge from corner k to the next one.
uint across(uint triangle, uint k) { return links[triangles_first + 6u * triangle + 3u + k]; }
float from_border(uint vertex) { return uintBitsToFloat(links[vertices_first + 3u * vertex + 2u]); }

// Unit, or zero.
vec3 directed(vec3 a) {
  float size = length(a);
  return size > 0.0 ? a / size : vec3(0.0);
}

mat3 corners_from(vec3 point, uint triangle) {
  return mat3(body_position(corner_of(triangle, 0u)) - point, body_position(corner_of(triangle, 1u)) - point,
              body_position(corner_of(triangle, 2u)) - point);
}

vec3 face_normal(mat3 corners) { return directed(cross(corners[1] - corners[0], corners[2] - corners[0])); }

// Of the origin (Ericson 2005, section 5.1.5).
vec3 nearest_shares(vec3 a, vec3 b, vec3 c) {
  vec3 ab = b - a;
  vec3 ac = c - a;
  float d1 = -dot(ab, a);
  float d2 = -dot(ac, a);
  if (d1 <= 0.0 && d2 <= 0.0) return vec3(1.0, 0.0, 0.0);
  float d3 = -dot(ab, b);
  float d4 = -dot(ac, b);
  if (d3 >= 0.0 && d4 <= d3) return vec3(0.0, 1.0, 0.0);
  float d5 = -dot(ab, c);
  float d6 = -dot(ac, c);
  if (d6 >= 0.0 && d5 <= d6) return vec3(0.0, 0.0, 1.0);
  float vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
    float share = d1 / (d1 - d3);
    return vec3(1.0 - share, share, 0.0);
  }
  float vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    float share = d2 / (d2 - d6);
    return vec3(1.0 - share, 0.0, share);
  }
  float va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    float share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return vec3(0.0, 1.0 - share, share);
  }
  float sum = va + vb + vc;
  return vec3(1.0 - vb / sum - vc / sum, vb / sum, vc / sum);
}

void look_at(uint triangle, vec3 point, inout Nearest best) {
  mat3 corners = corners_from(point, triangle);
  vec3 shares = nearest_shares(corners[0], corners[1], corners[2]);
  vec3 way = corners * shares;
  float square = dot(way, way);
  if (square < best.square || (square == best.square && best.triangle == NONE))
    best = Nearest(shares, triangle, way, square);
}

// The nearest of all triangles that is no farther than `within`. `guess`: one that may be near, or NONE.
Nearest nearest(vec3 point, float within, uint guess) {
  Nearest best = Nearest(vec3(0.0), NONE, vec3(0.0), within * within);
  if (guess != NONE) look_at(guess, point, best);
  for (uint node = 0u; node < nodes;) {
    uint visit = nodes_first + 3u * node;
    uint box = boxes_first + 6u * node;
    vec3 to = max(max(stored(box) - point, point - stored(box + 3u)), vec3(0.0));
    if (dot(to, to) > best.square) {
      node = links[visit + 2u];
      continue;
    }
    for (uint triangle = links[visit]; triangle < links[visit + 1u]; ++triangle) look_at(triangle, point, best);
    ++node;
  }
  return best;
}

// Normals of the triangles round a vertex, weighted by their angles.
vec3 vertex_normal(uint vertex) {
  vec3 here = body_position(vertex);
  vec3 sum = vec3(0.0);
  uint at = vertices_first + 3u * vertex;
  for (uint link = links[at]; link < links[at + 1u]; link += 2u) {
    vec3 u = body_position(links[link]) - here;
    vec3 v = body_position(links[link + 1u]) - here;
    vec3 twice = cross(u, v);
    sum += atan(length(twice), dot(u, v)) * directed(twice);
  }
  return sum;
}

// Of the body where it is nearest (Bærentzen and Aanæs 2005); zero at a border.
vec3 normal_at(Nearest at) {
  bvec3 zero = equal(at.shares, vec3(0.0));
  uint zeros = uint(zero.x) + uint(zero.y) + uint(zero.z);
  vec3 own = face_normal(corners_from(vec3(0.0), at.triangle));
  if (zeros == 2u) {
    uint corner = corner_of(at.triangle, zero.x ? (zero.y ? 2u : 1u) : 0u);
    return from_border(corner) == 0.0 ? vec3(0.0) : vertex_normal(corner);
  }
  if (zeros == 1u) {
    // The edge lies opposite the corner whose share is zero.
    uint other = across(at.triangle, zero.x ? 1u : (zero.y ? 2u : 0u));
    return other == NONE ? vec3(0.0) : own + face_normal(corners_from(vec3(0.0), other));
  }
  return own;
}

// Whether the nearest place has an inside.
bool locate(Nearest place, out Touch at) {
  at = Touch(vec3(0.0), 0.0, vec3(0.0), 0.0);
  if (place.triangle == NONE) return false;
  vec3 normal = normal_at(place);
  if (normal == vec3(0.0)) return false;
  at.away = -place.way;
  float side = dot(at.away, normal) < 0.0 ? -1.0 : 1.0;
  float size = sqrt(place.square);
  at.distance = side * size;
  for (uint k = 0u; k < 3u; ++k) at.from_border += max(place.shares[k], 0.0) * from_border(corner_of(place.triangle, k));
  at.normal = size > NEAR * (clearance + reach) ? side / size * at.away : directed(normal);
  return true;
}

// Whether it has come into the body by an opening and not through the surface: deeper than the place is from one.
bool by_opening(Touch at) { return at.distance < 0.0 && -at.distance > at.from_border; }

// The nearest place within reach. `triangle`: a guess, and then the nearest one, if there is any.
Nearest place_near(vec3 point, float within, inout uint triangle) {
  Nearest place = nearest(point, within, triangle);
  if (place.triangle != NONE) triangle = place.triangle;
  return place;
}

// Whether the straight way from a point goes in through the surface, and what its plane there says of the end.
bool entered(vec3 from, vec3 way, out Touch at) {
  at = Touch(vec3(0.0), 0.0, vec3(0.0), 0.0);
  vec3 low = min(from, from + way) - ROUNDING * (clearance + reach);
  vec3 high = max(from, from + way) + ROUNDING * (clearance + reach);
  float first = 1.0;
  bool met = false;
  for (uint node = 0u; node < nodes;) {
    uint visit = nodes_first + 3u * node;
    uint box = boxes_first + 6u * node;
    if (any(greaterThan(stored(box), high)) || any(lessThan(stored(box + 3u), low))) {
      node = links[visit + 2u];
      continue;
    }
    for (uint triangle = links[visit]; triangle < links[visit + 1u]; ++triangle) {
      // Möller and Trumbore 1997, from the front alone.
      mat3 corners = corners_from(from, triangle);
      vec3 along = corners[1] - corners[0];
      vec3 across = corners[2] - corners[0];
      vec3 p = cross(way, across);
      float det = dot(along, p);
      if (!(det > 0.0)) continue;
      float u = -dot(corners[0], p) / det;
      vec3 q = cross(-corners[0], along);
      float v = dot(way, q) / det;
      if (!(u >= -MARGIN && v >= -MARGIN && u + v <= 1.0 + MARGIN)) continue;
      float share = dot(across, q) / det;
      if (!(share > 0.0 && share <= first)) continue;
      first = share;
      met = true;
      at.normal = directed(cross(along, across));
    }
    ++node;
  }
  at.away = (1.0 - first) * way;
  at.distance = dot(at.away, at.normal);
  return met;
}

// How far from a vertex the body is looked for: outside only the clearance matters, inside what is deeper by the reach than its room.
float within_of(uint vertex) { return max(clearance, reach - min(0.0, cloth[vertex].room)); }

// Whether a vertex that was cut outside is as deep only with its guide, which passes for outside: no surface is between them, as
// behind a bent knee, where the body goes through itself.
bool is_with_guide(uint vertex, vec3 guide, vec3 away, uint triangle, Touch at) {
  if (sheet[vertex].cut_room < 0.0 || at.distance >= 0.0 || away == vec3(0.0)) return false;
  Touch of_guide;
  if (entered(guide, away, of_guide)) return false;
  return locate(place_near(guide, deepest, triangle), of_guide) && of_guide.distance >= 0.0;
}

// Whether the body keeps out what is `away` from its guide: its nearest place has an inside in which it has not come by an opening,
// nor with its guide, or its way from the guide goes in through the surface.
bool keeps_out(uint vertex, vec3 guide, vec3 away, inout uint triangle, out Touch at) {
  Nearest place = place_near(guide + away, within_of(vertex), triangle);
  if (locate(place, at) && !by_opening(at)) return !is_with_guide(vertex, guide, away, triangle, at);
  // What was cut in the body, or behind it, has its guide there as well; and in front of what is nearest, it is outside.
  if (sheet[vertex].cut_room < 0.0) return false;
  if (place.triangle != NONE && dot(place.way, face_normal(corners_from(vec3(0.0), place.triangle))) <= 0.0) return false;
  return entered(guide, away, at);
}
