#version 430
// Plays what `pucker bake --vat` writes: NAME.exr, NAME_vnrm.exr, and of NAME-remap_info.json the numbers below.
// Textures without filtering or mipmaps, and not as sRGB.

layout(location = 0) in vec3 position;  // POSITION, NORMAL and TEXCOORD_1 of NAME.glb
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 texel;

uniform sampler2D offsets;  // its first row is the upper one, as EXR stores it
uniform sampler2D normals;
uniform vec3 low;         // os-remap: Min
uniform vec3 high;        // os-remap: Max
uniform int frames;       // os-remap: Frames
uniform int rows;         // rows_per_frame
uniform float seconds;    // since the clip began
uniform float rate;       // animations: framerate
uniform bool loops;       // from the last frame back to the first
uniform mat4 projection;

out vec3 shown;         // the vertex in the clip's space
out vec3 shown_normal;

ivec2 place(int frame) {
  ivec2 size = textureSize(offsets, 0);
  return ivec2(texel * vec2(size)) + ivec2(0, frame * rows);
}

vec3 offset(int frame) {
  return low + texelFetch(offsets, place(frame), 0).rgb * (high - low);
}

vec3 turned(int frame) {
  return 2.0 * texelFetch(normals, place(frame), 0).rgb - 1.0;
}

void main() {
  float at = seconds * rate;
  at = loops ? mod(at, float(frames)) : clamp(at, 0.0, float(frames - 1));
  int first = int(at);
  int second = loops ? (first + 1) % frames : min(first + 1, frames - 1);
  float share = at - float(first);
  shown = position + mix(offset(first), offset(second), share);
  // A vertex that never moves keeps its own normal where the texture has none.
  vec3 both = mix(turned(first), turned(second), share);
  shown_normal = dot(both, both) > 0.0 ? normalize(both) : normal;
  gl_Position = projection * vec4(shown, 1.0);
}
