// Which triangles are tessellated, as a method's programs make it, or the core if it has none.
#ifdef PATCHES_WRITABLE
#define PATCHES_ACCESS
#else
#define PATCHES_ACCESS readonly
#endif

// Bit k says that edge (k, k + 1) is to be divided: it is an edge of a triangle that detail reaches. A triangle with
// such an edge is tessellated.
layout(std430, binding = 6) PATCHES_ACCESS buffer Patches { uint patches[]; };
