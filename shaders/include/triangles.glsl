// The wrinkles of each triangle.
layout(std430, binding = 6) readonly buffer Triangles { uvec2 triangles[]; };  // (count, offset into reach)
