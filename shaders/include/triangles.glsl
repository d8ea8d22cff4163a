// What the wrinkles make of each triangle; written by reach.comp.
#ifdef TRIANGLES_WRITABLE
#define TRIANGLES_ACCESS
#else
#define TRIANGLES_ACCESS readonly
#endif

layout(std430, binding = 6) TRIANGLES_ACCESS buffer Triangles { uvec2 triangles[]; };  // (count, offset into reach)

// Bit k says that edge (k, k + 1) is to be divided: it is an edge of a triangle that a wrinkle reaches. A triangle with
// such an edge is tessellated.
layout(std430, binding = 11) TRIANGLES_ACCESS buffer Patches { uint patches[]; };
