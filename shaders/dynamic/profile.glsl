// Cross-section of a wrinkle over the distance from its path: support |x| <= w (half the width), height h in the middle.
#include "dynamic/constants.glsl"

struct Profile {
  float value;      // f(x)
  float slope_ratio;  // f'(x) / x: finite at the path, where f' and x both vanish
  float by_width;   // df/dw
  float by_height;  // df/dh
};

// f = h g(x / w) has df/dw = -(x / w) f'(x).
Profile scaled_profile(float x, float w, float h, float g, float slope_ratio) {
  return Profile(h * g, slope_ratio, -x * x / w * slope_ratio, g);
}

Profile quartic_profile(float x, float w, float h) {
  float rest = 1.0 - x * x / (w * w);
  return scaled_profile(x, w, h, rest * rest, -4.0 * h * rest / (w * w));
}

Profile sinusoidal_profile(float x, float w, float h) {
  const float pi = 3.14159265358979;
  float angle = pi * x / w;
  // sin(a) / a, by its series where the quotient would lose its digits.
  float sinc = angle < 1e-2 ? 1.0 - angle * angle / 6.0 : sin(angle) / angle;
  return scaled_profile(x, w, h, 0.5 * (1.0 + cos(angle)), -0.5 * h * pi * pi / (w * w) * sinc);
}

// Four quarter pieces of circles of radius R = (w^2 + h^2) / 4h that meet at (w / 2, h / 2). Circles need h <= w; a taller
// wrinkle gets the quarter circles of h = w stretched to its height (quarter ellipses). Where those stand upright the slope
// is held below 64.
Profile arcs_profile(float x, float w, float h) {
  float round_height = min(h, w);
  float stretch = h / round_height;
  float radius = (w * w + round_height * round_height) / (4.0 * round_height);
  bool inner = x <= 0.5 * w;
  float t = inner ? x : w - x;
  float root = sqrt(max(radius * radius - t * t, radius * radius / 4096.0));
  float sagitta = t * t / (radius + root);  // radius - root without cancellation
  float value = inner ? round_height - sagitta : sagitta;
  float slope_ratio = inner ? -1.0 / root : -t / (root * x);
  float by_radius = -sagitta / root;        // d(sagitta) / d(radius)
  float radius_by_height = 0.25 * (1.0 - (w / round_height) * (w / round_height));
  float by_height = inner ? 1.0 - by_radius * radius_by_height : by_radius * radius_by_height;
  if (h > w) return scaled_profile(x, w, h, value / round_height, stretch * slope_ratio);
  // f is homogeneous of degree one in (x, w, h): Euler's rule gives the last derivative.
  return Profile(value, slope_ratio, (value - x * x * slope_ratio - h * by_height) / w, by_height);
}

Profile bspline_profile(float x, float w, float h) {
  float u = 1.5 * x / w;
  if (u <= 0.5) return scaled_profile(x, w, h, 4.0 / 3.0 * (0.75 - u * u), -6.0 * h / (w * w));
  float rest = 1.5 - u;
  return scaled_profile(x, w, h, 2.0 / 3.0 * rest * rest, -2.0 * h * rest / (w * x));
}

// A ridge between two valleys, 9/16 as deep as it is high: of mean 0.
Profile wave_profile(float x, float w, float h) {
  const float pi = 3.14159265358979;
  float angle = pi * x / w;
  float cosine = cos(angle);
  // sin(a) / a, by its series where the quotient would lose its digits.
  float sinc = angle < 1e-2 ? 1.0 - angle * angle / 6.0 : sin(angle) / angle;
  float value = 0.5 * (1.0 + cosine) * (2.0 * cosine - 1.0);
  return scaled_profile(x, w, h, value, -0.5 * h * pi * pi / (w * w) * sinc * (1.0 + 4.0 * cosine));
}

// The wave upside down: a valley between two ridges.
Profile crease_profile(float x, float w, float h) {
  Profile wave = wave_profile(x, w, h);
  return Profile(-wave.value, -wave.slope_ratio, -wave.by_width, -wave.by_height);
}

// Whether a profile has valleys: where several overlap, their mean counts.
bool has_valleys(int kind) { return kind == PROFILE_WAVE || kind == PROFILE_CREASE; }

// The profile `kind` at distance x >= 0 from the path; all zero outside its support and for a flat wrinkle.
Profile profile_at(int kind, float x, float w, float h) {
  if (!(x < w) || !(h > 0.0)) return Profile(0.0, 0.0, 0.0, 0.0);
  if (kind == PROFILE_QUARTIC) return quartic_profile(x, w, h);
  if (kind == PROFILE_SINUSOIDAL) return sinusoidal_profile(x, w, h);
  if (kind == PROFILE_WAVE) return wave_profile(x, w, h);
  if (kind == PROFILE_CREASE) return crease_profile(x, w, h);
  if (kind == PROFILE_ARCS) return arcs_profile(x, w, h);
  return bspline_profile(x, w, h);
}
