#version 430 core
// One colour without light, for lines.
#include "common/lighting.glsl"

uniform vec3 flat_colour;  // linear

out vec4 fragment;

void main() { fragment = vec4(srgb_from_linear(flat_colour), 1.0); }
