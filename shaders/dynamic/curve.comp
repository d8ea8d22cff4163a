#version 430 core
// Refines wrinkle paths: each segment becomes a cubic Bézier in the plane of its triangle, sampled into a polyline, with
// width and height by monotone cubic interpolation (Fritsch and Butland 1984) over arc length. One invocation a segment.
#define SAMPLES_WRITABLE
#include "dynamic/samples.glsl"
#include "dynamic/monotone.glsl"

layout(local_size_x = 64) in;

struct PathPoint {
  vec3 position;
  float width;
  vec3 normal;       // of the triangle of the segment that starts here
  float height;
  vec3 tangent;      // unit, mean of the two adjacent segments
  float arc_length;  // from the path's first point, which has 0
  vec2 middle;       // width and height half-way along the segment that starts here
  vec2 unused;
};

layout(std430, binding = 11) readonly buffer Points { PathPoint points[]; };
uniform uint invocations;  // one less than the number of path points

vec2 size_at(PathPoint point) { return vec2(point.width, point.height); }

struct SizeCurve {
  vec2 start, middle, end;                    // (width, height) at the three knots
  vec2 start_slope, middle_slope, end_slope;
  float half_length;
};

SizeCurve size_curve(uint i) {
  PathPoint a = points[i];
  PathPoint b = points[i + 1u];
  SizeCurve curve;
  curve.half_length = 0.5 * (b.arc_length - a.arc_length);
  curve.start = size_at(a);
  curve.middle = a.middle;
  curve.end = size_at(b);
  vec2 first = (curve.middle - curve.start) / curve.half_length;
  vec2 second = (curve.end - curve.middle) / curve.half_length;
  curve.middle_slope = inner_slope(first, second, curve.half_length, curve.half_length);
  if (a.arc_length > 0.0) {
    PathPoint before = points[i - 1u];
    float half_before = 0.5 * (a.arc_length - before.arc_length);
    curve.start_slope = inner_slope((curve.start - before.middle) / half_before, first, half_before, curve.half_length);
  } else {
    curve.start_slope = vec2(0.0);  // level at the end, where the cloth beyond is flat
  }
  bool continues = i + 2u <= invocations && points[min(i + 2u, invocations)].arc_length > 0.0;
  if (continues) {
    float half_after = 0.5 * (points[i + 2u].arc_length - b.arc_length);
    curve.end_slope = inner_slope(second, (b.middle - curve.end) / half_after, curve.half_length, half_after);
  } else {
    curve.end_slope = vec2(0.0);
  }
  return curve;
}

vec2 size_on(SizeCurve curve, float t) {
  if (t <= 0.5) {
    return hermite(curve.start, curve.middle, curve.start_slope, curve.middle_slope, curve.half_length, 2.0 * t);
  }
  return hermite(curve.middle, curve.end, curve.middle_slope, curve.end_slope, curve.half_length, 2.0 * t - 1.0);
}

// A path point's direction turned into the plane of a segment's triangle; the chord where it is perpendicular to it.
vec3 tangent_in_plane(vec3 direction, vec3 normal, vec3 chord) {
  vec3 flat_direction = direction - dot(direction, normal) * normal;
  return dot(flat_direction, flat_direction) > 1e-12 ? normalize(flat_direction) : chord;
}

vec3 bezier(vec3 p0, vec3 p1, vec3 p2, vec3 p3, float t) {
  float r = 1.0 - t;
  return r * r * r * p0 + 3.0 * r * r * t * p1 + 3.0 * r * t * t * p2 + t * t * t * p3;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= invocations) return;
  PathPoint a = points[i];
  PathPoint b = points[i + 1u];
  if (!(b.arc_length > 0.0)) {  // a new path starts at b: nothing lies between, which no point is near to
    spheres[i] = vec4(vec3(0.0), -1.0);
    return;
  }

  vec3 span = b.position - a.position;
  float size = length(span);
  vec3 chord = span / size;
  vec3 control_a = a.position + size / 3.0 * tangent_in_plane(a.tangent, a.normal, chord);
  vec3 control_b = b.position - size / 3.0 * tangent_in_plane(b.tangent, a.normal, chord);

  vec3 at[SAMPLES_PER_SEGMENT + 1];
  at[0] = a.position;
  at[SAMPLES_PER_SEGMENT] = b.position;
  vec3 low = min(a.position, b.position);
  vec3 high = max(a.position, b.position);
  for (int j = 1; j < SAMPLES_PER_SEGMENT; ++j) {
    at[j] = bezier(a.position, control_a, control_b, b.position, float(j) / float(SAMPLES_PER_SEGMENT));
    low = min(low, at[j]);
    high = max(high, at[j]);
  }

  SizeCurve curve = size_curve(i);
  int first = int(i) * SAMPLES_PER_SEGMENT;
  vec3 centre = 0.5 * (low + high);
  float radius = 0.0;
  float width = max(a.width, b.width);
  for (int j = 0; j < SAMPLES_PER_SEGMENT; ++j) {
    vec2 section = j == 0 ? size_at(a) : size_on(curve, float(j) / float(SAMPLES_PER_SEGMENT));
    vec3 tangent = j == 0 ? a.tangent : normalize(normalize(at[j] - at[j - 1]) + normalize(at[j + 1] - at[j]));
    samples[first + j] = Sample(at[j], section.x, tangent, section.y);
    width = max(width, section.x);
    radius = max(radius, distance(at[j], centre));
  }
  radius = max(radius, distance(b.position, centre));
  // The last point of a path starts no segment, so the one that ends there writes its sample.
  bool ends = i + 1u == invocations || !(points[min(i + 2u, invocations)].arc_length > 0.0);
  if (ends) {
    samples[first + SAMPLES_PER_SEGMENT] = Sample(b.position, b.width, b.tangent, b.height);
    spheres[i + 1u] = vec4(vec3(0.0), -1.0);
  }
  // A thousandth more than needed, so that rounding never cuts a wrinkle off.
  float overlap_radius = 1.001 * (radius + 0.5 * width);
  spheres[i] = vec4(centre, overlap_radius * overlap_radius);
}
