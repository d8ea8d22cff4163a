// What the dynamic method puts over a mesh: the folds along its paths.
#include "dynamic/wrinkle.glsl"

// Vector by which a point of a triangle is displaced; `normal` is the unit vertex normal there.
vec3 detail_displacement(uint triangle, vec3 barycentric, vec3 point, vec3 normal) {
  precise vec3 displacement = wrinkle_point(point, normal, triangle).offset * normal;
  return displacement;
}

// Unit normal of the displaced surface at that point.
vec3 detail_normal(uint triangle, vec3 barycentric, vec3 point, vec3 normal) {
  return wrinkle_point(point, normal, triangle).normal;
}

// Both by one evaluation.
void detail_at_once(uint triangle, vec3 barycentric, vec3 point, vec3 normal, out vec3 displacement, out vec3 detailed) {
  WrinklePoint at = wrinkle_point(point, normal, triangle);
  precise vec3 moved = at.offset * normal;
  displacement = moved;
  detailed = at.normal;
}

// How many pieces of detail reach a triangle; one that none reaches is drawn as it is.
uint detail_count(uint triangle) { return triangles[triangle].x; }
