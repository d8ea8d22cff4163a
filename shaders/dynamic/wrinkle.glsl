// Offset of a surface point by the wrinkles of its triangle, and the normal of the displaced surface.
//
// A point p is projected to a path by the interpolated mean directions d of its pieces (Gillette 2015, equations 7.1 to
// 7.3): a in [0, 1] with (v_i + a z - p) . ((1 - a) d_i + a d_{i+1}) = 0, z = v_{i+1} - v_i. Of one wrinkle the nearest
// projection counts, of several wrinkles the largest offset (section 7.5), of waves their mean.
#include "dynamic/samples.glsl"
#include "dynamic/monotone.glsl"
#include "dynamic/profile.glsl"
#include "dynamic/triangles.glsl"
#include "dynamic/overlaps.glsl"

uniform int profile;  // PROFILE_*; compiled in

struct Projection {
  int piece;     // first of the two samples, or -1 where the wrinkle does not reach the point
  float along;   // a in [0, 1] between them
  float square;  // squared distance
};

// Keeps the projection at `along` if the wrinkle is wide enough there and nothing nearer was found. Projections that lie
// outside the wrinkle's own width do not count, so that triangles which hold different stretches of the same path
// agree on their common edge.
void consider(vec3 point, Sample a, Sample b, int piece, float along, inout Projection nearest) {
  precise vec3 off = point - (a.position + along * (b.position - a.position));
  precise float square = dot(off, off);
  precise float half_width = 0.5 * (a.width + along * (b.width - a.width));
  if (square < half_width * half_width && square < nearest.square) nearest = Projection(piece, along, square);
}

// Projects to one piece; `before` and `after` are the values of the equation's left side at its two ends. A change of sign
// says that there is a root inside. Neighbouring pieces share these values, so no point falls between two pieces by rounding.
void project_to_piece(vec3 point, Sample a, Sample b, float before, float after, int piece, inout Projection nearest) {
  precise float quadratic = dot(b.position - a.position, b.tangent - a.tangent);
  precise float linear = after - before - quadratic;
  precise float discriminant = linear * linear - 4.0 * quadratic * before;
  bool crosses = (before <= 0.0 && after >= 0.0) || (before >= 0.0 && after <= 0.0);
  bool touches = discriminant >= 0.0 && before * quadratic > 0.0 && linear * quadratic < 0.0 && abs(linear) < 2.0 * abs(quadratic);
  if (!crosses && !touches) return;
  precise float q = -0.5 * (linear + (linear < 0.0 ? -1.0 : 1.0) * sqrt(max(discriminant, 0.0)));
  precise float small = q == 0.0 ? 0.0 : before / q;
  precise float large = quadratic == 0.0 ? small : q / quadratic;
  if (crosses) {
    bool first = abs(small - 0.5) <= abs(large - 0.5);
    consider(point, a, b, piece, clamp(first ? small : large, 0.0, 1.0), nearest);
  } else {
    consider(point, a, b, piece, clamp(small, 0.0, 1.0), nearest);
    consider(point, a, b, piece, clamp(large, 0.0, 1.0), nearest);
  }
}

// The first segment from `segment` on that may displace a point, `end` if none before it does. Skipped in a loop of their own, those
// that do not cost little where invocations go side by side.
uint next_near(vec3 point, uint segment, uint end) {
  while (segment < end) {
    vec4 sphere = spheres[segment];
    vec3 off = point - sphere.xyz;
    if (dot(off, off) <= sphere.w) break;
    ++segment;
  }
  return segment;
}

// `segment` is the first near one of the stretch.
Projection project_to_path(vec3 point, uint segment, uint end) {
  Projection nearest = Projection(-1, 0.0, 3.4e38);
  while (segment < end) {
    int first = int(segment) * SAMPLES_PER_SEGMENT;
    Sample a = samples[first];
    precise float before = dot(a.position - point, a.tangent);
    for (int j = 0; j < SAMPLES_PER_SEGMENT; ++j) {
      Sample b = samples[first + j + 1];
      precise float after = dot(b.position - point, b.tangent);
      project_to_piece(point, a, b, before, after, first + j, nearest);
      a = b;
      before = after;
    }
    segment = next_near(point, segment + 1u, end);
  }
  return nearest;
}

bool path_starts(uint number) { return number == 0u || spheres[number - 1u].w < 0.0; }
bool path_ends(uint number) { return spheres[number].w < 0.0; }

// Width and height along a piece, and their derivatives by the share of it.
struct Sizes {
  vec2 value;
  vec2 change;
};

vec2 size_of(Sample at) { return vec2(at.width, at.height); }

// Sizes of a wrinkle where a point is projected to: monotone cubics through the samples, level at both ends of the path.
// Straight lines would show at grazing light as bands across it.
Sizes sizes_at(Projection at) {
  Sample a = samples[at.piece];
  Sample b = samples[at.piece + 1];
  vec2 first = size_of(a);
  vec2 last = size_of(b);
  float span = distance(a.position, b.position);
  vec2 secant = span > 0.0 ? (last - first) / span : vec2(0.0);
  int within = at.piece % SAMPLES_PER_SEGMENT;
  uint segment = uint(at.piece / SAMPLES_PER_SEGMENT);
  vec2 from = vec2(0.0);
  vec2 to = vec2(0.0);
  if (within > 0 || !path_starts(segment)) {
    Sample other = samples[at.piece - 1];
    float before = distance(other.position, a.position);
    if (before > 0.0) from = inner_slope((first - size_of(other)) / before, secant, before, span);
  }
  if (within + 1 < SAMPLES_PER_SEGMENT || !path_ends(segment + 1u)) {
    Sample other = samples[at.piece + 2];
    float after = distance(b.position, other.position);
    if (after > 0.0) to = inner_slope(secant, (size_of(other) - last) / after, span, after);
  }
  return Sizes(hermite(first, last, from, to, span, at.along), hermite_slope(first, last, from, to, span, at.along));
}

// A wrinkle's cross-section at a point: half its width, its height, and how far from the middle of it the point lies.
struct Section {
  float distance;
  float half_width;
  float height;
};

Profile profile_in(int kind, Section section) { return profile_at(kind, section.distance, section.half_width, section.height); }

// Beyond an end that is not flat, because the path was cut there, a wrinkle goes on as half of a round hill: the section of
// the end, turned about it. `side` is -1 for a path's first point and 1 for its last; `off` leads from the end to the point.
Section beyond_end(vec3 point, uint number, float side, out vec3 off) {
  Sample end = samples[int(number) * SAMPLES_PER_SEGMENT];
  precise vec3 from_end = point - end.position;
  precise float ahead = side * dot(from_end, end.tangent);
  precise float square = dot(from_end, from_end);
  off = from_end;
  return Section(sqrt(square), 0.5 * end.width, ahead > 0.0 ? end.height : 0.0);
}

// Gradient of one wrinkle's offset over the surface point: implicit differentiation of the projection.
vec3 offset_gradient(vec3 point, Projection at, Profile section, vec2 change) {
  Sample a = samples[at.piece];
  Sample b = samples[at.piece + 1];
  vec3 piece = b.position - a.position;
  vec3 off = point - (a.position + at.along * piece);
  vec3 direction = mix(a.tangent, b.tangent, at.along);
  // The denominator vanishes at the centre of curvature, where the projection is not defined; it is kept away from there.
  float advance = max(dot(piece, direction) - dot(off, b.tangent - a.tangent), 0.05 * dot(piece, direction));
  // Along a piece without length, as where a path has collapsed, nothing changes.
  vec3 along_gradient = advance > 0.0 ? direction / advance : vec3(0.0);
  float lengthwise = section.by_width * 0.5 * change.x + section.by_height * change.y;
  return section.slope_ratio * (off - dot(off, piece) * along_gradient) + lengthwise * along_gradient;
}

// Where a wrinkle of a triangle's list counts at a point: on its path, or beyond one of its ends. One that does not count has
// height 0.
struct Place {
  Section section;
  Projection at;  // piece -1: beyond an end
  vec2 change;    // of width and height along the piece
  vec3 off;       // from that end
};

Place place_on_path(vec3 point, uint near, uint end) {
  Projection at = project_to_path(point, near, end);
  if (at.piece < 0) return Place(Section(0.0, 1.0, 0.0), at, vec2(0.0), vec3(0.0));
  Sizes sizes = sizes_at(at);
  return Place(Section(sqrt(at.square), 0.5 * sizes.value.x, sizes.value.y), at, sizes.change, vec3(0.0));
}

Place place_beyond(vec3 point, uint number, bool counts, float side) {
  vec3 off = vec3(0.0);
  Section section = Section(0.0, 1.0, 0.0);
  if (counts) section = beyond_end(point, number, side, off);
  return Place(section, Projection(-1, 0.0, 0.0), vec2(0.0), off);
}

// Keeps the better of two places by what `kind` is there.
void keep_higher(int kind, Place place, inout Place best, inout float highest) {
  float value = profile_in(kind, place.section).value;
  if (value > highest) {
    highest = value;
    best = place;
  }
}

// Of one wrinkle the place where it is highest counts; false where it has no height. `near` is its first near segment.
bool best_place(int kind, vec3 point, uvec2 range, uint near, out Place best) {
  float highest = 0.0;
  best = Place(Section(0.0, 1.0, 0.0), Projection(-1, 0.0, 0.0), vec2(0.0), vec3(0.0));
  // Not in a loop: software rasterisers end an invocation's loops after 65 535 rounds in all, thousands of wrinkles reach that.
  keep_higher(kind, place_on_path(point, near, range.y), best, highest);
  keep_higher(kind, place_beyond(point, range.x, path_starts(range.x), -1.0), best, highest);
  keep_higher(kind, place_beyond(point, range.y, path_ends(range.y), 1.0), best, highest);
  return highest > 0.0;
}

// The first wrinkle of a triangle's list from number `k` on that is near a point, by its number and its first near segment;
// false if there is none. A path's spheres hold its round ends too.
bool next_wrinkle(vec3 point, uvec2 list, inout uint k, out uvec2 range, out uint near) {
  range = uvec2(0u);
  near = 0u;
  while (k < list.x) {
    range = overlap_range(list.y + k);
    near = next_near(point, range.x, range.y);
    if (near < range.y) return true;
    ++k;
  }
  return false;
}

vec3 gradient_at(vec3 point, Place place, Profile section) {
  return place.at.piece >= 0 ? offset_gradient(point, place.at, section, place.change) : section.slope_ratio * place.off;
}

// How near a point is to the middle of a wrinkle, times its height: h (1 - x^2/w^2)^2. So one that rises grows into the mean.
Profile nearness_in(Section section) { return profile_in(PROFILE_QUARTIC, section); }

vec3 tilted(vec3 normal, vec3 gradient) { return normalize(normal - (gradient - dot(gradient, normal) * normal)); }

struct WrinklePoint {
  float offset;  // along the vertex normal
  vec3 normal;   // unit, of the displaced surface
};

// Mean of the waves that lie over a point, weighted by their nearness: a smooth surface, never higher or deeper than they are. Of
// one wrinkle the nearest place counts.
WrinklePoint waves_at(vec3 point, vec3 normal, uvec2 list) {
  precise float weight = 0.0;
  precise float sum = 0.0;
  vec3 weight_gradient = vec3(0.0);
  vec3 gradient = vec3(0.0);
  uvec2 range;
  uint near;
  for (uint k = 0u; next_wrinkle(point, list, k, range, near); ++k) {
    Place place;
    if (!best_place(PROFILE_QUARTIC, point, range, near, place)) continue;
    Profile nearness = nearness_in(place.section);
    Profile section = profile_in(profile, place.section);
    vec3 nearness_gradient = gradient_at(point, place, nearness);
    weight += nearness.value;
    sum += nearness.value * section.value;
    weight_gradient += nearness_gradient;
    gradient += nearness.value * gradient_at(point, place, section) + section.value * nearness_gradient;
  }
  if (!(weight > 0.0)) return WrinklePoint(0.0, normal);
  return WrinklePoint(sum / weight, tilted(normal, (gradient - sum / weight * weight_gradient) / weight));
}

// The largest offset of several wrinkles; their normals are averaged with their offsets as weights (section 7.5), which hides the
// crease between them.
WrinklePoint ridges_at(vec3 point, vec3 normal, uvec2 list) {
  float offset = 0.0;
  vec3 sum = vec3(0.0);
  uvec2 range;
  uint near;
  for (uint k = 0u; next_wrinkle(point, list, k, range, near); ++k) {
    Place place;
    if (!best_place(profile, point, range, near, place)) continue;
    Profile section = profile_in(profile, place.section);
    offset = max(offset, section.value);
    sum += section.value * tilted(normal, gradient_at(point, place, section));
  }
  return WrinklePoint(offset, dot(sum, sum) > 0.0 ? normalize(sum) : normal);
}

// What the wrinkles make of a point of `triangle` with that unit vertex normal; as it is where none overlaps it. What a caller has no
// use for is not computed.
WrinklePoint wrinkle_point(vec3 point, vec3 normal, uint triangle) {
  uvec2 list = triangles[triangle];
  if (has_valleys(profile)) return waves_at(point, normal, list);
  return ridges_at(point, normal, list);
}
