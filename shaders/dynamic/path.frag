#version 430 core
#include "common/lighting.glsl"

out vec4 fragment;

void main() { fragment = vec4(srgb_from_linear(path_colour.rgb), 1.0); }
