// The packed wrinkles, as pucker/dynamic/packing.h lays them out, and the height they give a point of a triangle.

struct Point {
  vec4 position_width;    // from the origin of the wrinkles; full width
  vec4 normal_height;     // of the triangle of the segment that starts here
  vec4 tangent_length;    // arc length from the path's first point, where it is 0
  vec4 middle;            // width and height half-way along the segment that starts here
};
layout(std430, binding = 0) readonly buffer Triangles { uvec2 triangles[]; };  // (m,): number in `overlaps`, first one there
layout(std430, binding = 1) readonly buffer Overlaps { uvec2 overlaps[]; };    // first and last point of what overlaps
layout(std430, binding = 2) readonly buffer Points { Point points[]; };

// Quadratic B-spline of half width w and height h at distance x: its value, and its derivative by x over x.
vec2 section(float x, float w, float h) {
  if (x >= w || h <= 0.0) return vec2(0.0);
  float u = 1.5 * x / w, rest = 1.5 - u;
  if (u <= 0.5) return vec2(h * 4.0 / 3.0 * (0.75 - u * u), -6.0 * h / (w * w));
  return vec2(h * 2.0 / 3.0 * rest * rest, -2.0 * h * rest / (w * x));
}

// Height over point p of a triangle: of one wrinkle that of the nearest segment, of several the largest (Gillette 2015,
// section 7.5). Segments are taken as straight, and sizes as linear between path points and middles.
float fold(vec3 p, uint triangle, out vec3 gradient) {
  uvec2 list = triangles[triangle];
  float height = 0.0;
  gradient = vec3(0.0);
  for (uint k = list.y; k < list.y + list.x; ++k) {
    float nearest = 3.4e38;
    vec3 off = vec3(0.0);
    vec2 size = vec2(0.0);
    for (uint i = overlaps[k].x; i < overlaps[k].y; ++i) {
      Point a = points[i], b = points[i + 1u];
      vec3 span = b.position_width.xyz - a.position_width.xyz;
      float along = clamp(dot(p - a.position_width.xyz, span) / dot(span, span), 0.0, 1.0);
      vec3 from = p - a.position_width.xyz - along * span;
      vec2 start = vec2(a.position_width.w, a.normal_height.w), end = vec2(b.position_width.w, b.normal_height.w);
      vec2 here = along < 0.5 ? mix(start, a.middle.xy, 2.0 * along) : mix(a.middle.xy, end, 2.0 * along - 1.0);
      if (dot(from, from) >= min(nearest, 0.25 * here.x * here.x)) continue;
      nearest = dot(from, from);
      off = from;
      size = here;
    }
    vec2 at = section(sqrt(nearest), 0.5 * size.x, size.y);
    if (at.x > height) {
      height = at.x;
      gradient = at.y * off;
    }
  }
  return height;
}
