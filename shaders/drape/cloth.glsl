// Where the cloth is, and the solver. It is the one of the core, in which a note of each line stands.
#include "drape/sheet.glsl"

const uint PAIRS = 3u;
const uint GROUP = 64u;

// What becomes of the last evaluation.
const uint VERDICT_START = 0u;   // it was the first one
const uint VERDICT_ACCEPT = 1u;  // the cloth goes there
const uint VERDICT_AGAIN = 2u;   // it stays, and another direction is tried
const uint VERDICT_HALVE = 3u;   // half of the step is tried
const uint VERDICT_STOP = 4u;    // it stays, in balance

struct Solver {
  double energy;
  double lowest;
  double slope;
  double products[PAIRS * PAIRS];  // of step i and change j at i, j
  double slopes[PAIRS];            // of step i and the gradient
  double shares[PAIRS];            // of the first loop of L-BFGS
  float taken[PAIRS];              // the same
  float added[PAIRS];              // of the second loop
  float scale;                     // of the first guess of the inverse Hessian
  float residual;
  uint pairs;
  uint newest;       // place of the newest pair; the older ones follow, and the last one makes room
  uint verdict;
  uint iterations;
  uint halvings;
  uint evaluations;
  // Of inertia.
  uint steps;        // since the start, 2 at most
  uint started;      // nothing is taken over from the frame before
  uint jumped;       // a vertex would go too far
  float weight;      // of the pull, as a multiple of the hold
  float ahead;       // what the velocity is multiplied by
  float last;        // what the last place is
  float before_last;
  // Of contact.
  uint listed;       // how many vertices are
};

struct ClothVertex {
  vec3 guide;  // from the anchor
  float weight;  // of hold and pulls together, as a multiple of the hold
  vec3 normal;   // of the guide
  float squeezed;  // area in the cut pose over that on the guide
  vec3 target;     // of hold and pulls together, from the guide
  float hold;      // of both
  vec3 away;       // from the guide
  float partial;   // of the first vertices of a group: its sums
  vec3 next;       // away, where the energy is evaluated
  float room;      // that is kept from the body
  vec3 curved;     // B / A times the curvature there
  float inside;    // distance of the guide from the body, negative inside
  vec3 sum;        // what makes up the gradient; the direction; and at the end the surface, from the guide
  float cosine;    // between the normals of guide and body
  vec3 gradient;
  uint region;     // a vertex of the region of the guide in the body, the smallest at last; NONE if it is in none
  vec3 next_gradient;
  uint members;    // of the region with this as its smallest vertex: how many they are
  vec3 steps[PAIRS];
  vec3 changes[PAIRS];  // of the gradient
  vec3 block;           // the inverse of its own stiffness: xx, yy, zz
  uint deepest;         // of the region: its largest depth beyond that of the cut pose, as bits
  vec3 block_beside;    // xy, xz, yz
  int cosines;          // of the region: their sum, in COSINE
  vec3 plane;           // that keeps it out of guide or body: normal
  float depth;          // how far the guide is in front of it
};

const uint NONE = 0xffffffffu;

// What several invocations change and read in one program they must have declared so.
#ifndef SHARED
#define SHARED
#endif

layout(std430, binding = 13) SHARED buffer Cloth {
  Solver solver;
  ClothVertex cloth[];  // one a vertex of the finest mesh
};

// Where step and change stand that are yet to become a pair.
uint pending() { return (solver.newest + PAIRS - 1u) % PAIRS; }
uint place_of_pair(uint i) { return (solver.newest + i) % PAIRS; }
// Whether a direction is to be found.
bool directs() { return solver.verdict == VERDICT_ACCEPT || solver.verdict == VERDICT_AGAIN; }

// From one vertex to another on the guide, by way of their anchors: all three are as short as the places are near each other.
vec3 guide_way(uint from, uint to) {
  return (coarse_position(sheet[to].anchor) - coarse_position(sheet[from].anchor)) + (cloth[to].guide - cloth[from].guide);
}
