#ifndef SHARED
#define SHARED
#endif

// What the compute programs know of the vertices and what they remember of the frame before.
struct ClothVertex {
  vec3 rest;         // from the middle of all of them
  float wavelength;  // W
  vec3 tangent;      // t in the rest pose; zero for a vertex that can have no wave
  uint first;        // link
  vec3 bitangent;    // b
  uint neighbours;   // number of links with a neighbour
  vec2 paint;        // q, in (t, b)
  vec2 direction;    // k of the last frame, in (t, b); zero before the first one
  float influence;   // g
  float most;        // that the phase may move in one round
  float height;      // a = h/(W/4)
  uint triangles;    // number of links with one
  vec3 position;     // in the frame, from the middle of all of them
  float share;       // of W/4 that the highest wave has
  uvec4 joints;
  vec4 weights;
  vec4 map;           // M from (t, b) to the frame's, by columns
  vec4 loss;          // of E - MᵀM: mean, along, across; then what rounding of positions makes of it
  vec4 other_loss;    // average.comp goes from one to the other
  vec3 frame_tangent; // t'; zero for a vertex that has no wave in the frame
  uint ring;          // of carry.comp; 0 if it had a wave before, UNREACHED or FLAT
  uint front;         // a place in carry.comp's list of vertices
  float unused[3];
};

const uint UNREACHED = 0xfffffffeu;  // a wave that has no phase yet
const uint FLAT = 0xffffffffu;       // without a wave

struct Link {
  uint neighbour;
  uint triangle;   // one round the vertex
  vec2 regressor;  // (Σ v⊗v)⁻¹ v
  float offset;    // halfway to the neighbour both phases should differ by so many cycles
  float sign;      // -1 if the waves run towards each other
  vec2 turn;       // cosine and sine of twice the angle from the neighbour's (t, b); zero if it has none
};

layout(std430, binding = 11) SHARED buffer Cloth { ClothVertex cloth[]; };  // one a vertex
layout(std430, binding = 12) buffer Links { Link links[]; };         // those of a vertex in ascending order

uniform uint invocations;
