// How far a garment that lags and swings as a whole is from its feature vertices.
uniform uint sway_first;  // number of the first one; 0 if nothing sways

vec3 sway_of(uint vertex) {
  if (sway_first == 0u) return vec3(0.0);
  uint from = sway_first + 3u * vertex;
  return vec3(features[from], features[from + 1u], features[from + 2u]);
}
