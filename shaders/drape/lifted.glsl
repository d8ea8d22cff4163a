// What takes a vertex out of the body.
#include "drape/body.glsl"

// Out of one finger it may come into the next one: half steps lead to the middle.
const uint MOST_STEPS = 24u;
const uint WHOLE_STEPS = 4u;

// Away from the guide, where the vertex has its room, or as much of it as there is; as it is where nothing is to be kept out.
vec3 lifted(uint vertex, vec3 away) {
  if (nodes == 0u || sheet[vertex].kept_out == 0.0) return away;
  vec3 guide = coarse_position(sheet[vertex].anchor) + cloth[vertex].guide;
  uint triangle = sheet[vertex].touched;
  vec3 best = away;
  float least = 0.0;
  for (uint k = 0u; k < MOST_STEPS; ++k) {
    Touch at;
    bool found = keeps_out(vertex, guide, away, triangle, at);
    float missing = found ? cloth[vertex].room - at.distance : 0.0;
    if (k == 0u || missing < least) {
      least = missing;
      best = away;
    }
    if (!(missing > ROUNDING * (clearance + reach))) break;
    away += (k < WHOLE_STEPS ? 1.0 : 0.5) * missing * at.normal;
  }
  sheet[vertex].touched = triangle;
  return best;
}
