// What stays the same for all draws of one picture.
layout(std140, binding = 0) uniform Frame {
  mat4 view_projection;
  vec4 eye;              // xyz: position of the camera
  vec4 key_direction;    // xyz: unit vector towards the light; w: specular strength
  vec4 key_colour;       // rgb: linear; w: specular exponent
  vec4 fill_direction;   // xyz: unit vector towards the light
  vec4 fill_colour;      // rgb: linear
  vec4 sky_colour;       // rgb: ambient light from above, linear
  vec4 ground_colour;    // rgb: ambient light from below, linear
  vec4 wire_colour;      // rgb: linear; w: line width [pixels], 0 for no wireframe
  vec4 reached_colour;   // rgb: linear; w: share of its colour that each wrinkle leaves a triangle, 1 for no tint
  vec4 viewport;         // xy: width and height [pixels]; z: see depth_nearer; w: share of its distance that a pixel covers
  mat4 shadow_matrix;    // to the clip space of the key light
  vec4 screen;           // xy: tangents of half the camera's angles; z: radius of occlusion; w: side of a texel of the shadow map
  vec4 to_viewer;        // xyz: unit vector against the direction that the camera looks in
};

// Clip z is a multiple of the distance from the eye's plane plus viewport.z. What is nearer by a share s of its distance, and
// seen at the same place, has a clip z that differs by this, wherever the near and far planes are.
float depth_nearer(float share) { return viewport.z * share / (1.0 - share); }

// Where all corners of a triangle lie that is not to be drawn.
const vec4 OUTSIDE = vec4(2.0, 2.0, 2.0, 1.0);

// Clip position of a point. The sum is written out and `precise` so that every program that draws the same point
// rounds it the same way: a pixel then lies on exactly one side of an edge that two draws share.
vec4 clip_position(vec3 point) {
  precise vec4 clip = view_projection[0] * point.x + view_projection[1] * point.y + view_projection[2] * point.z +
                      view_projection[3];
  return clip;
}
