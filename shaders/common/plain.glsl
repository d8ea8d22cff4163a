// A surface without detail.

vec3 detail_displacement(uint triangle, vec3 barycentric, vec3 point, vec3 normal) { return vec3(0.0); }

vec3 detail_normal(uint triangle, vec3 barycentric, vec3 point, vec3 normal) { return normal; }

uint detail_count(uint triangle) { return 0u; }
