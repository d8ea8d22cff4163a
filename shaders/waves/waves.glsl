// The plane waves of the vertices.
#ifdef WAVES_WRITABLE
#define WAVES_ACCESS SHARED
#else
#define WAVES_ACCESS readonly
#endif

struct Wave {
  vec3 wave_vector;  // 2π/W k', the slope's
  float phase;
  vec3 normal;
  float amplitude;
  vec3 vector;        // 2π/W k, which measures phases between places
  float other_phase;  // relax.comp goes from one to the other
  vec3 place;
  float unused;
};

layout(std430, binding = 9) WAVES_ACCESS buffer Waves { Wave waves[]; };  // one a vertex
