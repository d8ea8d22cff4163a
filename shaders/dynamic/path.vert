#version 430 core
// Wrinkle paths as lines of constant width in pixels: one instance a path point, six vertices a piece of the curve of the
// segment that starts there.
#include "dynamic/samples.glsl"
#include "common/stroke.glsl"

uniform float line_width;  // [pixels]

// A path lies on the undisplaced surface, below the ridge of its wrinkle. Moved towards the eye by the wrinkle's height it
// covers the same pixels and is not hidden by its own ridge.
vec4 before_ridge(int number) {
  vec3 position = samples[number].position;
  return clip_position(position + samples[number].height * normalize(eye.xyz - position));
}

void main() {
  if (spheres[gl_InstanceID].w < 0.0) {  // the last point of a path starts no segment
    gl_Position = OUTSIDE;
    return;
  }
  int first = gl_InstanceID * SAMPLES_PER_SEGMENT + gl_VertexID / 6;
  gl_Position = stroke_corner(before_ridge(first), before_ridge(first + 1), gl_VertexID % 6, line_width);
}
