// Monotone cubics of two values at once (Fritsch and Butland 1984).
// Slope at a knot inside, from the secants s0, s1 of the spacings h0, h1: their weighted harmonic mean, or zero at an extremum.
vec2 inner_slope(vec2 s0, vec2 s1, float h0, float h1) {
  float w0 = 2.0 * h1 + h0;
  float w1 = h1 + 2.0 * h0;
  precise vec2 mean = (w0 + w1) * s0 * s1 / (w0 * s1 + w1 * s0);
  return mix(vec2(0.0), mean, greaterThan(s0 * s1, vec2(0.0)));
}

// The cubic between y0 and y1 with slopes m0 and m1 at the share t of a step.
vec2 hermite(vec2 y0, vec2 y1, vec2 m0, vec2 m1, float step_length, float t) {
  float r = 1.0 - t;
  precise vec2 value = y0 * (1.0 + 2.0 * t) * r * r + y1 * t * t * (1.0 + 2.0 * r) + step_length * t * r * (m0 * r - m1 * t);
  return value;
}

// Its derivative by t.
vec2 hermite_slope(vec2 y0, vec2 y1, vec2 m0, vec2 m1, float step_length, float t) {
  float r = 1.0 - t;
  precise vec2 change = 6.0 * t * r * (y1 - y0) + step_length * (r * (1.0 - 3.0 * t) * m0 + t * (3.0 * t - 2.0) * m1);
  return change;
}
