#version 430 core
// The garment, every triangle cut into PIECES x PIECES; its wrinkles are put on by the fragment shader's own copy of fold.glsl.

layout(std430, binding = 3) readonly buffer Positions { vec4 positions[]; };  // (n,)
layout(std430, binding = 4) readonly buffer Normals { vec4 normals[]; };      // (n,), unit
layout(std430, binding = 5) readonly buffer Faces { uint faces[]; };          // (m, 3)

uniform mat4 view_projection;

out vec3 base;
out vec3 base_normal;
flat out uint triangle;

// Corner 0 to 2 of small triangle `piece`, as barycentric coordinates: row by row, upright and hanging ones in turn.
vec3 small_corner(int piece, int corner) {
  int row = int(sqrt(float(piece)));
  int along = piece - row * row;
  ivec2 at = ivec2(row, along / 2);
  ivec2 upright[3] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1));
  ivec2 hanging[3] = ivec2[](ivec2(0, 0), ivec2(1, 1), ivec2(0, 1));
  at += along % 2 == 0 ? upright[corner] : hanging[corner];
  return vec3(PIECES - at.x, at.x - at.y, at.y) / PIECES;
}

void main() {
  triangle = uint(gl_VertexID / (3 * PIECES * PIECES));
  vec3 weights = small_corner(gl_VertexID / 3 % (PIECES * PIECES), gl_VertexID % 3);
  base = vec3(0.0);
  base_normal = vec3(0.0);
  for (int k = 0; k < 3; ++k) {
    uint vertex = faces[3u * triangle + uint(k)];
    base += weights[k] * positions[vertex].xyz;
    base_normal += weights[k] * normals[vertex].xyz;
  }
  base_normal = normalize(base_normal);
  vec3 gradient;
  gl_Position = view_projection * vec4(base + fold(base, triangle, gradient) * base_normal, 1.0);
}
