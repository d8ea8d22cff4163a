// What the GPU runs for a page: surfaces, lit as in all other pictures, and lines.

const SURFACE_VERTEX = `
precision highp float;
in vec3 position;
in vec3 normal;
in vec3 colour;
in vec4 tint;
in vec2 texcoord;
in vec2 place;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
out vec3 shown_position;
out vec3 surface_normal;
out vec3 surface_colour;
out vec4 surface_tint;
out vec2 surface_texcoord;
out vec3 barycentric;
void main() {
  shown_position = position;
  surface_normal = normal;
  surface_colour = colour;
  surface_tint = tint;
  surface_texcoord = texcoord;
  barycentric = vec3(1.0 - place.x - place.y, place);
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`;

const SURFACE_FRAGMENT = `
precision highp float;
uniform vec4 eye;
uniform vec4 key_direction;
uniform vec4 key_colour;
uniform vec4 fill_direction;
uniform vec4 fill_colour;
uniform vec4 sky_colour;
uniform vec4 ground_colour;
uniform vec4 wire_colour;
uniform int alpha_mode;  // 1: a mask, 2: blended, as far as it is no more opaque than the cutoff
uniform float alpha_cutoff;
uniform float opacity;
uniform bool textured;
uniform sampler2D base_texture;
in vec3 shown_position;
in vec3 surface_normal;
in vec3 surface_colour;
in vec4 surface_tint;
in vec2 surface_texcoord;
in vec3 barycentric;
out vec4 fragment;
${LIGHTING}
float wire_share() {
  vec3 pixels = barycentric / max(fwidth(barycentric), vec3(1e-12));
  float nearest = min(pixels.x, min(pixels.y, pixels.z));
  if (wire_colour.w <= 0.0) return 0.0;
  return 1.0 - smoothstep(0.5 * wire_colour.w - 0.5, 0.5 * wire_colour.w + 0.5, nearest);
}
void main() {
  float wire = wire_share();
  vec3 base = linear_from_srgb(surface_colour);
  float alpha = opacity;
  if (textured) {
    vec4 texel = texture(base_texture, surface_texcoord);
    base *= linear_from_srgb(texel.rgb);
    alpha *= texel.a;
  }
  base = mix(base, linear_from_srgb(surface_tint.rgb), surface_tint.a);
  vec3 normal = normalize(gl_FrontFacing ? surface_normal : -surface_normal);
  fragment = vec4(srgb_from_linear(mix(rolled_off(shade(base, normal, shown_position)), wire_colour.rgb, wire)), alpha_mode == 2 ? alpha : 1.0);
  if (alpha_mode == 1 && alpha < alpha_cutoff) discard;
  if (alpha_mode == 2 && (alpha >= alpha_cutoff || alpha <= 0.0)) discard;
}`;

// Lines of constant width in pixels. Moved towards the eye by what stands before them they are not hidden by it.
const LINE_VERTEX = `
precision highp float;
in vec2 corner;
in vec4 start;
in vec4 end;
in vec3 colour;
out vec3 line_colour;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec4 eye;
uniform vec3 viewport;
vec4 before(vec4 point) {
  vec3 moved = point.xyz + point.w * normalize(eye.xyz - point.xyz);
  return projectionMatrix * viewMatrix * vec4(moved, 1.0);
}
void main() {
  line_colour = colour;
  vec4 a = before(start), b = before(end);
  vec2 along = (b.xy / b.w - a.xy / a.w) * viewport.xy;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  vec4 at = corner.x > 0.0 ? b : a;
  vec2 shift = 0.5 * viewport.z * (corner.y * vec2(-along.y, along.x) + corner.x * along);
  gl_Position = at + vec4(2.0 * shift / viewport.xy * at.w, -1e-3 * viewport.z / viewport.y * at.w, 0.0);
}`;

const LINE_FRAGMENT = `
precision highp float;
in vec3 line_colour;
out vec4 fragment;
void main() { fragment = vec4(line_colour, 1.0); }`;
