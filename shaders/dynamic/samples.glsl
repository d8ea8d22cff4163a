// The refined wrinkle paths: SAMPLES_PER_SEGMENT samples a segment, written by curve.comp and read by all that draws.
#include "dynamic/constants.glsl"

struct Sample {
  vec3 position;
  float width;     // full width of the cross-section
  vec3 tangent;    // unit, mean of the two adjacent pieces
  float height;
};

#ifdef SAMPLES_WRITABLE
#define SAMPLES_ACCESS writeonly
#else
#define SAMPLES_ACCESS readonly
#endif

// Sample j of segment i stands at i * SAMPLES_PER_SEGMENT + j; a segment ends at the first sample of the next.
layout(std430, binding = 12) SAMPLES_ACCESS buffer Samples { Sample samples[]; };
// A sphere round all that a segment displaces: centre and squared radius. The last point of a path starts no segment and has
// a negative one.
layout(std430, binding = 13) SAMPLES_ACCESS buffer Spheres { vec4 spheres[]; };
