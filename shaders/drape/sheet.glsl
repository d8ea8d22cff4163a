// What the compute programs know of a garment. Lengths are in a unit that is about as long as an edge of the finest mesh.
struct Vertex {
  // Of every level: the vertices of the finest mesh, then those of the others from the coarse mesh on.
  vec3 value;      // what the multilevel sum has here
  float own;       // stiffness of springs and bending, on the diagonal
  float hold;      // stiffness of a pull of weight 1
  uint up;         // weights of the vertices of the next coarser level: pairs of links, a vertex and its weight
  uint up_end;
  uint down;       // likewise of the next finer one
  uint down_end;
  // Of the finest alone.
  uint anchor;     // coarse vertex that its place is told from
  uint neighbour;  // its frame's edge goes there; the vertex itself if there is none
  uint row;        // weights of the coarse vertices
  uint row_end;    // those of the triangle that it is sewn to, if it is, follow
  uint base_end;
  uint ring;       // triangles round it: two links each
  uint ring_end;
  uint spring;     // one to each of its neighbours
  uint spring_end;
  float bend;      // B / A
  float diagonal;  // of bending
  float free;      // 0: stays on the guide, else 1
  float mass;      // share of it
  float cut_area;  // of the triangles round it in the cut pose, over the square of the tightness
  float sewn;      // how much it is drawn to its coarse triangle
  // Of the frame before; and, as each vec3 leaves room for a number, what of contact goes on from frame to frame.
  vec3 last;             // where it was, from the middle of the guide
  float cut_room;        // that it keeps from the body in the cut pose
  vec3 before;           // where it was in the frame before that, likewise
  float cut_depth;       // distance from the body in the cut pose, negative inside, 0 outside
  vec3 velocity;         // a second
  float kept_out;        // 0: sewn, so that the body does not move it, else 1
  vec3 velocity_before;
  uint touched;          // triangle of the body that was nearest last
  vec3 local;            // away from the guide, in the guide's frame
  uint listed;           // at the first places: the vertices whose guide is deeper in the body than it was cut
};

struct Spring {
  uint neighbour;
  float weight;  // cotangent
  float cut;     // length in the cut pose, over the tightness
  float over;    // by which it is longer on the guide than at rest
  vec3 along;    // on the guide, to the neighbour
};

// Of each frame: coarse positions (n, 3), from their middle; then the body's, and boxes, as body.glsl reads them.
layout(std430, binding = 9) readonly buffer Coarse { float coarse[]; };
layout(std430, binding = 10) buffer Sheet { Vertex sheet[]; };
layout(std430, binding = 11) readonly buffer Links { uint links[]; };
layout(std430, binding = 12) buffer Springs { Spring springs[]; };

uniform uint invocations;
uniform uint coarse_first;  // number of the frame's first one

vec3 coarse_position(uint vertex) {
  uint at = coarse_first + 3u * vertex;
  return vec3(coarse[at], coarse[at + 1u], coarse[at + 2u]);
}
