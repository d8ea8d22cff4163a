// What the wrinkles make of each triangle; written by overlaps.comp.
#ifdef TRIANGLES_WRITABLE
#define TRIANGLES_ACCESS
#else
#define TRIANGLES_ACCESS readonly
#endif

layout(std430, binding = 9) TRIANGLES_ACCESS buffer Triangles { uvec2 triangles[]; };  // (count, offset into overlaps)
