// Where the vertices of the frames are that are yet to be gone through.
layout(std430, binding = 0) writeonly buffer Positions { float positions[]; };  // (n, 3), as they are drawn
layout(std430, binding = 13) readonly buffer Motion { float motion[]; };        // positions (n, 3), or joints (J, 3, 4)

uniform uint motion_first;  // number of the frame's first one
uniform vec3 middle;        // of the frame, from where positions are drawn relative to

// Crush reads edges from the middle: a character may be drawn from a point that is some of its heights away.
void put_vertex(uint vertex, vec3 position) {
  cloth[vertex].position = position;
  for (uint k = 0u; k < 3u; ++k) positions[3u * vertex + k] = position[k] + middle[k];
}
