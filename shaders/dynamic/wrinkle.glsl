// Offset of a surface point by the wrinkles of its triangle, and the normal of the displaced surface.
//
// A point p is projected to a path by the interpolated mean directions d of its pieces (Gillette 2015, equations 7.1 to
// 7.3): a in [0, 1] with (v_i + a z - p) . ((1 - a) d_i + a d_{i+1}) = 0, z = v_{i+1} - v_i. Of one wrinkle the nearest
// projection counts, of several wrinkles the largest offset (section 7.5).
#include "dynamic/samples.glsl"
#include "dynamic/profile.glsl"
#include "dynamic/triangles.glsl"
#include "dynamic/overlaps.glsl"

uniform int profile;  // PROFILE_*

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

Projection project_to_path(vec3 point, uvec2 range) {
  Projection nearest = Projection(-1, 0.0, 3.4e38);
  for (uint segment = range.x; segment < range.y; ++segment) {
    vec4 sphere = spheres[segment];
    vec3 off = point - sphere.xyz;
    if (dot(off, off) > sphere.w) continue;
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
  }
  return nearest;
}

Profile profile_of(Projection at) {
  Sample a = samples[at.piece];
  Sample b = samples[at.piece + 1];
  precise float half_width = 0.5 * (a.width + at.along * (b.width - a.width));
  precise float height = a.height + at.along * (b.height - a.height);
  return profile_at(profile, sqrt(at.square), half_width, height);
}

bool path_starts(uint number) { return number == 0u || spheres[number - 1u].w < 0.0; }
bool path_ends(uint number) { return spheres[number].w < 0.0; }

// Beyond an end that is not flat, because the path was cut there, a wrinkle goes on as half of a round hill: the section of
// the end, turned about it. `side` is -1 for a path's first point and 1 for its last; `off` leads from the end to the point.
Profile beyond_end(vec3 point, uint number, float side, out vec3 off) {
  Sample end = samples[int(number) * SAMPLES_PER_SEGMENT];
  precise vec3 from_end = point - end.position;
  precise float ahead = side * dot(from_end, end.tangent);
  precise float square = dot(from_end, from_end);
  off = from_end;
  if (!(ahead > 0.0)) return Profile(0.0, 0.0, 0.0, 0.0);
  return profile_at(profile, sqrt(square), 0.5 * end.width, end.height);
}

// Largest offset of the wrinkles that overlap `triangle`, along the vertex normal; zero where none does.
float wrinkle_offset(vec3 point, uint triangle) {
  uvec2 list = triangles[triangle];
  float offset = 0.0;
  for (uint k = 0u; k < list.x; ++k) {
    uvec2 range = overlap_range(list.y + k);
    Projection at = project_to_path(point, range);
    if (at.piece >= 0) offset = max(offset, profile_of(at).value);
    vec3 off;
    if (path_starts(range.x)) offset = max(offset, beyond_end(point, range.x, -1.0, off).value);
    if (path_ends(range.y)) offset = max(offset, beyond_end(point, range.y, 1.0, off).value);
  }
  return offset;
}

// Gradient of one wrinkle's offset over the surface point: implicit differentiation of the projection.
vec3 offset_gradient(vec3 point, Projection at, Profile section) {
  Sample a = samples[at.piece];
  Sample b = samples[at.piece + 1];
  vec3 piece = b.position - a.position;
  vec3 off = point - (a.position + at.along * piece);
  vec3 direction = mix(a.tangent, b.tangent, at.along);
  // The denominator vanishes at the centre of curvature, where the projection is not defined; it is kept away from there.
  float advance = max(dot(piece, direction) - dot(off, b.tangent - a.tangent), 0.05 * dot(piece, direction));
  vec3 along_gradient = direction / advance;
  float lengthwise = section.by_width * 0.5 * (b.width - a.width) + section.by_height * (b.height - a.height);
  return section.slope_ratio * (off - dot(off, piece) * along_gradient) + lengthwise * along_gradient;
}

// Unit normal of the displaced surface; `normal` is the undisplaced one. Several wrinkles are averaged with their offsets
// as weights (section 7.5), which hides the crease between them.
vec3 wrinkle_normal(vec3 point, vec3 normal, uint triangle) {
  uvec2 list = triangles[triangle];
  vec3 sum = vec3(0.0);
  for (uint k = 0u; k < list.x; ++k) {
    uvec2 range = overlap_range(list.y + k);
    float offset = 0.0;
    vec3 gradient = vec3(0.0);
    Projection at = project_to_path(point, range);
    if (at.piece >= 0) {
      Profile section = profile_of(at);
      offset = section.value;
      gradient = offset_gradient(point, at, section);
    }
    for (int end = 0; end < 2; ++end) {
      if (end == 0 ? !path_starts(range.x) : !path_ends(range.y)) continue;
      vec3 off;
      Profile section = beyond_end(point, end == 0 ? range.x : range.y, end == 0 ? -1.0 : 1.0, off);
      if (section.value <= offset) continue;
      offset = section.value;
      gradient = section.slope_ratio * off;
    }
    if (offset > 0.0) sum += offset * normalize(normal - (gradient - dot(gradient, normal) * normal));
  }
  return dot(sum, sum) > 0.0 ? normalize(sum) : normal;
}
